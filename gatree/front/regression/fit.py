"""Learn a regression tree of the size that the data support."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.cases import Cases, in_order
from gatree.data.coding import Coding, code
from gatree.data.dataset import Dataset
from gatree.front.archive import coded_tree, rungs
from gatree.front.choose import FRONTS, Effort, OnSearch, fewest_tests_first, ignore_progress
from gatree.front.fit import position_of
from gatree.front.front import RegressionFront
from gatree.front.gaps import scale_of
from gatree.front.regression.choose import (
    Choice,
    Task,
    Tried,
    choose,
    choose_min_leaf,
    search_fronts,
)
from gatree.front.regression.numbers import Floats, integers, numbers_of
from gatree.front.settings import RegressionSettings
from gatree.trees.genome import LEAF, Tree, leaves
from gatree.trees.numbers import node_numbers, shrunken


@dataclass(frozen=True)
class RegressionFit:
    """The result of a fit: the chosen number of leaves, shrinkage and minimum leaf, and both fronts."""

    n_leaves: int
    shrinkage: float
    min_leaf: int
    fronts: dict[str, RegressionFront]


def fit_regression(
    dataset: Dataset, target: Floats, settings: RegressionSettings, on_search: OnSearch = ignore_progress
) -> RegressionFit:
    """Search the fronts of a data set and choose a size.

    Parameters
    ----------
    dataset : Dataset
        Its classes are ignored, and the order of its instances does not matter.
    target : ndarray of float
        The number to predict for every instance; those without one (NaN) are left out.
    settings : RegressionSettings
    on_search : callable, optional
        Called after every search with the number of finished searches and the number of searches.
    """
    known = np.flatnonzero(~np.isnan(target))
    if len(known) == 0:
        raise DataError(f"{dataset.name}: there is no instance with a number to learn from")
    return _Fit(dataset.take(known), target[known], settings).fit(on_search)


class _Fit:
    """One data set, coded and in order."""

    def __init__(self, dataset: Dataset, target: Floats, settings: RegressionSettings) -> None:
        self._coding = code(dataset, settings.numeric_tests, settings.max_thresholds)
        codes = self._coding.encode(dataset.columns, dataset.n_instances)
        rows = np.lexsort((*codes, target))  # independent of the original order
        self._dataset, self._target, self._settings = dataset.take(rows), target[rows], settings
        self._codes: Any = np.ascontiguousarray(codes[:, rows])
        n_tests = self._coding.n_tests
        self._attributes = fewest_tests_first(np.flatnonzero(n_tests > 0), n_tests, settings.seed)
        cases = in_order(_cases(self._codes, self._coding), self._attributes)
        first = LEAF
        if settings.first is not None:
            wanted = position_of(settings.first, dataset, n_tests)
            first = int(np.flatnonzero(self._attributes == wanted)[0])
        how = (settings.criterion == "absolute_error", settings.min_leaves[0], settings.max_depth, first)
        self._task = Task(
            numbers=numbers_of(cases, integers(self._target), *how),
            scale=scale_of(self._dataset, self._attributes, cases),
            sample_of=_equal_rows(self._codes, self._target),
        )

    def fit(self, on_search: OnSearch) -> RegressionFit:
        task, settings, min_leaf = self._task, self._settings, self._settings.min_leaves[0]
        if len(settings.min_leaves) > 1:
            min_leaf = choose_min_leaf(task, settings, self._most_leaves(1))
        task = task._replace(numbers=task.numbers._replace(min_leaf=min_leaf))
        settings = replace(settings, max_leaves=self._most_leaves(min_leaf))
        effort, sizes = Effort.of(settings, task.n_samples), rungs(settings.max_leaves)
        if settings.size == "auto":
            choice = choose(task, settings, effort, on_search)
        else:
            choice = Choice(len(sizes) - 1, settings.shrinkages[0] if len(settings.shrinkages) == 1 else 0.0)
        everything = np.ones(len(self._target), dtype=np.bool_)
        tried = search_fronts(task, settings, effort, settings.seed, everything)
        on_search(effort.n_searches, effort.n_searches)
        fronts = {
            name: self._front(
                tried[index], choice.shrinkage, None if choice.errors is None else choice.errors[index]
            )
            for index, name in enumerate(FRONTS)
        }
        return RegressionFit(int(sizes[choice.rung]), choice.shrinkage, min_leaf, fronts)

    def _most_leaves(self, min_leaf: int) -> int:
        """Return the maximum number of leaves; half the samples if the size is chosen from the data."""
        task, settings = self._task, self._settings
        if len(self._attributes) == 0:
            return 1
        wanted = task.n_samples // 2 if settings.size == "auto" else settings.size
        room_for = len(self._target) // max(1, min_leaf)
        return max(1, min(wanted, room_for, settings.max_leaves))

    def _front(self, tried: Tried, shrinkage: float, errors: Floats | None) -> RegressionFront:
        """Return the trees of a front with thresholds, without sizes that improve on no smaller one."""
        archive = tried.archive
        kept = np.unique(archive.rungs["best"])
        genomes = [coded_tree(archive, rung, self._attributes, self._coding) for rung in kept.tolist()]
        numbers, totals = zip(*(self._numbers(tree, shrinkage) for tree, _ in genomes), strict=True)
        return RegressionFront(
            leaves=archive.rungs["size"][kept],
            r2=1 - np.array(totals) / (totals[0] or 1.0),
            validated=None if errors is None else 1 - errors[kept] / (errors[0] or 1.0),
            proven=archive.rungs["size"][kept] <= tried.n_proven,
            genomes=tuple((*genome, values) for genome, values in zip(genomes, numbers, strict=True)),
            attributes=self._dataset.attributes,
            deviation=float(self._target.std()),
        )

    def _numbers(self, tree: Tree, shrinkage: float) -> tuple[Floats, float]:
        """Return the prediction of every node of a tree, and the error of all leaves without shrinkage."""
        reached = leaves(tree, self._codes, self._coding.is_numeric)
        numbers, errors = node_numbers(tree, reached, self._target, self._task.numbers.absolute)
        return shrunken(tree, reached, numbers, shrinkage), float(errors[tree.attribute == LEAF].sum())


def _cases(codes: Any, coding: Coding) -> Cases:
    """Return coded instances of a single class."""
    codes = codes.astype(np.int32)
    return Cases(
        codes=codes,
        classes=np.zeros(codes.shape[1], dtype=np.int32),
        n_tests=coding.n_tests.astype(np.int32),
        is_numeric=coding.is_numeric,
        order=np.argsort(codes, axis=1, kind="stable").astype(np.int32),
        n_classes=1,
    )


def _equal_rows(codes: NDArray[np.integer], target: Floats) -> NDArray[np.intp]:
    """Return the sample of every instance: neighbours that are equal in everything are one sample."""
    is_new = np.ones(len(target), dtype=np.bool_)
    is_new[1:] = (target[1:] != target[:-1]) | (codes[:, 1:] != codes[:, :-1]).any(axis=0)
    return np.cumsum(is_new) - 1
