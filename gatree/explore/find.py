"""Find the trees that a page shows: the fronts of classifiers and of regression trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.explore.found import Floats, Found, thinned
from gatree.front.fit import FrontFit, fit_front
from gatree.front.fronts import Effort
from gatree.front.regression.choose import Effort as RegressionEffort
from gatree.front.regression.fit import RegressionFit, fit_regression
from gatree.front.regression.settings import RegressionSettings
from gatree.front.settings import FrontSettings
from gatree.trees.model import DecisionTree

_MOST_LEAVES = 64  # of the trees on a page, unless the chosen tree is larger
_MOST_TREES = 40

OnSearch = Callable[[int, int], None]


def ignore_progress(_done: int, _of: int) -> None:
    """Ignore progress."""


def found_in(fit: FrontFit, dataset: Dataset) -> Found:
    """Return the trees of a finished fit, with the class counts of a data set."""
    front = fit.fronts["evolved"]
    sizes = front.leaves.tolist()
    chosen = max(0, int(np.searchsorted(sizes, fit.tree.n_leaves, side="right")) - 1)
    by_size: dict[int, DecisionTree] = {}
    for index in thinned(sizes, chosen, _MOST_LEAVES, _MOST_TREES):
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
    worth: NDArray[np.int64] | None = None

    def find(self, dataset: Dataset, on_search: OnSearch = ignore_progress) -> Found:
        """Return the trees of all sizes, one of them chosen from the data."""
        return found_in(fit_front(dataset, self.settings, self.worth, on_search), dataset)

    def find_again(self, training: Dataset, _rows: NDArray[np.intp], n_samples: int) -> Found:
        """Return the trees for some of the rows, found with the work that the search on all of them had."""
        effort = Effort.of(self.settings, n_samples)
        settings = replace(
            self.settings,
            size=self.settings.max_leaves if self.settings.size == "auto" else self.settings.size,
            n_folds=0,
            work=effort.work,
            most_offspring=effort.most_offspring,
        )
        return found_in(fit_front(training, settings, self.worth), training)


@dataclass
class NumberTrees:
    """A search for regression trees of all sizes."""

    target: Floats
    settings: RegressionSettings
    _limits: dict[str, Any] = field(default_factory=dict)  # chosen by the last search

    def find(self, dataset: Dataset, on_search: OnSearch = ignore_progress) -> Found:
        """Return the trees of all sizes, one of them chosen from the data."""
        fit = fit_regression(dataset, self.target, self.settings, on_search)
        self._limits = {"shrinkages": (fit.shrinkage,), "min_leaves": (fit.min_leaf,)}
        return _numbers_in(fit, dataset)

    def find_again(self, training: Dataset, rows: NDArray[np.intp], n_samples: int) -> Found:
        """Return the trees for some of the rows, found with the work that the search on all of them had."""
        effort = RegressionEffort.of(self.settings, n_samples)
        settings = replace(
            self.settings,
            size=self.settings.max_leaves if self.settings.size == "auto" else self.settings.size,
            **self._limits,
            n_folds=0,
            work=effort.work,
            most_offspring=effort.most_offspring,
        )
        return _numbers_in(fit_regression(training, self.target[rows], settings), training)


def _numbers_in(fit: RegressionFit, dataset: Dataset) -> Found:
    """Return the trees of a finished fit, with the predictions of their nodes."""
    front = fit.fronts["evolved"]
    sizes = front.leaves.tolist()
    chosen = max(0, int(np.searchsorted(sizes, fit.n_leaves, side="right")) - 1)
    shown = thinned(sizes, chosen, _MOST_LEAVES, _MOST_TREES)
    found = [front.unlabelled(sizes[index], dataset.class_attribute) for index in shown]
    return Found(
        trees=tuple(tree.with_counts(dataset) for tree, _ in found),
        chosen=shown.index(chosen),
        means=tuple(numbers for _, numbers in found),
    )
