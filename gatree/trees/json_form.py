"""Trees as JSON, to be kept in files and read by other programs.

    {"format": "gatree-tree", "version": 1,
     "class": {"name": "type", "values": ["mammal", "bird"]},
     "attributes": [{"name": "milk", "kind": "nominal", "values": ["false", "true"]},
                    {"name": "legs", "kind": "numeric"}],
     "nodes": [{"attribute": "legs", "threshold": 2.5, "yes": 1, "no": 4, "counts": [41, 20]},
               {"attribute": "milk", "category": "true", "yes": 2, "no": 3, "counts": [10, 20]},
               {"class": "mammal", "counts": [10, 0]}, ...]}

Nodes are in preorder, the root first. ``yes`` is the node for instances with ``value <= threshold`` or
``value == category``; all others, missing and unknown values among them, go to ``no``. ``counts`` are
the training instances of each class at the node, and may be left out of all nodes together. Numbers
are written so that they read back exactly. A reader must refuse a higher ``version`` than it knows.
"""

from __future__ import annotations

import json
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gatree.base.errors import DataError
from gatree.base.limits import MOST_CLASSES, MOST_NODES, MOST_TREE_FILE_CHARACTERS, refuse_above
from gatree.data.attribute import Attribute
from gatree.data.coding import Coding
from gatree.trees.genome import LEAF, Tree, spans_of
from gatree.trees.named_tree import NamedTree

FORMAT = "gatree-tree"
VERSION = 1
_LARGEST_COUNT = 2**53  # what every reader of JSON reads exactly


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Class(_Part):
    name: str
    values: list[str] = Field(min_length=1)


class _Attribute(_Part):
    name: str
    kind: Literal["nominal", "numeric"]
    values: list[str] = []
    date_format: str | None = None


class _Node(_Part):
    attribute: str | None = None
    threshold: float | None = Field(None, allow_inf_nan=False)
    category: str | None = None
    yes: int | None = None
    no: int | None = None
    label: str | None = Field(None, alias="class")
    counts: list[int] | None = None


class _File(_Part):
    format: Literal["gatree-tree"]
    version: Literal[1]
    target: _Class = Field(alias="class")
    attributes: list[_Attribute]
    nodes: list[_Node] = Field(min_length=1)


def to_json(model: NamedTree) -> str:
    """Return a tree as JSON, one line per node."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "class": {"name": model.class_attribute.name, "values": list(model.class_values)},
        "attributes": [_attribute(attribute) for attribute in model.attributes],
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(part, ensure_ascii=False)}," for key, part in head.items()]
    nodes = (json.dumps(_node(model, node), ensure_ascii=False) for node in range(model.n_nodes))
    body = ",\n".join(f"    {node}" for node in nodes)
    return "\n".join(["{", *lines, '  "nodes": [', body, "  ]", "}", ""])


def _attribute(attribute: Attribute) -> dict[str, Any]:
    part: dict[str, Any] = {"name": attribute.name, "kind": attribute.kind}
    if attribute.is_nominal:
        part["values"] = list(attribute.values)
    if attribute.date_format is not None:
        part["date_format"] = attribute.date_format
    return part


def _node(model: NamedTree, node: int) -> dict[str, Any]:
    part: dict[str, Any]
    if model.tree.is_leaf(node):
        part = {"class": model.label(node)}
    else:
        part = {"attribute": model.attribute(node).name}
        if model.attribute(node).is_nominal:
            part["category"] = model.category(node)
        else:
            part["threshold"] = model.threshold(node)
        part |= {"yes": model.tree.left(node), "no": model.tree.right(node)}
    if model.counts is not None:
        part["counts"] = model.counts[node].tolist()
    return part


def from_json(text: str, where: str) -> dict[str, Any]:
    """Return the fields of the NamedTree that was written, or raise a DataError that names the damage."""
    refuse_above(MOST_TREE_FILE_CHARACTERS, len(text), "characters", where)
    try:
        written = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not a tree file, since it is no JSON: {error}") from None
    if "\\ud" in text.lower():  # escapes of surrogates: only pairs of them stand for a character
        try:
            json.dumps(written, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise DataError(f"{where}: damaged: text with half of a surrogate pair") from None
    if not isinstance(written, dict) or written.get("format") != FORMAT:
        raise DataError(f'{where}: not a tree file; one begins with "format": "{FORMAT}"')
    version = written.get("version")
    if isinstance(version, int) and version > VERSION:
        raise DataError(
            f"{where}: written in version {version} of the format, this gatree reads {VERSION}; update gatree"
        )
    try:
        file = _File.model_validate(written)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise DataError(f"{where}: damaged at {place}: {first['msg']}, got {first['input']!r}") from None
    refuse_above(MOST_NODES, len(file.nodes), "nodes", where)
    refuse_above(MOST_CLASSES, len(file.target.values), "classes", where)
    return _Reading(file, where).fields()


class _Reading:
    """Turns a file of the right form into a tree, checking what the form cannot."""

    def __init__(self, file: _File, where: str) -> None:
        self.file, self.where = file, where
        self.attributes = tuple(
            Attribute(part.name, part.kind, tuple(part.values), part.date_format) for part in file.attributes
        )
        self.index = {attribute.name: index for index, attribute in enumerate(self.attributes)}
        if len(self.index) < len(self.attributes):
            raise self.damaged("attributes", "two attributes have the same name")
        for place, values in [
            ("class", file.target.values),
            *((f"attributes.{i}", part.values) for i, part in enumerate(file.attributes)),
        ]:
            if len(set(values)) < len(values):
                raise self.damaged(place, "a value is listed twice")

    def damaged(self, place: str, what: str) -> DataError:
        return DataError(f"{self.where}: damaged at {place}: {what}")

    def fields(self) -> dict[str, Any]:
        thresholds = self.thresholds()
        nodes = [
            self.test(number, node, thresholds) if node.label is None else self.leaf(number, node)
            for number, node in enumerate(self.file.nodes)
        ]
        attribute, value = (np.array(part, dtype=np.int32) for part in zip(*nodes, strict=True))
        return {
            "tree": self.tree(attribute, value),
            "attributes": self.attributes,
            "class_attribute": Attribute(self.file.target.name, "nominal", tuple(self.file.target.values)),
            "coding": Coding.of(self.attributes, thresholds),
            "counts": self.counts(),
        }

    def thresholds(self) -> list[NDArray[np.float64]]:
        used: dict[str | None, set[float]] = {}
        for node in self.file.nodes:
            if node.threshold is not None:
                used.setdefault(node.attribute, set()).add(node.threshold)
        return [np.array(sorted(used.get(attribute.name, ()))) for attribute in self.attributes]

    def test(self, number: int, node: _Node, thresholds: list[NDArray[np.float64]]) -> tuple[int, int]:
        place = f"nodes.{number}"
        if node.attribute is None or node.attribute not in self.index:
            raise self.damaged(place, f"neither a class nor a known attribute, got {node.attribute!r}")
        index = self.index[node.attribute]
        attribute = self.attributes[index]
        if attribute.is_nominal and node.threshold is None and node.category in attribute.values:
            return index, attribute.values.index(node.category)
        if not attribute.is_nominal and node.category is None and node.threshold is not None:
            return index, int(np.searchsorted(thresholds[index], node.threshold))
        wanted = "one of its categories" if attribute.is_nominal else "a threshold"
        raise self.damaged(place, f"a test of {attribute.name!r} needs {wanted}")

    def leaf(self, number: int, node: _Node) -> tuple[int, int]:
        if {node.attribute, node.threshold, node.category, node.yes, node.no} != {None}:
            raise self.damaged(f"nodes.{number}", "a node has a class or a test, not both")
        if node.label not in self.file.target.values:
            raise self.damaged(f"nodes.{number}", f"unknown class {node.label!r}")
        return LEAF, self.file.target.values.index(node.label)

    def tree(self, attribute: NDArray[np.int32], value: NDArray[np.int32]) -> Tree:
        span = spans_of(attribute)
        for number in range(len(attribute) - 1, -1, -1):
            node = self.file.nodes[number]
            if attribute[number] == LEAF:
                continue
            right = number + 1 + span[number + 1] if number + 1 < len(span) else len(span)
            if right >= len(span) or (node.yes, node.no) != (number + 1, right):
                raise self.damaged(f"nodes.{number}", "yes and no do not lead to its two subtrees")
        try:
            return Tree(attribute, value, span)
        except DataError as error:
            raise self.damaged("nodes", str(error)) from None

    def counts(self) -> NDArray[np.int64] | None:
        rows = [node.counts for node in self.file.nodes]
        if rows.count(None) == len(rows):
            return None
        n_classes = len(self.file.target.values)
        for number, row in enumerate(rows):
            if row is None or len(row) != n_classes or not all(0 <= n <= _LARGEST_COUNT for n in row):
                raise self.damaged(f"nodes.{number}", f"counts must be {n_classes} numbers >= 0, got {row}")
        return np.array(rows, dtype=np.int64)
