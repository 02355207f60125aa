"""Prepare a data set for the search: ordered by names and coded, each distinct row once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, there_are
from gatree.data.cases import Cases
from gatree.data.coding import Codes, Coding, code
from gatree.data.dataset import Dataset
from gatree.smalltree.choose import NO_TREES, Samples
from gatree.smalltree.copies import are_copies
from gatree.smalltree.draft import Draft
from gatree.smalltree.gaps import scale_of
from gatree.smalltree.names import InOrder, in_order_of_names
from gatree.smalltree.rows import Note, distinct_rows, few_thresholds, samples_in
from gatree.smalltree.settings import SearchSettings
from gatree.smalltree.task import (
    DEEPEST,
    Directions,
    DistinctRows,
    Floats,
    Gains,
    Longs,
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

    gain: Gains | None = None  # [class, label]: the gain from giving a label to an instance of a class
    directions: Directions | None = None  # [attribute]: 1 if the class may only rise with it, -1 only fall
    initial: Sequence[DecisionTree] = ()  # trees to start with


class Weights(NamedTuple):
    """How often every instance counts."""

    counts: Longs
    per_sample: int = 1  # what a weight of one counts; more than one for fractional weights

    def of_samples(self, n: int) -> int:
        """Return what a minimum number of samples counts; a minimum of one allows any sample."""
        return n * self.per_sample if n > 1 else 1


@dataclass(frozen=True, eq=False)
class Prepared:
    """A data set to search, and what leads from the trees found back to it."""

    given: Dataset
    names: InOrder
    coding: Coding
    codes: Codes  # of all instances
    weights: Weights
    row_of: NDArray[np.intp]  # [instance]: its distinct row
    rows: DistinctRows
    samples: Samples
    target: Floats | None  # [instance]: the number to predict; None for classes
    notes: Note  # on what is left out of the search

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
        return np.stack([place[attribute], value, span]).astype(np.int32)


def known(
    dataset: Dataset, target: Floats | None, weights: Weights | None
) -> tuple[Dataset, Weights, NDArray[np.intp]]:
    """Return the instances that have a class or number and count, their weights and their positions."""
    counts = np.ones(dataset.n_instances, dtype=np.int64) if weights is None else weights.counts
    is_known = dataset.classes >= 0 if target is None else ~np.isnan(target)
    kept = np.flatnonzero(is_known & (counts > 0))
    if len(kept) == 0:
        what = "a class" if target is None else "a number"
        raise DataError(f"{dataset.name}: there is no instance with {what} to learn from")
    per_sample = 1 if weights is None else weights.per_sample
    given = dataset if len(kept) == dataset.n_instances else dataset.take(kept)
    return given, Weights(counts[kept], per_sample), kept


def prepare(
    given: Dataset,
    settings: SearchSettings,
    weights: Weights,
    worth: Longs | None = None,
    demands: Demands | None = None,
    target: Floats | None = None,
) -> Prepared:
    """Return a data set ready to be searched; with a target, its classes are ignored."""
    demands = demands or Demands()
    names = in_order_of_names(given) if target is None else _without_classes(given)
    worth = np.ones(len(names.classes), dtype=np.int64) if worth is None else worth[names.classes]
    dataset, counts = names.dataset, weights.counts
    thresholds, notes = few_thresholds(dataset, settings.max_thresholds)
    coding = code(dataset, settings.numeric_tests, thresholds)
    codes = coding.encode(dataset.columns, dataset.n_instances)
    numbers = None if target is None else integers(target, counts)
    classes = dataset.classes.astype(np.int32)
    row_of, kept = distinct_rows(codes, classes, numbers)
    are_units = weights.per_sample == 1
    together = target is not None or (are_units and are_copies(dataset, counts))
    gain = demands.gain
    gain = np.zeros((0, 0), dtype=np.int64) if gain is None else gain[names.classes][:, names.classes]
    worth = worth_of_costs(gain) if len(gain) else worth_within(worth, classes, counts)
    order = fewest_tests_first(np.flatnonzero(coding.n_tests >= 0), coding.n_tests, settings.seed)
    rows = DistinctRows(
        cases=Cases(
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
        limits=_limits(settings, names, coding, order, weights, demands.directions),
        worth=worth,
        gain=np.ascontiguousarray(gain),
        target=None if numbers is None else numbers[kept],
    )
    samples = samples_in(row_of, counts, together, are_units)
    return Prepared(given, names, coding, codes, weights, row_of, rows, samples, target, notes)


def _without_classes(dataset: Dataset) -> InOrder:
    """Return a data set without classes, its values in their order."""
    class_free = replace(dataset, classes=np.zeros(dataset.n_instances, dtype=np.int32))
    values = tuple(np.arange(len(attribute.values)) for attribute in dataset.attributes)
    return InOrder(class_free, np.zeros(1, dtype=np.intp), values)


def _limits(
    settings: SearchSettings,
    names: InOrder,
    coding: Coding,
    order: NDArray[np.intp],
    weights: Weights,
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


def fewest_tests_first(
    attributes: NDArray[np.intp], n_tests: NDArray[np.integer], seed: int
) -> NDArray[np.intp]:
    """Return attributes in the order in which the first of equally good tests is taken.

    A test of an attribute with fewer tests is less likely to be as good by chance. Attributes with the same
    number of tests are shuffled.
    """
    shuffled = np.random.default_rng(seed).permutation(attributes)
    return shuffled[np.argsort(n_tests[shuffled], kind="stable")]
