"""The smallest changes of one row that change its prediction.

Every leaf is looked at: what it demands of each attribute follows from its path. Changes of fewer attributes
come first, then those that go less far. A number's change counts in standard deviations of its attribute;
another category, or a value in place of a missing one, counts as one. No change makes a value missing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gatree.base.errors import ConfigError, DataError, did_you_mean, there_are, visible
from gatree.data.answer import label as class_label
from gatree.data.attribute import MISSING, Attribute
from gatree.trees.align import positions
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import short
from gatree.trees.render import comparable, is_missing, number_text
from gatree.trees.simplify import undecided


class Change(NamedTuple):
    """What must hold of an attribute, and the nearest value of which it holds."""

    attribute: str
    test: str
    value: float | str


@dataclass(frozen=True)
class Flip:
    """Changes of a row that lead to another leaf, and what that predicts."""

    changes: tuple[Change, ...]
    prediction: str | float
    distance: float  # of all changes, in units of their attributes
    leaf: int

    def __str__(self) -> str:
        prediction = (
            visible(self.prediction) if isinstance(self.prediction, str) else short(self.prediction, 6)
        )
        return f"{' and '.join(each.test for each in self.changes)}: {prediction}"


@dataclass(frozen=True)
class _Numbers:
    """A leaf demands a number above ``low`` and at most ``high``."""

    index: int
    allows_missing: bool  # then there is no ``high``
    low: float
    high: float

    def can_hold(self) -> bool:
        return True

    def holds(self, cell: float) -> bool:
        return self.allows_missing if math.isnan(cell) else self.low < cell <= self.high

    def nearest(self, cell: float) -> float:
        return math.nextafter(self.low, math.inf) if cell <= self.low else self.high

    def test(self, attribute: Attribute) -> str:
        name = visible(attribute.name)
        low, high = (number_text(attribute, end) for end in (self.low, self.high))
        if math.isinf(self.high):
            return f"{name} > {low}"
        return f"{name} <= {high}" if math.isinf(self.low) else f"{low} < {name} <= {high}"


@dataclass(frozen=True)
class _Categories:
    """A leaf demands one of these categories."""

    index: int
    allows_missing: bool
    categories: tuple[int, ...]

    def can_hold(self) -> bool:
        return bool(self.categories)

    def holds(self, cell: float) -> bool:
        return self.allows_missing if cell == MISSING else cell in self.categories

    def nearest(self, _cell: float) -> int:
        return self.categories[0]

    def test(self, attribute: Attribute) -> str:
        values = attribute.values
        others = [value for index, value in enumerate(values) if index not in self.categories]
        if len(self.categories) <= len(others):
            return visible(f"{attribute.name} = {' or '.join(values[index] for index in self.categories)}")
        return visible(f"{attribute.name} != {', '.join(others)}")


Demand = _Numbers | _Categories


def flips(model: DecisionTree, row: Mapping[str, object], fixed: Collection[str] = ()) -> list[Flip]:
    """Return the smallest changes of a row that change its prediction, the smallest first.

    For every other class there is one, if it can be reached; of a regression tree, one for a higher and one
    for a lower number.

    Parameters
    ----------
    model : DecisionTree
    row : mapping
        Values by the names of the attributes, as in `explain`.
    fixed : collection of str
        Attributes that must not change.
    """
    tested = set(model.tree.attribute.tolist())
    cells = [
        _cell(attribute, row.get(attribute.name) if index in tested else None)
        for index, attribute in enumerate(model.attributes)
    ]
    return Flips(model, fixed).of(cells)


def _cell(attribute: Attribute, value: Any) -> float:
    """Return a value as a number, or as the index of a category."""
    if attribute.is_nominal:
        return MISSING if is_missing(value) else positions([class_label(value)], attribute)[0]
    return math.nan if is_missing(value) else comparable(attribute.name, value)


class Flips:
    """The leaves of a tree with what they demand, to find the smallest changes of many rows."""

    def __init__(self, model: DecisionTree, fixed: Collection[str] = ()) -> None:
        if model.weights is not None:
            raise DataError("a tree of J48's sends missing values down both branches, and has no flips")
        names = [attribute.name for attribute in model.attributes]
        for name in fixed:
            if name not in names:
                near = did_you_mean(name, names)
                raise ConfigError(f"fixed: no attribute {name!r}{near}{there_are(names)}")
        self._model, self._fixed = model, {names.index(name) for name in fixed}
        self._leaves = list(_leaves(model))

    def of(self, cells: Sequence[float]) -> list[Flip]:
        """Return the smallest changes of a row, given as numbers and as indices of categories."""
        ways = [
            (leaf, [each for each in demands if not each.holds(cells[each.index])])
            for leaf, demands in self._leaves
        ]
        here = next(leaf for leaf, changed in ways if not changed)
        nearest: dict[Any, Flip] = {}
        for leaf, changed in ways:
            outcome = self._outcome(leaf, here)
            if outcome is None or any(each.index in self._fixed or not each.can_hold() for each in changed):
                continue
            flip = self._flip(leaf, changed, cells)
            if outcome not in nearest or _size(flip) < _size(nearest[outcome]):
                nearest[outcome] = flip
        return sorted(nearest.values(), key=_size)

    def _outcome(self, leaf: int, here: int) -> Any:
        """Return the class of a leaf, or whether its number is higher; None if it is the row's."""
        there, now = (self._prediction(node) for node in (leaf, here))
        if there == now:
            return None
        return there > now if isinstance(there, float) and isinstance(now, float) else there

    def _prediction(self, leaf: int) -> str | float:
        return self._model.prediction(leaf) if self._model.is_regression else self._model.label(leaf)

    def _flip(self, leaf: int, changed: list[Demand], cells: Sequence[float]) -> Flip:
        changes, distance = [], 0.0
        for each in changed:
            attribute, cell = self._model.attributes[each.index], cells[each.index]
            value = each.nearest(cell)
            if attribute.is_nominal:
                changes.append(Change(attribute.name, each.test(attribute), attribute.values[int(value)]))
            else:
                changes.append(Change(attribute.name, each.test(attribute), value))
            is_far = attribute.is_nominal or math.isnan(cell)
            distance += 1.0 if is_far else abs(value - cell) / self._unit(each.index)
        return Flip(tuple(changes), self._prediction(leaf), distance, leaf)

    def _unit(self, index: int) -> float:
        spread = math.nan if self._model.spreads is None else float(self._model.spreads[index])
        return 1.0 if math.isnan(spread) else spread


def _size(flip: Flip) -> tuple[int, float, int]:
    return len(flip.changes), flip.distance, flip.leaf


def _leaves(model: DecisionTree) -> Iterator[tuple[int, list[Demand]]]:
    """Yield every leaf that some row can reach, with its demands."""
    for _, leaf, path in undecided(model.tree, model.coding.is_numeric):
        if not model.tree.is_leaf(leaf):
            continue
        demands: list[Demand] = []
        for index in path.known:
            passed, failed = path.passed.get(index), path.failed.get(index, [])
            thresholds, attribute = model.coding.thresholds[index], model.attributes[index]
            if attribute.is_nominal:
                left = {*range(len(attribute.values))}.difference(failed) if passed is None else {passed}
                demands.append(_Categories(index, passed is None, tuple(sorted(left))))
            else:
                low = float(thresholds[failed[-1]]) if failed else -math.inf
                high = math.inf if passed is None else float(thresholds[passed])
                demands.append(_Numbers(index, passed is None, low, high))
        yield leaf, demands
