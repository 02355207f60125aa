"""Learn a tree of the size that the data support: search the fronts, choose the size, return the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, there_are
from gatree.data.cases import Cases
from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.front.archive import Archive, coded_tree
from gatree.front.choose import (
    FRONTS,
    NO_TREES,
    Choice,
    Effort,
    OnSearch,
    Samples,
    choose,
    choose_min_leaf,
    compile_count,
    compile_trial,
    count_all,
    ignore_progress,
    search_all,
)
from gatree.front.copies import are_copies
from gatree.front.draft import Draft
from gatree.front.front import Front, RegressionFront
from gatree.front.gaps import scale_of
from gatree.front.names import InOrder, in_order_of_names
from gatree.front.proof import prove
from gatree.front.rows import distinct_rows, few_thresholds, sampled, samples_in
from gatree.front.settings import FrontSettings
from gatree.front.task import (
    CORRECT_UNIT,
    DEEPEST,
    Directions,
    Floats,
    Gains,
    Limits,
    Longs,
    Rows,
    integers,
    worth_of_costs,
    worth_within,
)
from gatree.trees.genome import LEAF, Tree, leaves
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import node_numbers, shrunken
from gatree.trees.recode import recoded

_PROOFS = 0.2  # the work for proofs, as a share of the maximum work of all searches
_MANY = 1_000  # above this number of instances, all of one class, there is no search


@dataclass(frozen=True)
class FrontFit:
    """The result of a fit: the tree of the chosen size, both fronts, and what was left out of the search."""

    tree: DecisionTree
    fronts: dict[str, Front]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class RegressionFit:
    """The result of a fit: the chosen number of leaves, shrinkage and minimum leaf, and both fronts."""

    n_leaves: int
    shrinkage: float
    min_leaf: int
    fronts: dict[str, RegressionFront]
    notes: tuple[str, ...] = ()


class Demands(NamedTuple):
    """Further requirements of the trees of a front."""

    gain: Gains | None = None  # [class, label]: the gain from giving a label to an instance of a class
    directions: Directions | None = None  # [attribute]: 1 if the class may only rise with it, -1 only fall
    initial: Sequence[DecisionTree] = ()  # trees to start with


class Weights(NamedTuple):
    """How often every instance counts."""

    counts: Longs
    per_sample: int = 1  # what a weight of one counts; more than one for fractional weights


def fit_front(
    dataset: Dataset,
    settings: FrontSettings,
    worth: NDArray[np.int64] | None = None,
    on_search: OnSearch = ignore_progress,
    weights: Weights | None = None,
    demands: Demands | None = None,
) -> FrontFit:
    """Search the fronts of a data set and choose a tree.

    Parameters
    ----------
    dataset : Dataset
        Instances whose class is missing are left out. The order of instances and classes does not matter. The
        order of a nominal attribute's values matters if they are declared, but not if they are text.
    settings : FrontSettings
    worth : ndarray of int64, optional
        The weight of a correct instance of each class.
    on_search : callable, optional
        Called after every search with the number of finished searches and the number of searches.
    weights : Weights, optional
        How often every instance counts.
    demands : Demands, optional
        Costs, directions and initial trees. The cross-validation that chooses the size starts without these
        trees, which may have been trained on instances that it holds out.
    """
    demands, (given, weights) = (
        demands or Demands(),
        _known(dataset, dataset.classes >= 0, weights, "a class"),
    )
    if not given.attributes:
        raise DataError(f"{given.name}: there is only the class; at least one attribute to test is needed")
    is_single = demands.gain is None and given.n_instances > _MANY
    if is_single and given.classes.min() == given.classes.max():
        return _only_class(given, settings, weights)
    names = in_order_of_names(given)
    worth = np.ones(given.n_classes, dtype=np.int64) if worth is None else worth[names.classes]
    fit = _Fit(given, names, settings, weights, worth, demands)
    found = fit.search(on_search)
    fronts = {
        name: fit.front(archive, None if found.choice.errors is None else 1 - found.choice.errors[index])
        for index, (name, archive) in enumerate(zip(FRONTS, found.archives, strict=True))
    }
    # The size was chosen without proofs, so a larger tree that a proof found is not the chosen one.
    tree = fronts["evolved"].tree(found.n_leaves)
    return FrontFit(_counted(tree, given, weights).simplified(), fronts, fit.notes)


def fit_regression(
    dataset: Dataset,
    target: Floats,
    settings: FrontSettings,
    on_search: OnSearch = ignore_progress,
    weights: Weights | None = None,
) -> RegressionFit:
    """Search the fronts of a data set for a numeric target and choose a size.

    Parameters
    ----------
    dataset : Dataset
        Its classes are ignored, and the order of its instances does not matter.
    target : ndarray of float
        The number to predict for every instance; those without one (NaN) are left out.
    settings : RegressionSettings
    on_search, weights
        As in `fit_front`.
    """
    counts = np.ones(len(target), dtype=np.int64) if weights is None else weights.counts
    given, weights = _known(dataset, ~np.isnan(target), weights, "a number")
    target = target[~np.isnan(target) & (counts > 0)]
    fit = _Fit(given, _as_given(given), settings, weights, np.ones(1, dtype=np.int64), Demands(), target)
    found = fit.search(on_search)
    errors = found.choice.errors
    fronts = {
        name: fit.front_of_numbers(archive, found.choice.shrinkage, None if errors is None else errors[index])
        for index, (name, archive) in enumerate(zip(FRONTS, found.archives, strict=True))
    }
    return RegressionFit(found.n_leaves, found.choice.shrinkage, found.min_leaf, fronts, fit.notes)


def _as_given(dataset: Dataset) -> InOrder:
    """Return a data set without classes, its values in their order."""
    class_free = replace(dataset, classes=np.zeros(dataset.n_instances, dtype=np.int32))
    values = tuple(np.arange(len(attribute.values)) for attribute in dataset.attributes)
    return InOrder(class_free, np.zeros(1, dtype=np.intp), values)


def _known(
    dataset: Dataset, is_known: NDArray[np.bool_], weights: Weights | None, what: str
) -> tuple[Dataset, Weights]:
    """Return the instances that have a class or number and count."""
    counts = np.ones(dataset.n_instances, dtype=np.int64) if weights is None else weights.counts
    kept = np.flatnonzero(is_known & (counts > 0))
    if len(kept) == 0:
        raise DataError(f"{dataset.name}: there is no instance with {what} to learn from")
    per_sample = 1 if weights is None else weights.per_sample
    return dataset if len(kept) == dataset.n_instances else dataset.take(kept), Weights(
        counts[kept], per_sample
    )


def _counted(tree: DecisionTree, dataset: Dataset, weights: Weights) -> DecisionTree:
    """Return a tree with the class counts of weighted instances."""
    if (weights.counts == 1).all():
        return tree.with_counts(dataset)
    repeated = np.repeat(np.arange(dataset.n_instances), weights.counts)
    return tree.with_counts(dataset.take(repeated))


def _only_class(dataset: Dataset, settings: FrontSettings, weights: Weights) -> FrontFit:
    """Return the result of a search on instances of one class: a single leaf."""
    front = Front(
        leaves=np.ones(1, dtype=np.int64),
        accuracy=np.ones(1),
        validated=np.ones(1) if settings.size == "auto" else None,
        genomes=((Tree.nested(int(dataset.classes[0])), np.full(1, np.inf)),),
        attributes=dataset.attributes,
        class_attribute=dataset.class_attribute,
        proven=np.ones(1, dtype=np.bool_),
    )
    return FrontFit(_counted(front.tree(1), dataset, weights), dict.fromkeys(FRONTS, front))


def position_of(name: str, dataset: Dataset, n_tests: NDArray[np.integer]) -> int:
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


class _Found(NamedTuple):
    """The fronts of all rows, and what was chosen."""

    archives: tuple[Archive, Archive]
    choice: Choice
    n_leaves: int
    min_leaf: int


class _Fit:
    """One data set: ordered and coded, each distinct row once."""

    def __init__(
        self,
        given: Dataset,
        names: InOrder,
        settings: FrontSettings,
        weights: Weights,
        worth: Longs,
        demands: Demands,
        target: Floats | None = None,
    ) -> None:
        dataset, self._names, self._settings, self._given = names.dataset, names, settings, given
        self._per_sample, self._initial, self._target = weights.per_sample, demands.initial, target
        thresholds, self.notes = few_thresholds(dataset, settings.max_thresholds)
        self._coding = code(dataset, settings.numeric_tests, thresholds)
        self._codes = self._coding.encode(dataset.columns, dataset.n_instances)
        n_tests, self._weights = self._coding.n_tests, weights.counts
        order = fewest_tests_first(np.flatnonzero(n_tests >= 0), n_tests, settings.seed)
        numbers = None if target is None else integers(target, weights.counts)
        classes = dataset.classes.astype(np.int32)
        row_of, kept = distinct_rows(self._codes, classes, numbers)
        self._in_order = np.argsort(row_of, kind="stable")
        are_units = weights.per_sample == 1
        together = target is not None or (are_units and are_copies(dataset, weights.counts))
        self._samples = samples_in(row_of, weights.counts, together, are_units)
        gain = demands.gain
        gain = np.zeros((0, 0), dtype=np.int64) if gain is None else gain[names.classes][:, names.classes]
        worth = worth_of_costs(gain) if len(gain) else worth_within(worth, classes, weights.counts)
        codes = np.ascontiguousarray(self._codes[order][:, kept], dtype=np.int32)
        self.rows = Rows(
            cases=Cases(
                codes=codes,
                classes=classes[kept],
                n_tests=n_tests[order].astype(np.int32),
                is_numeric=self._coding.is_numeric[order],
                order=np.zeros((len(codes), 0), dtype=np.int32),
                n_classes=len(worth),
            ),
            weight=np.bincount(row_of, weights=weights.counts).astype(np.int64),
            scale=scale_of(dataset, order, self._coding, self._codes),
            order=order,
            limits=self._limits(demands, order),
            worth=worth,
            gain=np.ascontiguousarray(gain),
            target=None if numbers is None else numbers[kept],
        )

    def _limits(self, demands: Demands, order: NDArray[np.intp]) -> Limits:
        settings, names, first = self._settings, self._names, LEAF
        if settings.first is not None:
            first = int(np.argsort(order)[position_of(settings.first, names.dataset, self._coding.n_tests)])
        directions = np.zeros(0, dtype=np.int8)
        if demands.directions is not None and demands.directions.any():
            directions = (demands.directions[order] * (1 if names.classes[0] == 0 else -1)).astype(np.int8)
        return Limits(
            max_depth=min(DEEPEST, settings.max_depth or DEEPEST),
            min_leaf=self._counts(settings.min_leaves[0]),
            min_split=max(2, self._counts(settings.min_split) if settings.min_split > 2 else 2),
            directions=directions,
            first=first,
        )

    def _counts(self, n: int) -> int:
        """Return what a minimum number of samples counts; a minimum of one allows any sample."""
        return n * self._per_sample if n > 1 else 1

    def search(self, on_search: OnSearch) -> _Found:
        """Return the fronts of all rows, the small trees proven, and the chosen size."""
        few, samples, note = sampled(self.rows, self._samples, self._settings.seed)
        self.notes += note
        uses_gaps = self._settings.numeric_tests != "integer"
        settings = replace(self._settings, max_leaves=self._most_leaves(few, samples, 1))
        min_leaf = choose_min_leaf(few, samples, settings, self._per_sample)
        limits = self.rows.limits._replace(min_leaf=self._counts(min_leaf))
        few = replace(few, limits=limits)
        settings = replace(settings, max_leaves=self._most_leaves(few, samples, limits.min_leaf))
        effort = Effort.of(settings, len(samples.row))

        initial = self._drafts(self._initial)
        searched, trials = search_all(few, samples, settings, effort, initial, on_search)
        choice = choose(few, samples, settings, trials)
        greedy, evolved = searched.archives
        if note:
            for archive in searched.archives:
                count_all(replace(self.rows, limits=limits), archive, choice.rung, uses_gaps)
        chosen = int(evolved.rungs["size"][evolved.rungs["best"][choice.rung]])
        if not note:
            prove(few, evolved, uses_gaps, int(_PROOFS * settings.effort * settings.work))
        n_leaves = chosen if settings.size == "auto" else settings.max_leaves
        return _Found((greedy, evolved), choice, n_leaves, min_leaf)

    def _most_leaves(self, rows: Rows, samples: Samples, min_leaf: int) -> int:
        """Return the maximum number of leaves; half the samples if the size is chosen from the data."""
        settings = self._settings
        if not np.any(rows.cases.n_tests > 0):
            return 1
        wanted = len(samples.row) // 2 if settings.size == "auto" else settings.size
        room_for = int(rows.weight.sum()) // max(1, min_leaf)
        of_depth = 1 << min(rows.limits.max_depth, settings.max_leaves.bit_length())
        return max(1, min(wanted, room_for, of_depth, settings.max_leaves))

    def _drafts(self, trees: Sequence[DecisionTree]) -> Draft:
        """Return trees, one after the other, in the codes of the task."""
        coded = [recoded(tree, self._coding, self._names.dataset) for tree in trees]
        if not coded:
            return NO_TREES
        attribute, value, span = (
            np.concatenate(part)
            for part in zip(*((t.attribute, t.value, t.span) for t in coded), strict=True)
        )
        place = np.append(np.argsort(self.rows.order), LEAF)  # LEAF is -1: the last entry
        return np.stack([place[attribute], value, span]).astype(np.int32)

    def front(self, archive: Archive, shares: Floats | None) -> Front:
        """Return the trees of an archive with thresholds, without sizes that improve on no smaller one."""
        kept = np.unique(archive.rungs["best"])
        return Front(
            leaves=archive.rungs["size"][kept],
            accuracy=archive.rungs["score"][kept] // CORRECT_UNIT / self.rows.total_stake,
            validated=None if shares is None else shares[kept],
            genomes=tuple(self._genome(archive, rung) for rung in kept.tolist()),
            attributes=self._given.attributes,
            class_attribute=self._given.class_attribute,
            proven=archive.rungs["proven"][kept] == 1,
        )

    def _genome(self, archive: Archive, rung: int) -> tuple[Tree, Floats]:
        """Return a tree and the threshold of every node: the middle of its gap, or the candidate's."""
        tree, thresholds = coded_tree(archive, rung, self.rows.order, self._coding)
        is_test = tree.attribute != LEAF
        for node in range(tree.n_nodes):
            order = self._names.values[tree.attribute[node]] if is_test[node] else self._names.classes
            if len(order):  # numeric attributes have none
                tree.value[node] = order[tree.value[node]]
        return tree, thresholds

    def front_of_numbers(self, archive: Archive, shrinkage: float, errors: Floats | None) -> RegressionFront:
        """Return the trees of an archive with thresholds and the numbers of their nodes."""
        assert self._target is not None
        kept = np.unique(archive.rungs["best"])
        genomes = [self._genome(archive, rung) for rung in kept.tolist()]
        coded = [coded_tree(archive, rung, self.rows.order, self._coding)[0] for rung in kept.tolist()]
        numbers, explained = zip(*(self._numbers(tree, shrinkage) for tree in coded), strict=True)
        return RegressionFront(
            leaves=archive.rungs["size"][kept],
            r2=1 - np.array(explained) / (explained[0] or 1.0),
            validated=None if errors is None else 1 - errors[kept] / (errors[0] or 1.0),
            proven=archive.rungs["proven"][kept] == 1,
            genomes=tuple((*genome, values) for genome, values in zip(genomes, numbers, strict=True)),
            attributes=self._given.attributes,
            deviation=self._deviation(),
        )

    def _deviation(self) -> float:
        """Return the standard deviation of the target, also of one whose squares overflow or vanish."""
        assert self._target is not None
        exponent, middle = _unit_and_middle(self._target)
        repeated = np.repeat(np.ldexp(self._target, -exponent) - middle, self._weights)
        return float(np.ldexp(repeated.std(), exponent))

    def _numbers(self, tree: Tree, shrinkage: float) -> tuple[Floats, float]:
        """Return the prediction of every node of a tree, and the error of all leaves without shrinkage."""
        assert self._target is not None
        repeated = np.repeat(self._in_order, self._weights[self._in_order])  # sums do not depend on the order
        reached = leaves(tree, self._codes, self._coding.is_numeric)[repeated]
        exponent, middle = _unit_and_middle(self._target)
        target = np.ldexp(self._target[repeated], -exponent) - middle
        numbers, errors = node_numbers(tree, reached, target)
        numbers = np.ldexp(numbers + middle, exponent)
        return shrunken(tree, reached, numbers, shrinkage), float(errors[tree.attribute == LEAF].sum())


_SQUARED = 400  # the square of a number with a larger exponent may overflow, that of a smaller one vanish
_NEAR = 2.0**-20


def _unit_and_middle(target: Floats) -> tuple[int, float]:
    """Return the exponent and the number to reduce a target by, so that sums and squares are accurate.

    Both are zero for most targets. Numbers that differ only in their last digits are reduced by one of them.
    """
    low, high = float(target.min()), float(target.max())
    exponent = int(np.frexp(max(-low, high) or 1.0)[1])
    exponent = exponent if abs(exponent) > _SQUARED else 0
    low, high = float(np.ldexp(low, -exponent)), float(np.ldexp(high, -exponent))
    return exponent, low if high - low < _NEAR * max(-low, high) else 0.0


def warm_up_trial(dataset: Dataset, settings: FrontSettings, target: Floats | None = None) -> None:
    """Compile or load what evaluates a front on held-out instances, without the search."""
    compile_trial(_rows(dataset, settings, target), settings)


def warm_up_on_all(dataset: Dataset, settings: FrontSettings, target: Floats | None = None) -> None:
    """Compile or load what improves the front of a sample on all instances."""
    compile_count(_rows(dataset, settings, target), settings)


def _rows(dataset: Dataset, settings: FrontSettings, target: Floats | None) -> Rows:
    weights = Weights(np.ones(dataset.n_instances, dtype=np.int64))
    names = in_order_of_names(dataset) if target is None else _as_given(dataset)
    worth = np.ones(len(names.classes), dtype=np.int64)
    return _Fit(dataset, names, settings, weights, worth, Demands(), target).rows
