"""A finished front of regression trees: the best one found of every size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.attribute import Attribute
from gatree.data.coding import Coding
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree
from gatree.trees.named_tree import with_numbers
from gatree.trees.numbers import Floats


@dataclass(frozen=True, eq=False)
class RegressionFront:
    """The best tree found of every size at which it explains more than all smaller trees.

    Attributes
    ----------
    leaves : ndarray
        The sizes, in increasing order.
    r2 : ndarray
        The share of the training data's error that each tree explains without shrinkage: of the squared error
        around the mean, or of the absolute error around the median.
    validated : ndarray or None
        The share in the cross-validation that chose the size, with the chosen shrinkage.
    proven : ndarray of bool
        Whether no tree of that size explains more.
    """

    leaves: NDArray[np.int64]
    r2: Floats
    validated: Floats | None
    proven: NDArray[np.bool_]
    genomes: tuple[tuple[Tree, Floats, Floats], ...]  # with every node's threshold, and number as a leaf
    attributes: tuple[Attribute, ...]
    deviation: float  # of the target

    def __repr__(self) -> str:
        leaves = f"{self.leaves[0]} to {self.leaves[-1]} leaves"
        return f"<RegressionFront of {leaves}, R2 {self.r2[0]:.3f} to {self.r2[-1]:.3f}>"

    def tree(self, most_leaves: int) -> DecisionTree:
        """Return the best tree of at most ``most_leaves`` leaves, labelled with its leaves' predictions."""
        tree, numbers = self.unlabelled(most_leaves, Attribute("mean", "nominal", ("mean",)))
        return with_numbers(tree, numbers, self.deviation)

    def unlabelled(self, most_leaves: int, class_attribute: Attribute) -> tuple[DecisionTree, Floats]:
        """Return the best tree of at most ``most_leaves`` leaves, all of one class, and its predictions."""
        if most_leaves < self.leaves[0]:
            raise DataError(f"the smallest tree of the front has {self.leaves[0]} leaves, got {most_leaves}")
        place = int(np.searchsorted(self.leaves, most_leaves, side="right")) - 1
        genome, thresholds, numbers = self.genomes[place]
        value = genome.value.copy()
        used = []
        for index, attribute in enumerate(self.attributes):
            nodes = np.flatnonzero(genome.attribute == index)
            if attribute.is_nominal:
                used.append(np.empty(0))
            else:
                distinct, value[nodes] = np.unique(thresholds[nodes], return_inverse=True)
                used.append(distinct)
        tree = DecisionTree(
            tree=Tree(genome.attribute, value, genome.span),
            attributes=self.attributes,
            class_attribute=class_attribute,
            coding=Coding.of(self.attributes, used),
        )
        return tree, numbers
