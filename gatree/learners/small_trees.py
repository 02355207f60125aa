"""Search trees of all sizes for classes or for numbers, of which one is chosen from the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gatree.base.background import Interrupted
from gatree.base.progress import Listener
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal
from gatree.learners.measures import Floats, Predicted
from gatree.settings.small_tree import SmallTreeSettings
from gatree.smalltree.choose import SizeChoice
from gatree.smalltree.fit import FrontFit, fit_front
from gatree.smalltree.front import Front
from gatree.smalltree.settings import search_settings
from gatree.trees.model import DecisionTree
from gatree.trees.scores import Scores


@dataclass(frozen=True)
class FoundTrees:
    """Trees in increasing order of size, and the index of the chosen one."""

    trees: tuple[DecisionTree, ...]
    chosen: int = 0
    proven: frozenset[int] = frozenset()  # sizes, in leaves, whose tree is proven to be optimal
    numbers: tuple[Floats, ...] | None = None  # what every node of each tree predicts; None for classes
    shrinkage: float = 0.0  # of these numbers towards those of the nodes above
    notes: tuple[str, ...] = ()  # on what was left out of the search
    size_choice: SizeChoice | None = None

    @property
    def leaves(self) -> list[int]:
        return [tree.n_leaves for tree in self.trees]

    def at_most(self, n_leaves: int) -> int:
        """Return the index of the largest tree of at most ``n_leaves`` leaves, else of the smallest tree."""
        return max(0, int(np.searchsorted(self.leaves, n_leaves, side="right")) - 1)

    def predicted(self, index: int, dataset: Dataset, rows: NDArray[np.intp] | None = None) -> Predicted:
        """Return a tree's class for every row and the confidence in it; for numbers zeros and predictions.

        The confidence in a class is its probability at the leaf. ``rows`` are the rows' positions in a larger
        data set.
        """
        tree = self.trees[index]
        reached = tree.apply(dataset)
        rows = np.arange(len(reached)) if rows is None else rows
        if self.numbers is not None:
            return Predicted.of_numbers(rows, self.numbers[index][reached])
        given = tree.tree.value[reached]
        return Predicted(rows, given, tree.probabilities[reached, given])

    def scored(self, index: int, dataset: Dataset, rows: NDArray[np.intp]) -> Predicted:
        """Return the same, for classes with the scores of the tree's probabilities."""
        predicted, tree = self.predicted(index, dataset, rows), self.trees[index]
        if self.numbers is not None:
            return predicted
        known, probabilities = dataset.classes >= 0, tree.probabilities
        place = tree.apply(dataset)[known] * dataset.n_classes + dataset.classes[known]
        counts = np.bincount(place, minlength=probabilities.size).reshape(probabilities.shape)
        return replace(predicted, scores=Scores.of(probabilities, counts, tree.shrinkage.class_weight))

    def only(self, index: int) -> FoundTrees:
        """Return one tree without the others."""
        numbers = None if self.numbers is None else (self.numbers[index],)
        return FoundTrees((self.trees[index],), numbers=numbers, shrinkage=self.shrinkage)


class Search(Protocol):
    """A way to find trees."""

    def __call__(
        self,
        dataset: Dataset,
        listener: Listener,
        sizes: Sequence[int] | None = None,
    ) -> FoundTrees:
        """Return the trees that are found on all rows of a data set.

        ``sizes`` are the maximum leaves of the trees to return with the chosen one; by default all small
        sizes and some larger ones.
        """


@dataclass(frozen=True)
class FrontSearch:
    """A search for the best trees of all sizes; cross-validation chooses the size, unless it is given."""

    settings: SmallTreeSettings
    costs: Floats | None = None  # [class, predicted class]

    def __call__(
        self,
        dataset: Dataset,
        listener: Listener,
        sizes: Sequence[int] | None = None,
    ) -> FoundTrees:
        """Return the trees that are found on all rows of a data set."""
        listener.progress("search", 0, 1)
        try:
            return found_in(self._fit(dataset, listener), dataset, sizes)
        except Interrupted as stop:
            raise Interrupted(found_in(stop.found, dataset, sizes)) from None

    def _fit(self, dataset: Dataset, listener: Listener) -> FrontFit:
        settings = search_settings(self.settings, dataset)
        goal = Goal.of(dataset, self.settings.class_weight, self.costs)
        return fit_front(dataset, settings, goal, listener=listener)


_MOST_LEAVES = 64  # of the trees that are shown, unless the chosen tree is larger
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


def found_in(fit: FrontFit, dataset: Dataset, sizes: Sequence[int] | None = None) -> FoundTrees:
    """Return the trees of a finished fit, of some sizes, with the class counts of a data set."""
    front = fit.fronts["evolved"]
    all_sizes = front.leaves.tolist()
    place = max(0, int(np.searchsorted(all_sizes, fit.n_leaves, side="right")) - 1)
    chosen = one_in(front, all_sizes[place], dataset)
    if sizes is None:
        sizes = [all_sizes[index] for index in thinned(all_sizes, place)]
    sizes = [max(size, all_sizes[0]) for size in sizes]
    if front.numbers is None:
        chosen = FoundTrees((fit.tree.simplified().with_counts(dataset),))
    every = [*(one_in(front, size, dataset) for size in sizes), chosen]
    by_size = {one.leaves[0]: one for one in every}  # of trees of equal size, the later one is more accurate
    leaves = sorted(by_size)
    numbers = tuple(each for size in leaves for each in by_size[size].numbers or ())
    return FoundTrees(
        trees=tuple(by_size[size].trees[0] for size in leaves),
        chosen=leaves.index(chosen.leaves[0]),
        proven=frozenset(front.leaves[front.proven].tolist()) & frozenset(leaves),
        numbers=numbers or None,
        shrinkage=fit.shrinkage,
        notes=fit.notes,
        size_choice=fit.size_choice,
    )


def one_in(front: Front, most_leaves: int, dataset: Dataset) -> FoundTrees:
    """Return the tree of a front of at most ``most_leaves`` leaves."""
    tree, numbers = front.tree_and_numbers(most_leaves)
    tree = tree.with_counts(dataset)
    return FoundTrees((tree.simplified(),)) if numbers is None else FoundTrees((tree,), numbers=(numbers,))
