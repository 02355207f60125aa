"""An experiment's YAML file: read, with all its errors at once, or written to start from.

`gatree run --init` prints templates/starting.yaml for your own data, or starting-numbers.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import yaml

from gatree.base.errors import ConfigError, brief, counted, shown, visible
from gatree.base.limits import MOST_YAML_BYTES, MOST_YAML_VALUES, refuse_above
from gatree.data.answer import Answer, Numbers
from gatree.data.dataset import Dataset
from gatree.data.screen import is_identifier
from gatree.experiments.experiment import Experiment
from gatree.experiments.sources import DataSource
from gatree.settings.validation import validated


def read_experiment(path: Path) -> Experiment:
    """Read an experiment from a YAML file, or raise one ConfigError that lists all errors."""
    content = read_mapping(path, "name, seed, datasets and studies")
    return validated(Experiment, content, str(path), context={"folder": path.parent})


def read_mapping(path: Path, keys: str) -> dict[str, object]:
    """Return the content of a YAML file, which must be a mapping with these keys."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST_YAML_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    refuse_above(MOST_YAML_BYTES, len(text), "bytes", str(path), ConfigError)
    try:
        content = yaml.load(text, _Loader)  # a safe loader
        n_values = _n_values(content, {})
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deep") from None
    except _YAML_ERRORS as error:
        raise ConfigError(f"{path}: is not YAML: {brief(' '.join(str(error).split()), 200)}") from error
    refuse_above(MOST_YAML_VALUES, n_values, "values (with aliases written out)", str(path), ConfigError)
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: {'is empty; ' * (content is None)}should be a mapping with {keys}")
    return content


_YAML_ERRORS = (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, OverflowError)
"""What PyYAML raises for text that is wrong, such as ``!!timestamp abc`` or ``0x_``."""


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, which refuses a key that stands twice in a mapping."""

    def compose_mapping_node(self, anchor: dict[str, yaml.Node]) -> yaml.MappingNode:
        """Compose a mapping; a key that is merged into it (``<<``) may be given again."""
        node = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            line = key.start_mark.line + 1
            if key.value in lines:
                where = f"in lines {lines[key.value]} and {line}"
                raise yaml.YAMLError(f"the key {shown(key.value)} stands twice, {where}")
            lines[key.value] = line
        return node


def _n_values(value: object, known: dict[int, int]) -> int:
    """Return the number of values inside a value; what aliases name again counts each time."""
    if not isinstance(value, list | dict):
        return 1
    if id(value) not in known:
        parts = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_n_values(part, known) for part in parts)
    return known[id(value)]


_MOST_CLASSES_SHOWN = 6
_FEW_CLASSES = 20


def starting_experiment(sources: Sequence[DataSource]) -> str:
    """Return an experiment file for data, which are read to describe them in its comments."""
    loaded = [source.load() for source in sources]
    numbers = [data.name for data in loaded if isinstance(data.answer, Numbers)]
    if numbers and len(numbers) < len(loaded):
        raise ConfigError(
            f"{', '.join(numbers)}: numbers to predict, the rest has classes; make a file of each"
        )
    name = "starting-numbers.yaml" if numbers else "starting.yaml"
    template = files("gatree.experiments").joinpath("templates", name).read_text(encoding="utf-8")
    return template.format(datasets="".join(map(_described, sources, loaded)))


def _described(source: DataSource, data: Dataset) -> str:
    useless = [
        attribute.name
        for attribute, column in zip(data.attributes, data.columns, strict=True)
        if is_identifier(column, attribute)
    ]
    n_columns = counted(data.n_attributes - len(useless), "column")
    lines = [
        (
            f"  - data: {_written(source.data)}",
            f"{counted(data.n_instances, 'row')}, {n_columns} to learn from",
        ),
        (f"    class: {_written(data.answer.name)}", f"what to predict: {_answer(data.answer)}"),
    ]
    if useless:
        lines.append((f"    drop: {_written(useless)}", "different in every row"))
    else:
        lines.append(("    # drop: [a, b]", "columns to leave out"))
    lines.append((f"    # name: {_written(source.name)}", "what to call it"))
    return "".join(f"{text:<28} # {visible(comment)}\n" for text, comment in lines)


def _answer(answer: Answer) -> str:
    """Return what is predicted in a few words."""
    if isinstance(answer, Numbers):
        known = answer.values[answer.known]
        return f"numbers from {known.min():g} to {known.max():g}"
    values = answer.attribute.values
    counts = sorted(zip(values, answer.counts.tolist(), strict=True), key=lambda pair: -pair[1])
    shown = ", ".join(f"{value} ({count})" for value, count in counts[:_MOST_CLASSES_SHOWN])
    if len(values) > _FEW_CLASSES:
        return f"{len(values)} classes: is this the column?"
    more = len(values) - _MOST_CLASSES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _written(value: str | Sequence[str]) -> str:
    """Return a value as YAML, on one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**6)
    return text.removesuffix("\n").removesuffix("\n...")
