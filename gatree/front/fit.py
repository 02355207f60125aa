"""Learn a tree of the size that the data support: search the fronts, choose the size, return the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, there_are
from gatree.data.cases import cases_of, in_order
from gatree.data.coding import Coding, code
from gatree.data.dataset import Dataset
from gatree.front.archive import Archive, coded_tree, rungs
from gatree.front.choose import (
    FRONTS,
    NO_TREES,
    Choice,
    Effort,
    OnSearch,
    Task,
    choose,
    fewest_tests_first,
    ignore_progress,
    part_of,
    search_fronts,
)
from gatree.front.copies import samples_of
from gatree.front.draft import Draft
from gatree.front.front import Front
from gatree.front.gaps import scale_of
from gatree.front.goal import CORRECT_UNIT, Directions, Gains, goal_of, limits_of, stakes
from gatree.front.names import InOrder, in_order_of_names
from gatree.front.proof import prove
from gatree.front.room import Bench
from gatree.front.search import Trial
from gatree.front.settings import FrontSettings
from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import DecisionTree
from gatree.trees.named_tree import NamedTree, recoded

_PROOFS = 0.2  # the work for proofs, as a share of the work of all searches


@dataclass(frozen=True)
class FrontFit:
    """The result of a fit: the tree of the chosen size, and both fronts."""

    tree: DecisionTree
    fronts: dict[str, Front]


class Demands(NamedTuple):
    """Further requirements of the trees of a front."""

    gain: Gains | None = None  # [class, label]: the gain from giving a label to an instance of a class
    directions: Directions | None = None  # [attribute]: 1 if the class may only rise with it, -1 only fall
    initial: Sequence[NamedTree] = ()  # trees to start with


def fit_front(
    dataset: Dataset,
    settings: FrontSettings,
    worth: NDArray[np.int64] | None = None,
    on_search: OnSearch = ignore_progress,
    sample_of: NDArray[np.integer] | None = None,
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
    sample_of : ndarray of int, optional
        The sample of which every instance is a copy; by default copies are detected (`gatree.front.copies`).
    demands : Demands, optional
        Costs, directions and initial trees. The cross-validation that chooses the size starts without these
        trees, which may have been trained on instances that it holds out.
    """
    known = np.flatnonzero(dataset.classes >= 0)
    if len(known) == 0:
        raise DataError(f"{dataset.name}: there is no instance with a class to learn from")
    demands, given = demands or Demands(), dataset.take(known)
    if demands.gain is None and len(known) > _MANY and given.classes.min() == given.classes.max():
        return _only_class(given, settings)
    names = in_order_of_names(given)
    coding = code(names.dataset, settings.numeric_tests, settings.max_thresholds)
    sample_of = samples_of(names.dataset) if sample_of is None else sample_of[known]
    order = _canonical_order(names.dataset, coding, sample_of)
    names, samples = names._replace(dataset=names.dataset.take(order)), _renumbered(sample_of[order])
    task = _task(names, coding, settings, worth, samples, demands)
    return _Fit(given, names, coding, settings, task).fit(on_search, demands.initial)


def position_of(name: str, dataset: Dataset, n_tests: NDArray[np.integer]) -> int:
    """Return the position of the attribute that the root is to test."""
    names = [attribute.name for attribute in dataset.attributes]
    if name not in names:
        raise DataError(f"{dataset.name}: no attribute {name!r} to test first{there_are(names)}")
    column = dataset.columns[names.index(name)]
    if n_tests[names.index(name)] == 0 or (column == column[:1]).all():
        raise DataError(f"{dataset.name}: {name!r} has a single value, so the root cannot test it")
    return names.index(name)


_MANY = 1_000  # above this number of instances, all of one class, there is no search


def _only_class(dataset: Dataset, settings: FrontSettings) -> FrontFit:
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
    return FrontFit(front.tree(1).with_counts(dataset), dict.fromkeys(FRONTS, front))


def _canonical_order(dataset: Dataset, coding: Coding, sample_of: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return an order of the instances that does not depend on their order in the data set."""
    codes = coding.encode(dataset.columns, dataset.n_instances)
    n_copies = np.bincount(sample_of)[sample_of]
    return np.lexsort((n_copies, *codes, dataset.classes))


def _renumbered(sample_of: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the samples, numbered in order of their first appearance."""
    _, first, inverse = np.unique(sample_of, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def _task(
    names: InOrder,
    coding: Coding,
    settings: FrontSettings,
    worth: NDArray[np.int64] | None,
    sample_of: NDArray[np.integer],
    demands: Demands,
) -> Task:
    """Return the task, with the attributes in the order in which their tests are tried."""
    dataset, n_tests = names.dataset, coding.n_tests
    order = fewest_tests_first(np.arange(len(n_tests)), n_tests, settings.seed)
    gain, directions = demands.gain, np.zeros(0, dtype=np.int8)
    if gain is not None:
        gain = np.ascontiguousarray(gain[names.classes][:, names.classes])
    if demands.directions is not None and demands.directions.any():
        directions = demands.directions[order] * (1 if names.classes[0] == 0 else -1)
    first = (
        LEAF
        if settings.first is None
        else int(np.argsort(order)[position_of(settings.first, dataset, n_tests)])
    )
    limits = limits_of(settings.max_depth, settings.min_split, settings.min_decrease, directions, first)
    worth = np.ones(dataset.n_classes, dtype=np.int64) if worth is None else worth[names.classes]
    cases = in_order(cases_of(dataset, coding), order)
    return Task(
        cases=cases,
        goal=goal_of(worth, settings.min_leaf, dataset.classes, gain, limits),
        scale=scale_of(dataset, order, cases),
        sample_of=sample_of,
        order=order,
    )


class _Fit:
    """One data set: as given, and ordered and coded."""

    def __init__(
        self, given: Dataset, names: InOrder, coding: Coding, settings: FrontSettings, task: Task
    ) -> None:
        self._given, self._names, self._coding = given, names, coding
        self._settings, self._task = settings, task

    def fit(self, on_search: OnSearch, initial: Sequence[NamedTree]) -> FrontFit:
        task, most = self._task, self._most_leaves()
        settings = replace(self._settings, max_leaves=most)
        effort = Effort.of(settings, task.n_samples)
        if settings.size == "auto":
            choice = choose(task, settings, effort, on_search)
        else:
            choice = Choice(rung=len(rungs(most)) - 1)
        nobody = part_of(task.cases, np.zeros(len(task.sample_of), dtype=np.bool_))
        trial = Trial(nobody, task.scale, settings.numeric_tests != "integer")
        fill_first_level, chosen = self._drafts(initial), 0

        def prove_small_trees(bench: Bench, archive: Archive) -> None:
            nonlocal chosen
            chosen = int(archive.rungs["size"][archive.rungs["best"][choice.rung]])
            scale = task.scale if trial.use_gaps else None
            work = int(_PROOFS * effort.n_searches * bench.room.work[0])
            prove(task.cases, task.goal, archive, scale, work)

        archives = search_fronts(
            task.cases, task.goal, settings, effort, settings.seed, trial, fill_first_level, prove_small_trees
        )
        on_search(effort.n_searches, effort.n_searches)
        fronts = {
            name: self._front(archive, None if choice.shares is None else choice.shares[index])
            for index, (name, archive) in enumerate(zip(FRONTS, archives, strict=True))
        }
        # The size was chosen without proofs, so a larger tree that a proof found is not the chosen one.
        tree = fronts["evolved"].tree(chosen if settings.size == "auto" else most)
        return FrontFit(tree.with_counts(self._given).simplified(), fronts)

    def _most_leaves(self) -> int:
        """Return the maximum number of leaves; half the samples if the size is chosen from the data."""
        task, settings = self._task, self._settings
        if not np.any(task.cases.n_tests > 0):
            return 1
        wanted = task.n_samples // 2 if settings.size == "auto" else settings.size
        room_for = len(task.sample_of) // max(1, settings.min_leaf)
        of_depth = 1 << min(task.goal.limits.max_depth, settings.max_leaves.bit_length())
        return max(1, min(wanted, room_for, of_depth, settings.max_leaves))

    def _drafts(self, trees: Sequence[NamedTree]) -> Draft:
        """Return trees, one after the other, in the codes of the task."""
        coded = [recoded(tree, self._coding, self._names.dataset) for tree in trees]
        if not coded:
            return NO_TREES
        attribute, value, span = (
            np.concatenate(part)
            for part in zip(*((t.attribute, t.value, t.span) for t in coded), strict=True)
        )
        place = np.append(np.argsort(self._task.order), LEAF)  # LEAF is -1: the last entry
        return np.stack([place[attribute], value, span]).astype(np.int32)

    def _front(self, archive: Archive, shares: NDArray[np.float64] | None) -> Front:
        """Return the trees of an archive with thresholds, without sizes that improve on no smaller one."""
        kept = np.unique(archive.rungs["best"])
        weight = int(stakes(self._task.goal)[self._task.cases.classes].sum())
        return Front(
            leaves=archive.rungs["size"][kept],
            accuracy=archive.rungs["score"][kept] // CORRECT_UNIT / weight,
            validated=None if shares is None else shares[kept],
            genomes=tuple(self._genome(archive, rung) for rung in kept.tolist()),
            attributes=self._given.attributes,
            class_attribute=self._given.class_attribute,
            proven=archive.rungs["proven"][kept] == 1,
        )

    def _genome(self, archive: Archive, rung: int) -> tuple[Tree, NDArray[np.float64]]:
        """Return a tree and the threshold of every node: the middle of its gap, or the candidate's."""
        tree, thresholds = coded_tree(archive, rung, self._task.order, self._coding)
        is_test = tree.attribute != LEAF
        for node in range(tree.n_nodes):
            order = self._names.values[tree.attribute[node]] if is_test[node] else self._names.classes
            if len(order):  # numeric attributes have none
                tree.value[node] = order[tree.value[node]]
        return tree, thresholds


_ENOUGH = 8  # instances and attributes to compile all kernels


def warm_up_front(dataset: Dataset, settings: FrontSettings) -> None:
    """Compile or load the kernels: fit a tree on a few instances and attributes, with minimal work."""
    narrow = replace(
        dataset,
        attributes=dataset.attributes[:_ENOUGH],
        columns=dataset.columns[:_ENOUGH],
        class_position=min(dataset.class_position, _ENOUGH, dataset.n_attributes),
    )
    few = narrow.take(np.arange(min(dataset.n_instances, _ENOUGH)))
    fit_front(few, replace(settings, size="auto", n_folds=2, most_repeats=1, most_offspring=1, work=1.0))
