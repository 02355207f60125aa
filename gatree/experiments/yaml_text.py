"""Experiment files as text: YAML that may be wrong or hostile, and lists in it.

Only mappings, lists, text, numbers, true, false and null are known: no dates, no tags. A key may occur once
in a mapping. Aliases are allowed as far as the file would not grow large if they were written out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import yaml
from pydantic import AfterValidator, BeforeValidator
from yaml.nodes import MappingNode, Node, ScalarNode

from gatree.base.errors import ConfigError, shown
from gatree.base.limits import MOST_NESTING, MOST_YAML_ALIASES, MOST_YAML_BYTES, MOST_YAML_NODES, refuse_above

_MOST_DIGITS = 400


def read_mapping(path: Path, keys: str) -> dict[str, Any]:
    """Return the content of a YAML file, which must be a mapping with these keys."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST_YAML_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    content = read_yaml(text, str(path))
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: should be a mapping with {keys}")
    return content


def read_yaml(content: bytes, where: str) -> Any:
    """Return what a YAML text says, or raise a ConfigError that names the place."""
    refuse_above(MOST_YAML_BYTES, len(content), "bytes", where, ConfigError)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{where}: is not UTF-8 text ({error.reason} at byte {error.start})") from error
    try:
        return _Loader(text, where).get_single_data()
    except yaml.YAMLError as error:
        raise ConfigError(f"{where}: is not YAML: {' '.join(str(error).split())}") from error


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader with limits and without surprises."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def __init__(self, text: str, where: str) -> None:
        super().__init__(text)
        self._where = where
        self._depth = self._n_aliases = 0
        self._written_out: dict[int, int] = {}  # nodes below each node, aliases written out

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        """Compose a node; refuse tags, and what is nested too deep or would be too large."""
        self._refuse_tag(self.peek_event())  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            self._n_aliases += 1
            self._refuse_above(MOST_YAML_ALIASES, self._n_aliases, "aliases")
        self._depth += 1
        self._refuse_above(MOST_NESTING, self._depth, "levels of nesting")
        node = super().compose_node(parent, index)
        self._depth -= 1
        if node is not None and id(node) not in self._written_out:
            size = 1 + sum(self._written_out.get(id(part), 1) for part in _parts(node))
            self._refuse_above(MOST_YAML_NODES, size, "values (with aliases written out)")
            self._written_out[id(node)] = size
        return node

    def compose_mapping_node(self, anchor: Any) -> MappingNode:
        """Compose a mapping; refuse a key that stands in it twice."""
        node = super().compose_mapping_node(anchor)
        seen: dict[str, ScalarNode] = {}
        for key, _ in node.value:
            if isinstance(key, ScalarNode):
                if key.value in seen:
                    places = f"{_place(seen[key.value])}, and {_place(key)}"
                    raise ConfigError(f"{self._where}: the key {key.value!r} stands twice: {places}")
                seen[key.value] = key
        return node

    def construct_number(self, node: ScalarNode) -> Any:
        """Construct a number, or say that what looks like one is none."""
        self._refuse_above(_MOST_DIGITS, len(node.value), f"digits in a number at {_place(node)}")
        kind = self.construct_yaml_int if node.tag.endswith(":int") else self.construct_yaml_float
        try:
            return kind(node)
        except (ValueError, OverflowError):
            raise ConfigError(
                f"{self._where}: {node.value!r} at {_place(node)} is no number; quote it if it is text"
            ) from None

    def _refuse_tag(self, event: Any) -> None:
        """Refuse a tag: a type that a value says it has, and may not have (``!!int abc``)."""
        if (tag := getattr(event, "tag", None)) is not None:
            tag = tag.replace("tag:yaml.org,2002:", "!!")
            raise ConfigError(
                f"{self._where}: the tag {shown(tag)} at {_place(event)}; write the value without a tag"
            )

    def _refuse_above(self, most: int, got: int, what: str) -> None:
        refuse_above(most, got, what, self._where, ConfigError)


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_number)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.construct_number)


def _parts(node: Node) -> list[Node]:
    if isinstance(node, MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if not isinstance(node, ScalarNode) else []


def _place(node: Any) -> str:
    """Return where a node or an event begins."""
    return f"line {node.start_mark.line + 1}, column {node.start_mark.column + 1}"


Item = TypeVar("Item")


def as_list(value: Any) -> Any:
    """Let a single value stand for a list of one."""
    return value if isinstance(value, list | tuple) else [value]


def some(values: tuple[Item, ...]) -> tuple[Item, ...]:
    """Refuse a list of nothing."""
    if not values:
        raise ValueError("should list at least one")
    return values


def without_repeats(values: tuple[Item, ...]) -> tuple[Item, ...]:
    """Refuse what stands twice."""
    seen: set[Any] = set()
    repeated = []
    for value in values:
        what = json.dumps(value, sort_keys=True) if isinstance(value, dict) else value
        if what in seen:
            repeated.append(str(value))
        seen.add(what)
    if repeated:
        raise ValueError(f"listed twice: {', '.join(repeated)}")
    return values


def with_own_names(values: tuple[Item, ...]) -> tuple[Item, ...]:
    """Refuse two that have the same name."""
    without_repeats(tuple(value.name for value in values))  # type: ignore[attr-defined]
    return values


ListOf = (BeforeValidator(as_list), AfterValidator(some), AfterValidator(without_repeats))
