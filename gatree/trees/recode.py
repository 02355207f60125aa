"""A tree with names as a genome again, in the tests of a coding: to evolve on from J48's or CART's.

Attributes, categories and classes are found by their names. A threshold becomes the candidate that divides
the data as it does, or most nearly so.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, did_you_mean
from gatree.data.coding import Coding
from gatree.data.dataset import Dataset
from gatree.trees.genome import LEAF, Tree
from gatree.trees.named_tree import NamedTree


def recoded(model: NamedTree, coding: Coding, dataset: Dataset) -> Tree:
    """Return a tree as a genome in the tests of a data set's coding."""
    recoder = _Recoder(model, coding, dataset)
    nodes = [recoder.leaf(i) if model.tree.is_leaf(i) else recoder.test(i) for i in range(model.n_nodes)]
    return Tree.from_preorder([attribute for attribute, _ in nodes], [value for _, value in nodes])


class _Recoder:
    def __init__(self, model: NamedTree, coding: Coding, dataset: Dataset) -> None:
        self.model, self.coding, self.dataset = model, coding, dataset

    def leaf(self, node: int) -> tuple[int, int]:
        return LEAF, self._index(self.model.label(node), self.dataset.class_values, "class")

    def test(self, node: int) -> tuple[int, int]:
        index = self.dataset.attribute_index(self.model.attribute(node).name)
        attribute = self.dataset.attributes[index]
        if attribute.is_nominal != self.model.attribute(node).is_nominal:
            raise DataError(
                f"{self.dataset.name}: the tree tests {attribute.name!r} as another kind of attribute"
            )
        if attribute.is_nominal:
            return index, self._index(
                self.model.category(node), attribute.values, f"value of {attribute.name}"
            )
        if self.coding.n_tests[index] == 0:
            raise DataError(f"{self.dataset.name}: {attribute.name!r} has one value only, nothing to test")
        return index, self._nearest(index, self.model.threshold(node))

    def _index(self, name: str, known: tuple[str, ...], what: str) -> int:
        if name not in known:
            raise DataError(f"{self.dataset.name}: no {what} {name!r}{did_you_mean(name, known)}")
        return known.index(name)

    def _nearest(self, index: int, threshold: float) -> int:
        """Return the candidate below which are as many instances as below a threshold."""
        column: NDArray[np.float64] = self.dataset.columns[index].astype(np.float64)
        known = np.sort(column[~np.isnan(column)])
        below = np.searchsorted(known, self.coding.thresholds[index], side="right")
        return int(np.abs(below - np.searchsorted(known, threshold, side="right")).argmin())
