"""Prepare a data set for the search: ordered by names and coded, each distinct row once.

Classes and text values are sorted by name, so that their order in the data does not affect a fit. Large data
are thinned out: to fewer thresholds, and to a sample of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, there_are
from gatree.base.limits import MOST_TESTS
from gatree.data.answer import Classes, Numbers
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.coding import CodedData, Codes, Coding, code
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal, SampleWeights
from gatree.smalltree.copies import are_copies
from gatree.smalltree.draft import NO_TREES, Draft
from gatree.smalltree.settings import SearchSettings
from gatree.smalltree.task import (
    DEEPEST,
    Directions,
    DistinctRows,
    Floats,
    Longs,
    Scale,
    TreeLimits,
    integers,
    worth_of_costs,
    worth_within,
)
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree
from gatree.trees.recode import recoded


class Demands(NamedTuple):
    """Further requirements of the trees of a front."""

    directions: Directions | None = None  # [attribute]: 1 if the class may only rise with it, -1 only fall
    initial: Sequence[DecisionTree] = ()  # trees to start with


class Samples(NamedTuple):
    """What a fold holds out as a whole."""

    row: NDArray[np.intp]  # [sample]: its row
    weight: Longs  # [sample]

    @property
    def n_effective(self) -> float:
        """The number of samples of equal weight with the same standard error (Kish, 1965)."""
        weight = self.weight.astype(np.float64)
        return float(weight.sum() ** 2 / (weight**2).sum())


@dataclass(frozen=True, eq=False)
class Prepared:
    """A data set to search, and what leads from the trees found back to it."""

    given: Dataset
    names: InOrder
    coding: Coding
    codes: Codes  # of all instances
    goal: Goal
    row_of: NDArray[np.intp]  # [instance]: its distinct row
    rows: DistinctRows
    samples: Samples
    notes: Note  # on what is left out of the search

    @property
    def numbers(self) -> Floats | None:
        """[instance]: the number to predict; None for classes."""
        return self.given.answer.values if isinstance(self.given.answer, Numbers) else None

    def with_first(self, position: int) -> Prepared:
        """Return the same data to be searched for trees whose root tests the attribute at a position."""
        first = int(np.argsort(self.rows.order)[position])
        return replace(self, rows=replace(self.rows, limits=self.rows.limits._replace(first=first)))

    def drafts(self, trees: Sequence[DecisionTree]) -> Draft:
        """Return trees, one after the other, in the codes of the search."""
        coded = [recoded(tree, self.coding, self.names.dataset) for tree in trees]
        if not coded:
            return NO_TREES
        attribute, value, span = (
            np.concatenate(part)
            for part in zip(*((t.attribute, t.value, t.span) for t in coded), strict=True)
        )
        place = np.append(np.argsort(self.rows.order), LEAF)  # LEAF is -1: the last entry
        return Draft(*(part.astype(np.int32) for part in (place[attribute], value, span)))


def known(dataset: Dataset, goal: Goal) -> tuple[Dataset, Goal]:
    """Return the instances that have a class or number and count, and their goal."""
    kept = np.flatnonzero(dataset.answer.known & (goal.sample_weights.counts > 0))
    if len(kept) == 0:
        what = "a number" if isinstance(dataset.answer, Numbers) else "a class"
        raise DataError(f"{dataset.name}: there is no instance with {what} to learn from")
    if len(kept) == dataset.n_instances:
        return dataset, goal
    return dataset.take(kept), goal.taken(kept)


def prepare(
    given: Dataset,
    settings: SearchSettings,
    goal: Goal,
    demands: Demands | None = None,
) -> Prepared:
    """Return a data set ready to be searched."""
    demands = demands or Demands()
    answer = given.answer
    names = _of_numbers(given) if isinstance(answer, Numbers) else in_order_of_names(given)
    dataset, counts = names.dataset, goal.sample_weights.counts
    thresholds, notes = few_thresholds(dataset, settings.max_thresholds)
    coding = code(dataset, settings.numeric_tests, thresholds)
    codes = coding.encode(dataset.columns, dataset.n_instances)
    numbers = integers(answer.values, counts) if isinstance(answer, Numbers) else None
    classes = dataset.answer.strata
    row_of, kept = distinct_rows(codes, classes, numbers)
    are_units = goal.sample_weights.per_sample == 1
    together = numbers is not None or (are_units and are_copies(dataset, counts))
    worth = worth_within(goal.class_weights[names.classes], classes, counts)
    gain = np.zeros((0, 0), dtype=np.int64)
    if goal.gains is not None:
        gain = goal.gains[names.classes][:, names.classes]
        worth = worth_of_costs(gain)
    order = fewest_tests_first(np.flatnonzero(coding.n_tests >= 0), coding.n_tests, settings.seed)
    rows = DistinctRows(
        cases=CodedData(
            codes=np.ascontiguousarray(codes[order][:, kept], dtype=np.int32),
            classes=classes[kept],
            n_tests=coding.n_tests[order].astype(np.int32),
            is_numeric=coding.is_numeric[order],
            order=np.zeros((len(order), 0), dtype=np.int32),
            n_classes=len(worth),
        ),
        weight=np.bincount(row_of, weights=counts).astype(np.int64),
        scale=scale_of(dataset, order, coding, codes),
        order=order,
        limits=_limits(settings, names, coding, order, goal.sample_weights, demands.directions),
        worth=worth,
        gain=np.ascontiguousarray(gain),
        target=None if numbers is None else numbers[kept],
        per_sample=goal.sample_weights.per_sample,
    )
    samples = samples_in(row_of, counts, together, are_units)
    return Prepared(given, names, coding, codes, goal, row_of, rows, samples, notes)


def _of_numbers(dataset: Dataset) -> InOrder:
    """Return a data set with numbers, its values in their order."""
    values = tuple(np.arange(len(attribute.values)) for attribute in dataset.attributes)
    return InOrder(dataset, np.zeros(1, dtype=np.intp), values)


def _limits(
    settings: SearchSettings,
    names: InOrder,
    coding: Coding,
    order: NDArray[np.intp],
    weights: SampleWeights,
    directions: Directions | None,
) -> TreeLimits:
    first, in_order = LEAF, np.zeros(0, dtype=np.int8)
    if settings.first is not None:
        first = int(np.argsort(order)[_position_of_first(settings.first, names.dataset, coding.n_tests)])
    if directions is not None and directions.any():
        in_order = (directions[order] * (1 if names.classes[0] == 0 else -1)).astype(np.int8)
    return TreeLimits(
        max_depth=min(DEEPEST, settings.max_depth or DEEPEST),
        min_leaf=weights.of_samples(settings.min_leaves[0]),
        min_split=max(2, weights.of_samples(settings.min_split) if settings.min_split > 2 else 2),
        directions=in_order,
        first=first,
    )


def _position_of_first(name: str, dataset: Dataset, n_tests: NDArray[np.integer]) -> int:
    """Return the position of the attribute that the root is to test."""
    names = [attribute.name for attribute in dataset.attributes]
    if name not in names:
        raise DataError(f"{dataset.name}: no attribute {name!r} to test first{there_are(names)}")
    column = dataset.columns[names.index(name)]
    if n_tests[names.index(name)] == 0 or (column == column[:1]).all():
        raise DataError(f"{dataset.name}: {name!r} has a single value, so the root cannot test it")
    return names.index(name)


def scale_of(dataset: Dataset, order: NDArray[np.intp], coding: Coding, codes: NDArray[np.integer]) -> Scale:
    """Return the values behind the codes of a data set; the attributes are put in another order."""
    is_date = np.array([dataset.attributes[attribute].date_format is not None for attribute in order])
    first = np.concatenate(([0], np.cumsum(coding.n_tests[order].astype(np.int64) + 1)))
    smallest = np.full(int(first[-1]), np.inf)
    largest = np.full(int(first[-1]), -np.inf)
    for attribute in np.flatnonzero(coding.is_numeric[order]).tolist():
        column = dataset.columns[order[attribute]]
        known = ~np.isnan(column)
        at = first[attribute] + codes[order[attribute]][known]
        np.minimum.at(smallest, at, column[known])
        np.maximum.at(largest, at, column[known])
        own = slice(first[attribute], first[attribute + 1])
        smallest[own] = np.minimum.accumulate(smallest[own][::-1])[::-1]
    return Scale(first, smallest, largest, is_date.astype(np.bool_))


def fewest_tests_first(
    attributes: NDArray[np.intp], n_tests: NDArray[np.integer], seed: int
) -> NDArray[np.intp]:
    """Return attributes in the order in which the first of equally good tests is taken.

    A test of an attribute with fewer tests is less likely to be as good by chance. Attributes with the same
    number of tests are shuffled.
    """
    shuffled = np.random.default_rng(seed).permutation(attributes)
    return shuffled[np.argsort(n_tests[shuffled], kind="stable")]


Order = NDArray[np.intp]  # [new position]: old position


class InOrder(NamedTuple):
    """A data set sorted by names, and the old positions of the names."""

    dataset: Dataset
    classes: Order
    values: tuple[Order, ...]  # [attribute]: the order of its values


def in_order_of_names(dataset: Dataset) -> InOrder:
    """Return a data set with sorted classes and text values; declared values keep their order."""
    values = tuple(map(_order_of_values, dataset.attributes))
    classes = _order(dataset.class_values)
    ordered = replace(
        dataset,
        attributes=tuple(map(_renamed, dataset.attributes, values)),
        columns=tuple(map(_recoded, dataset.columns, values)),
        answer=Classes(
            _renamed(dataset.class_attribute, classes),
            _recoded(dataset.classes, classes).astype(np.int32),
        ),
    )
    return InOrder(ordered, classes, values)


def _order_of_values(attribute: Attribute) -> Order:
    if attribute.by_appearance:
        return np.array(sorted(range(len(attribute.values)), key=attribute.values.__getitem__), dtype=np.intp)
    return np.arange(len(attribute.values))


def _order(names: Sequence[str]) -> Order:
    """Return the order of classes as in scikit-learn: numbers by value, others as text."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        numbers = []
    are_numbers = len(numbers) > 0 and bool(np.isfinite(numbers).all())
    keys = list(zip(numbers if are_numbers else [0.0] * len(names), names, strict=True))
    return np.array(sorted(range(len(names)), key=keys.__getitem__), dtype=np.intp)


def _renamed(attribute: Attribute, order: Order) -> Attribute:
    return replace(attribute, values=tuple(attribute.values[index] for index in order))


def _recoded(column: Column, order: Order) -> Column:
    if column.dtype.kind == "f" or not np.any(np.diff(order) < 0):
        return column
    place = np.full(len(order) + 1, MISSING, dtype=np.int32)  # MISSING is -1: the last entry
    place[order] = np.arange(len(order), dtype=np.int32)
    return place[column.astype(np.int64)]


_MANY_ROWS = 2**16  # above this number of rows, thresholds are thinned out
_MOST_THRESHOLDS = 2**12 - 1
_MOST_ROWS = 2**17  # that are searched

Note = tuple[str, ...]


def few_thresholds(dataset: Dataset, given: int | None) -> tuple[int | None, Note]:
    """Return the maximum number of thresholds of an attribute, and a line if it was not given."""
    n_rows, n_numbers = dataset.n_instances, sum(not attribute.is_nominal for attribute in dataset.attributes)
    fits = n_rows <= _MANY_ROWS and n_rows * n_numbers <= MOST_TESTS
    if given is not None or fits or n_numbers == 0:
        return given, ()
    most = max(1, min(_MOST_THRESHOLDS, MOST_TESTS // n_numbers))
    line = (
        f"{n_rows:,} rows: at most {most:,} thresholds per attribute are tried, "
        "evenly over the rows; max_thresholds sets another number"
    )
    return most, (line,)


def distinct_rows(codes: Any, classes: NDArray[np.int32], numbers: Longs | None) -> tuple[Any, Any]:
    """Return the distinct row of every instance, and an instance of every row.

    Rows are sorted, so they do not depend on the order of the instances.
    """
    last = classes if numbers is None else numbers
    columns = (*map(narrow, codes), last)
    order = np.lexsort(columns)
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    row_of = np.empty(len(order), dtype=np.intp)
    row_of[order] = np.cumsum(is_new) - 1
    return row_of, order[is_new]


def narrow(codes: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return codes in 16 bits if they fit, which are sorted much faster."""
    return codes.astype(np.uint16) if codes.max(initial=0) < 2**16 else codes


def samples_in(row_of: NDArray[np.intp], counts: Longs, together: bool, are_units: bool) -> Samples:
    """Return the samples of rows: a row, or every instance, or every unit of an instance's count."""
    if together:
        weight = np.bincount(row_of, weights=counts).astype(np.int64)
        return Samples(np.arange(len(weight)), weight)
    if are_units:
        row, weight = np.repeat(row_of, counts), np.ones(int(counts.sum()), dtype=np.int64)
    else:
        row, weight = row_of, counts
    order = np.lexsort((weight, row))
    return Samples(row[order], weight[order])


def sampled(rows: DistinctRows, samples: Samples, seed: int) -> tuple[DistinctRows, Samples, Note]:
    """Return the rows to search, sorted by every attribute, and a line if they are only a sample."""
    n, note = len(rows.weight), Note()
    if n > _MOST_ROWS:
        is_in = np.zeros(n, dtype=np.bool_)
        is_in[np.random.default_rng(seed).permutation(n)[:_MOST_ROWS]] = True
        place, kept = np.cumsum(is_in) - 1, is_in[samples.row]
        samples = Samples(place[samples.row[kept]], samples.weight[kept])
        rows = rows.with_weights(np.where(is_in, rows.weight, 0))
        line = (
            f"{n:,} different rows: a sample of {_MOST_ROWS:,} is searched; the tree found is then improved "
            "and counted on all"
        )
        note = (line,)
    codes = rows.cases.codes
    order = np.empty(codes.shape, dtype=np.int32)
    for attribute, column in enumerate(codes):
        order[attribute] = np.argsort(narrow(column), kind="stable")
    return replace(rows, cases=rows.cases._replace(order=order)), samples, note
