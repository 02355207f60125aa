"""Find the trees that a page shows: one per size for a data set, of which one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.front.choose import Effort
from gatree.front.fit import FrontFit, fit_front
from gatree.front.regression.fit import RegressionFit, fit_regression
from gatree.front.settings import FrontSettings, RegressionSettings
from gatree.trees.model import DecisionTree

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Found:
    """Trees in increasing order of size, and the index of the chosen one."""

    trees: tuple[DecisionTree, ...]
    chosen: int = 0
    proven: frozenset[int] = frozenset()  # sizes, in leaves, whose tree is proven to be optimal
    means: tuple[Floats, ...] | None = None  # what every node of each tree predicts; None for classes

    @property
    def leaves(self) -> list[int]:
        return [tree.n_leaves for tree in self.trees]

    def at_most(self, n_leaves: int) -> int:
        """Return the index of the largest tree of at most ``n_leaves`` leaves, else of the smallest tree."""
        return max(0, int(np.searchsorted(self.leaves, n_leaves, side="right")) - 1)

    def predicted(self, index: int, dataset: Dataset) -> tuple[NDArray[np.int32], Floats]:
        """Return a tree's class for every row and the confidence in it; for numbers zeros and predictions.

        The confidence in a class is its share of the leaf's training rows, shrunk towards its share
        of all training rows.
        """
        tree = self.trees[index]
        reached = tree.apply(dataset)
        if self.means is not None:
            return np.zeros(len(reached), dtype=np.int32), self.means[index][reached]
        assert tree.counts is not None
        given = tree.tree.value[reached]
        here = tree.counts[reached]
        overall = tree.counts[0] / max(1, int(tree.counts[0].sum()))
        shares = (here[np.arange(len(given)), given] + overall[given]) / (here.sum(axis=1) + 1)
        return given, shares


_MOST_LEAVES = 64  # of the trees on a page, unless the chosen tree is larger
_MOST_TREES = 40


def thinned(
    leaves: list[int], chosen: int, most_leaves: int = _MOST_LEAVES, most_trees: int = _MOST_TREES
) -> list[int]:
    """Return the indices of the trees to show: all small ones, the chosen one, some of the larger ones."""
    largest = max(most_leaves, leaves[chosen])
    shown = [index for index, size in enumerate(leaves) if size <= largest]
    while len(shown) > most_trees:  # drop every second tree of the larger half
        half = len(shown) // 2
        kept = [
            index for place, index in enumerate(shown) if place < half or place % 2 == 0 or index == chosen
        ]
        if len(kept) == len(shown):
            break
        shown = kept
    return shown


OnSearch = Callable[[int, int], None]


def found_in(fit: FrontFit, dataset: Dataset) -> Found:
    """Return the trees of a finished fit, with the class counts of a data set."""
    front = fit.fronts["evolved"]
    sizes = front.leaves.tolist()
    chosen = max(0, int(np.searchsorted(sizes, fit.tree.n_leaves, side="right")) - 1)
    by_size: dict[int, DecisionTree] = {}
    for index in thinned(sizes, chosen):
        tree = front.tree(sizes[index]).with_counts(dataset).simplified()
        by_size[tree.n_leaves] = tree  # of trees of equal size, the later one is more accurate
    of_choice = fit.tree.simplified()
    by_size[of_choice.n_leaves] = of_choice.with_counts(dataset)
    leaves = sorted(by_size)
    return Found(
        trees=tuple(by_size[size] for size in leaves),
        chosen=leaves.index(of_choice.n_leaves),
        proven=frozenset(front.leaves[front.proven].tolist()) & frozenset(leaves),
    )


@dataclass(frozen=True)
class ClassTrees:
    """A search for classification trees of all sizes."""

    settings: FrontSettings

    def find(self, dataset: Dataset, on_search: OnSearch) -> Found:
        """Return the trees of all sizes, one of them chosen from the data."""
        return found_in(fit_front(dataset, self.settings, on_search=on_search), dataset)

    def find_again(self, training: Dataset, _rows: NDArray[np.intp], n_samples: int) -> Found:
        """Return the trees for some of the rows, found with the work that the search on all of them had."""
        again = _for_a_fold(self.settings, Effort.of(self.settings, n_samples))
        return found_in(fit_front(training, again), training)


@dataclass
class NumberTrees:
    """A search for regression trees of all sizes."""

    target: Floats
    settings: RegressionSettings
    _limits: dict[str, Any] = field(default_factory=dict)  # chosen by the last search

    def find(self, dataset: Dataset, on_search: OnSearch) -> Found:
        """Return the trees of all sizes, one of them chosen from the data."""
        fit = fit_regression(dataset, self.target, self.settings, on_search)
        self._limits = {"shrinkages": (fit.shrinkage,), "min_leaves": (fit.min_leaf,)}
        return _numbers_in(fit, dataset)

    def find_again(self, training: Dataset, rows: NDArray[np.intp], n_samples: int) -> Found:
        """Return the trees for some of the rows, found with the work that the search on all of them had."""
        again = _for_a_fold(self.settings, Effort.of(self.settings, n_samples))
        again = replace(again, **self._limits)
        return _numbers_in(fit_regression(training, self.target[rows], again), training)


AnySettings = TypeVar("AnySettings", FrontSettings, RegressionSettings)


def _for_a_fold(settings: AnySettings, effort: Effort) -> AnySettings:
    """Return the settings of a search without a choice of the size, with a given work."""
    return replace(
        settings,
        size=settings.max_leaves if settings.size == "auto" else settings.size,
        n_folds=0,
        work=effort.work,
        most_offspring=effort.most_offspring,
    )


def _numbers_in(fit: RegressionFit, dataset: Dataset) -> Found:
    """Return the trees of a finished fit, with the predictions of their nodes."""
    front = fit.fronts["evolved"]
    sizes = front.leaves.tolist()
    chosen = max(0, int(np.searchsorted(sizes, fit.n_leaves, side="right")) - 1)
    shown = thinned(sizes, chosen)
    found = [front.unlabelled(sizes[index], dataset.class_attribute) for index in shown]
    return Found(
        trees=tuple(tree.with_counts(dataset) for tree, _ in found),
        chosen=shown.index(chosen),
        means=tuple(numbers for _, numbers in found),
    )
