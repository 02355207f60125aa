"""A finished front: the best tree found of every size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, counted
from gatree.data.attribute import Attribute
from gatree.data.coding import Coding
from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import DecisionTree


@dataclass(frozen=True, eq=False)
class Front:
    """The best tree found of every size at which it is more accurate than all smaller trees.

    Attributes
    ----------
    leaves : ndarray
        The sizes, in increasing order.
    accuracy : ndarray
        The weighted share of the training instances that each tree classifies correctly; with costs, the
        share of what the best class of every instance would save.
    validated : ndarray or None
        The same share in the cross-validation that chose the size.
    proven : ndarray of bool
        For each size, whether no tree of at most that number of leaves is better on the training data.
    """

    leaves: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    validated: NDArray[np.float64] | None
    genomes: tuple[tuple[Tree, NDArray[np.float64]], ...]  # and the threshold of every node
    attributes: tuple[Attribute, ...]
    class_attribute: Attribute
    proven: NDArray[np.bool_]

    def __repr__(self) -> str:
        leaves = f"{self.leaves[0]} to {self.leaves[-1]} leaves"
        return f"<Front of {leaves}, accuracy {self.accuracy[0]:.3f} to {self.accuracy[-1]:.3f}>"

    def tree(self, most_leaves: int) -> DecisionTree:
        """Return the best tree of at most ``most_leaves`` leaves."""
        if most_leaves < self.leaves[0]:
            smallest = counted(int(self.leaves[0]), "leaf", "leaves")
            raise DataError(f"the smallest tree of the front has {smallest}, got {most_leaves}")
        genome, thresholds = self.genomes[int(np.searchsorted(self.leaves, most_leaves, side="right")) - 1]
        value = genome.value.copy()
        used: list[NDArray[np.float64]] = [np.empty(0)] * len(self.attributes)
        for index in np.unique(genome.attribute[genome.attribute != LEAF]).tolist():
            nodes = np.flatnonzero(genome.attribute == index)
            if not self.attributes[index].is_nominal:
                used[index], value[nodes] = np.unique(thresholds[nodes], return_inverse=True)
        return DecisionTree(
            tree=Tree(genome.attribute, value, genome.span),
            attributes=self.attributes,
            class_attribute=self.class_attribute,
            coding=Coding.of(self.attributes, used),
        )
