"""Trees as JSON, to be kept in files and read by other programs.

    {"format":"gatree-tree","version":2,
     "class":{"name":"type","kind":"nominal","values":["mammal","bird"]},
     "attributes":[{"name":"milk","kind":"nominal","values":["false","true"]},
                   {"name":"legs","kind":"numeric"}],
     "nodes":[{"attribute":"legs","threshold":2.5,"yes":1,"no":4,"counts":[41,20]},
              {"attribute":"milk","category":"true","yes":2,"no":3,"counts":[10,20]},
              {"class":"mammal","counts":[10,0]}, ...]}

Nodes are in preorder, the root first. ``yes`` is the node for instances with ``value <= threshold`` or
``value == category``; all others, missing and unknown values among them, go to ``no``. ``counts`` are
the training instances of each class at the node, and may be left out of all nodes together. Numbers
are written so that they read back exactly.

The class of a regression tree is numeric: it has no values, its leaves have a ``value``, and ``counts`` is
the number of training instances. An attribute has a ``date_format`` if it is a date, in milliseconds since
1970, and a ``reading`` if its texts were not plain numbers or categories: see
`gatree.data.attribute.Reading`. The ``spread`` of numbers is their standard deviation in the training data,
in which `DecisionTree.flips` measures changes. A tree of J48's has ``weights`` at its leaves and ``passing``
at its tests, the share of a missing value that goes to ``yes``; the rest goes to ``no``.

Version 1 had no numeric class: a regression tree's classes were numbers as text. It is read, too. A reader
must refuse a higher ``version`` than it knows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.base.limits import MOST_CLASSES, MOST_NODES, MOST_TREE_FILE_CHARACTERS, refuse_above
from gatree.data.attribute import Attribute, Reading
from gatree.data.dates import DateFormat
from gatree.trees.genome import LEAF, spans_of
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import Floats, number
from gatree.trees.shrinkage import FREQUENCIES, Shrinkage
from gatree.trees.spread import SpreadWeights

FORMAT = "gatree-tree"
VERSION = 2
_LARGEST_COUNT = 2**53  # what every reader of JSON reads exactly

Share = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(ge=0)]
Count = Annotated[int, Meta(ge=0, le=_LARGEST_COUNT)]


class _Attribute(Struct, forbid_unknown_fields=True):
    name: str
    kind: Literal["nominal", "numeric"] = "nominal"
    values: list[str] = []
    date_format: str | None = None
    reading: Reading | None = None
    spread: Annotated[float, Meta(gt=0)] | None = None


class _Node(Struct, forbid_unknown_fields=True, omit_defaults=True, rename={"label": "class"}):
    attribute: str | None = None
    threshold: float | None = None
    category: str | None = None
    yes: int | None = None
    no: int | None = None
    label: str | None = None
    value: float | None = None
    counts: list[Count] | None = None
    passing: Share | None = None
    weights: list[Weight] | None = None


class _Shrinkage(Struct, forbid_unknown_fields=True, omit_defaults=True):
    strength: Weight
    class_weight: list[Count] | None = None
    per_sample: Annotated[int, Meta(ge=1, le=_LARGEST_COUNT)] = 1


class _File(Struct, forbid_unknown_fields=True, rename={"target": "class"}):
    format: Literal["gatree-tree"]
    version: Literal[1, 2]
    target: _Attribute
    attributes: list[_Attribute]
    nodes: Annotated[list[_Node], Meta(min_length=1)]
    shrinkage: _Shrinkage | None = None
    evolution: dict[str, object] | None = None  # how it was found, see gatree.evolution.account


def to_json(model: DecisionTree) -> str:
    """Return a tree as JSON, one line per node."""
    nodes = (msgspec.to_builtins(_node(model, node)) for node in range(model.n_nodes))
    body = ",\n".join(f"    {_compact(node)}" for node in nodes)
    head = json_head(model.class_attribute, model.attributes, model.spreads, model.shrinkage)
    return f"{head}{body}\n  ]\n}}\n"


def json_head(
    class_attribute: Attribute,
    attributes: tuple[Attribute, ...],
    spreads: Floats | None,
    shrinkage: Shrinkage = FREQUENCIES,
) -> str:
    """Return what a file has before its nodes."""
    parts = [*map(_attribute, attributes)]
    for part, spread in zip(parts, [] if spreads is None else spreads.tolist(), strict=False):
        if not np.isnan(spread):
            part["spread"] = spread
    head = {
        "format": FORMAT,
        "version": VERSION,
        "class": _attribute(replace(class_attribute, date_format=None, reading=None)),
        "attributes": parts,
    }
    if shrinkage != FREQUENCIES:
        head["shrinkage"] = {name: part for name, part in shrinkage._asdict().items() if part is not None}
    lines = [f'  "{key}": {_compact(part)},' for key, part in head.items()]
    return "\n".join(["{", *lines, '  "nodes": [', ""])


def _compact(part: object) -> str:
    """Return JSON without blanks, as a page writes it, too."""
    if isinstance(part, float):
        return number(part)
    if isinstance(part, dict):
        return "{" + ",".join(f"{_compact(key)}:{_compact(value)}" for key, value in part.items()) + "}"
    if isinstance(part, list):
        return "[" + ",".join(map(_compact, part)) + "]"
    return json.dumps(part, ensure_ascii=False)


def _attribute(attribute: Attribute) -> dict[str, object]:
    part: dict[str, object] = {"name": attribute.name, "kind": attribute.kind}
    if attribute.is_nominal:
        part["values"] = list(attribute.values)
    if attribute.date_format is not None:
        part["date_format"] = attribute.date_format
    if attribute.reading is not None:
        part["reading"] = msgspec.to_builtins(attribute.reading)
    return part


def _node(model: DecisionTree, node: int) -> _Node:
    tree, weights = model.tree, model.weights
    part = _Node()
    if not tree.is_leaf(node):
        part.attribute, part.yes, part.no = model.attribute(node).name, tree.left(node), tree.right(node)
        if model.attribute(node).is_nominal:
            part.category = model.category(node)
        else:
            part.threshold = model.threshold(node)
        part.passing = None if weights is None else float(weights.passing[node])
    else:
        if model.is_regression:
            part.value = model.prediction(node)
        else:
            part.label = model.label(node)
        part.weights = None if weights is None else weights.classes[node].tolist()
    if model.counts is not None:
        part.counts = model.counts[node].tolist()
    elif model.n_rows is not None:
        part.counts = [int(model.n_rows[node])]
    return part


def from_json(text: str, where: str = "tree") -> DecisionTree:
    """Return the tree that was written, or raise a DataError that names the damage in ``where``."""
    refuse_above(MOST_TREE_FILE_CHARACTERS, len(text), "characters", where)
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        if "surrogate" in str(error):
            raise DataError(f"{where}: damaged: text with half of a surrogate pair") from None
        raise DataError(f"{where}: not a tree file, since it is no JSON: {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise DataError(f'{where}: not a tree file; one begins with "format": "{FORMAT}"')
    version = found.get("version")
    if isinstance(version, int) and version > VERSION:
        raise DataError(
            f"{where}: written in version {version} of the format, this gatree reads up to {VERSION}; "
            "update gatree"
        )
    try:
        file = msgspec.convert(found, type=_File)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        steps = re.findall(r"[^.\[\]`]+", place.replace("[...]", ""))
        raise DataError(f"{where}: damaged at {'.'.join(steps) or 'the top'}: {what}") from None
    refuse_above(MOST_NODES, len(file.nodes), "nodes", where)
    refuse_above(MOST_CLASSES, len(file.target.values), "classes", where)
    return _Reader(file, where).tree()


class _Reader:
    """Turns a file of the right form into a tree, checking what the form cannot."""

    def __init__(self, file: _File, where: str) -> None:
        self.file, self.where = file, where
        self.attributes = tuple(map(self.attribute, range(len(file.attributes)), file.attributes))
        self.index = {attribute.name: index for index, attribute in enumerate(self.attributes)}
        if len(self.index) < len(self.attributes):
            raise self.damaged("attributes", "two attributes have the same name")
        self.classes, self.is_regression = file.target.values, file.target.kind == "numeric"
        if self.is_regression:
            numbers = {node.value for node in file.nodes if node.value is not None}
            self.classes = [number(value) for value in sorted(numbers)]
        elif file.version == 1 and all(node.counts is None for node in file.nodes):
            with suppress(ValueError):  # it seems to hold a regression tree: numbers, and no counts
                self.is_regression = [*map(float, self.classes)] != []
        if not self.classes:
            raise self.damaged("class.values", "there is no class")
        self.place_of = {label: place for place, label in enumerate(self.classes)}
        self.check_values("class", self.classes)

    def attribute(self, place: int, part: _Attribute) -> Attribute:
        self.check_values(f"attributes.{place}", part.values)
        if part.date_format is not None:
            try:
                DateFormat.compile(part.date_format)
            except ValueError as error:
                raise self.damaged(f"attributes.{place}.date_format", str(error)) from None
        return Attribute(part.name, part.kind, tuple(part.values), part.date_format, reading=part.reading)

    def check_values(self, place: str, values: list[str]) -> None:
        if len(set(values)) < len(values):
            raise self.damaged(place, "a value is listed twice")

    def damaged(self, place: str, what: str) -> DataError:
        return DataError(f"{self.where}: damaged at {place}: {what}")

    def tree(self) -> DecisionTree:
        nodes = [
            self.leaf(place, node) if node.attribute is None else self.test(place, node)
            for place, node in enumerate(self.file.nodes)
        ]
        attribute, value = zip(*nodes, strict=True)
        span = spans_of(attribute)
        for place, node in reversed([*enumerate(self.file.nodes)]):
            right = place + 1 + span[place + 1] if place + 1 < len(span) else len(span)
            is_whole = right < len(span) and (node.yes, node.no) == (place + 1, right)
            if node.attribute is not None and not is_whole:
                raise self.damaged(f"nodes.{place}", "yes and no do not lead to its two subtrees")
        kind: Literal["nominal", "numeric"] = "numeric" if self.is_regression else "nominal"
        target = Attribute(self.file.target.name, kind, tuple(self.classes))
        spreads = [np.nan if each.spread is None else each.spread for each in self.file.attributes]
        known = {
            "counts": self.counts(),
            "weights": self.weights(),
            "spreads": np.array(spreads),
            "shrinkage": self.shrinkage(),
        }
        try:
            return DecisionTree.of_nodes(attribute, value, self.attributes, target, **known)
        except DataError as error:
            raise self.damaged("nodes", str(error)) from None

    def test(self, place: int, node: _Node) -> tuple[int, float]:
        if node.label is not None or node.value is not None:
            raise self.damaged(f"nodes.{place}", "a node has a class or a test, not both")
        if node.attribute not in self.index:
            raise self.damaged(f"nodes.{place}", f"unknown attribute {node.attribute!r}")
        index = self.index[node.attribute]
        attribute = self.attributes[index]
        if attribute.is_nominal and node.threshold is None and node.category in attribute.values:
            return index, attribute.values.index(node.category)
        if not attribute.is_nominal and node.category is None and node.threshold is not None:
            return index, node.threshold
        wanted = "one of its categories" if attribute.is_nominal else "a threshold"
        raise self.damaged(f"nodes.{place}", f"a test of {attribute.name!r} needs {wanted}")

    def leaf(self, place: int, node: _Node) -> tuple[int, float]:
        if {node.threshold, node.category, node.yes, node.no} != {None}:
            raise self.damaged(f"nodes.{place}", "a test without an attribute")
        label = node.label if node.value is None else number(node.value)
        if label not in self.place_of:
            raise self.damaged(f"nodes.{place}", f"unknown class {label!r}")
        return LEAF, self.place_of[label]

    def counts(self) -> NDArray[np.int64] | None:
        rows = [node.counts for node in self.file.nodes]
        if rows.count(None) == len(rows):
            return None
        width = 1 if self.is_regression else len(self.classes)
        return np.array([self.row(place, row, width) for place, row in enumerate(rows)], dtype=np.int64)

    def shrinkage(self) -> Shrinkage:
        found = self.file.shrinkage
        if found is None:
            return FREQUENCIES
        weight = None if found.class_weight is None else tuple(found.class_weight)
        if weight is not None and len(weight) != len(self.classes):
            raise self.damaged("shrinkage.class_weight", f"there must be {len(self.classes)} weights")
        if weight is not None and not any(weight):
            raise self.damaged("shrinkage.class_weight", "all weights are zero")
        return Shrinkage(found.strength, weight, found.per_sample)

    def weights(self) -> SpreadWeights | None:
        rows = [node.weights for node in self.file.nodes]
        if rows.count(None) == len(rows):
            return None
        width = len(self.classes)
        passing, classes = np.zeros(len(rows)), np.zeros((len(rows), width))
        for place, node in enumerate(self.file.nodes):
            if node.attribute is None:
                classes[place] = self.row(place, node.weights, width)
            elif node.passing is None:
                raise self.damaged(f"nodes.{place}", "the share of missing values that pass is not there")
            else:
                passing[place] = node.passing
        return SpreadWeights(passing, classes)

    def row(self, place: int, row: Sequence[float] | None, width: int) -> Sequence[float]:
        if row is None or len(row) != width:
            raise self.damaged(f"nodes.{place}", f"there must be {width} counts or weights, got {row}")
        return row
