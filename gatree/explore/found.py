"""The trees of a page: one per size for a data set, of which one is chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.trees.model import DecisionTree

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Found:
    """Trees in increasing order of size, and the index of the chosen one.

    Parameters
    ----------
    trees : tuple of DecisionTree
    chosen : int
    proven : frozenset of int
        The sizes, in leaves, whose tree is proven to be optimal.
    means : tuple of ndarray, optional
        The prediction of every node of each tree; None for classification.
    """

    trees: tuple[DecisionTree, ...]
    chosen: int = 0
    proven: frozenset[int] = frozenset()
    means: tuple[Floats, ...] | None = None

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


def thinned(leaves: list[int], chosen: int, most_leaves: int, most_trees: int) -> list[int]:
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
