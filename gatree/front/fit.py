"""Learn a tree of the size that the data support: fronts, the choice of the size, and the tree with names."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.cases import cases_of, in_order
from gatree.data.coding import Coding, code
from gatree.data.dataset import Dataset
from gatree.front.archive import Archive, rungs, tree_at
from gatree.front.choose import FRONTS, Choice, OnSearch, Task, choose, part_of, told_to_nobody
from gatree.front.front import Front
from gatree.front.fronts import Effort, search_fronts
from gatree.front.gaps import scale_of
from gatree.front.prune import CORRECT_UNIT, goal_of
from gatree.front.settings import FrontSettings
from gatree.front.trial import Trial
from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import DecisionTree


@dataclass(frozen=True)
class FrontFit:
    """What was learnt: the tree of the chosen size, and both fronts."""

    tree: DecisionTree
    fronts: dict[str, Front]


def fit_front(
    dataset: Dataset,
    settings: FrontSettings,
    worth: NDArray[np.int64] | None = None,
    on_search: OnSearch = told_to_nobody,
    sample_of: NDArray[np.integer] | None = None,
) -> FrontFit:
    """Search the fronts of a data set and choose a tree.

    Parameters
    ----------
    dataset : Dataset
        Instances whose class is missing are left out. Their order does not matter, that of a nominal
        attribute's values does: text in a frame or a CSV file has them in the order in which they come.
    settings : FrontSettings
    worth : ndarray of int64, optional
        What a correct instance of each class counts.
    on_search : callable, optional
        Called after every search with how many are done, and of how many.
    sample_of : ndarray of int, optional
        The sample of which every instance is a copy; without it each is a sample of its own.
    """
    known = np.flatnonzero(dataset.classes >= 0)
    if len(known) == 0:
        raise DataError(f"{dataset.name}: there is no instance with a class to learn from")
    dataset = dataset.take(known)
    if worth is None and len(known) > _MANY and dataset.classes.min() == dataset.classes.max():
        return _only_class(dataset, settings)
    coding = code(dataset, settings.numeric_tests, settings.max_thresholds)
    sample_of = np.arange(len(known)) if sample_of is None else sample_of[known]
    order = _canonical_order(dataset, coding, sample_of)
    samples = _renumbered(sample_of[order])
    return _Fit(dataset.take(order), coding, settings, worth, samples).fit(on_search)


_MANY = 1_000  # instances of one class that are not searched through


def _only_class(dataset: Dataset, settings: FrontSettings) -> FrontFit:
    """Return what a search through instances of one class finds: the leaf."""
    front = Front(
        leaves=np.ones(1, dtype=np.int64),
        accuracy=np.ones(1),
        validated=np.ones(1) if settings.size == "auto" else None,
        genomes=((Tree.nested(int(dataset.classes[0])), np.full(1, np.inf)),),
        attributes=dataset.attributes,
        class_attribute=dataset.class_attribute,
    )
    return FrontFit(front.tree(1).with_counts(dataset), dict.fromkeys(FRONTS, front))


def _canonical_order(dataset: Dataset, coding: Coding, sample_of: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return an order of the instances that does not depend on the one they came in."""
    codes = coding.encode(dataset.columns, dataset.n_instances)
    n_copies = np.bincount(sample_of)[sample_of]
    return np.lexsort((n_copies, *codes, dataset.classes))


def _renumbered(sample_of: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the samples, numbered as they come."""
    _, first, inverse = np.unique(sample_of, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def _fewest_tests_first(n_tests: NDArray[np.integer], seed: int) -> NDArray[np.intp]:
    """Return an order of the attributes, in which the first of equally good tests is taken.

    A test that had fewer rivals is less likely to be as good by chance; of attributes with as many tests none
    is always the first.
    """
    shuffled = np.random.default_rng(seed).permutation(len(n_tests))
    return shuffled[np.argsort(n_tests[shuffled], kind="stable")]


class _Fit:
    """One data set, coded and in order."""

    def __init__(
        self,
        dataset: Dataset,
        coding: Coding,
        settings: FrontSettings,
        worth: NDArray[np.int64] | None,
        sample_of: NDArray[np.integer],
    ) -> None:
        self._dataset, self._coding, self._settings = dataset, coding, settings
        plain = np.ones(dataset.n_classes, dtype=np.int64)
        self._order = _fewest_tests_first(coding.n_tests, settings.seed)
        cases = in_order(cases_of(dataset, coding), self._order)
        self._task = Task(
            cases=cases,
            goal=goal_of(plain if worth is None else worth, settings.min_leaf, dataset.classes),
            scale=scale_of([dataset.columns[i] for i in self._order], cases),
            sample_of=sample_of,
        )

    def fit(self, on_search: OnSearch) -> FrontFit:
        task, most = self._task, self._most_leaves()
        settings = replace(self._settings, max_leaves=most)
        effort = Effort.of(settings, task.n_samples)
        if settings.size == "auto":
            choice = choose(task, settings, effort, on_search)
        else:
            choice = Choice(rung=len(rungs(most)) - 1)
        nobody = part_of(task.cases, np.zeros(len(task.sample_of), dtype=np.bool_))
        trial = Trial(nobody, task.scale, settings.numeric_tests != "integer")
        archives = search_fronts(task.cases, task.goal, settings, effort, settings.seed, trial)
        on_search(effort.n_searches, effort.n_searches)
        fronts = {
            name: self._front(archive, None if choice.shares is None else choice.shares[index])
            for index, (name, archive) in enumerate(zip(FRONTS, archives, strict=True))
        }
        tree = fronts["evolved"].tree(int(rungs(most)[choice.rung]))
        return FrontFit(tree.with_counts(self._dataset), fronts)

    def _most_leaves(self) -> int:
        """Return how many leaves a tree may have; half as many as samples, if the data choose."""
        task, settings = self._task, self._settings
        if not np.any(task.cases.n_tests > 0):
            return 1
        wanted = task.n_samples // 2 if settings.size == "auto" else settings.size
        room_for = len(task.sample_of) // max(1, settings.min_leaf)
        return max(1, min(wanted, room_for, settings.max_leaves))

    def _front(self, archive: Archive, shares: NDArray[np.float64] | None) -> Front:
        """Return what an archive holds as trees with thresholds, of the sizes that are worth their leaves."""
        kept = np.unique(archive.rungs["best"])
        weight = int(self._task.goal.worth[self._task.cases.classes].sum())
        return Front(
            leaves=archive.rungs["size"][kept],
            accuracy=archive.rungs["score"][kept] // CORRECT_UNIT / weight,
            validated=None if shares is None else shares[kept],
            genomes=tuple(self._genome(archive, rung) for rung in kept.tolist()),
            attributes=self._dataset.attributes,
            class_attribute=self._dataset.class_attribute,
        )

    def _genome(self, archive: Archive, rung: int) -> tuple[Tree, NDArray[np.float64]]:
        """Return a tree and the threshold of every node: the middle of its gap, or the candidate's."""
        tree = tree_at(archive, rung)
        begin = int(archive.rungs["first"][rung])
        thresholds = archive.middle[begin : begin + tree.n_nodes].copy()
        is_test = tree.attribute != LEAF
        tree.attribute[is_test] = self._order[tree.attribute[is_test]]
        for node in np.flatnonzero(np.isinf(thresholds) & is_test).tolist():
            candidates = self._coding.thresholds[tree.attribute[node]]
            if len(candidates):
                thresholds[node] = candidates[tree.value[node]]
        return tree, thresholds
