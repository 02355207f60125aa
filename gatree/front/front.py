"""Finished fronts: the best tree found of every size, for classes and for numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, counted
from gatree.data.attribute import Attribute
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import Floats


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
        genome, thresholds = self.genomes[_place_of(self.leaves, most_leaves)]
        return _with_thresholds(genome, thresholds, self.attributes, self.class_attribute)


@dataclass(frozen=True, eq=False)
class RegressionFront:
    """The best tree found of every size at which it explains more than all smaller trees.

    Attributes
    ----------
    leaves : ndarray
        The sizes, in increasing order.
    r2 : ndarray
        The share of the training data's squared error around the mean that each tree explains without
        shrinkage.
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
        return tree.with_numbers(numbers)

    def unlabelled(self, most_leaves: int, class_attribute: Attribute) -> tuple[DecisionTree, Floats]:
        """Return the best tree of at most ``most_leaves`` leaves, all of one class, and its predictions."""
        genome, thresholds, numbers = self.genomes[_place_of(self.leaves, most_leaves)]
        return _with_thresholds(genome, thresholds, self.attributes, class_attribute), numbers


def _place_of(leaves: NDArray[np.int64], most_leaves: int) -> int:
    """Return the position of the largest size of at most ``most_leaves`` leaves."""
    if most_leaves < leaves[0]:
        smallest = counted(int(leaves[0]), "leaf", "leaves")
        raise DataError(f"the smallest tree of the front has {smallest}, got {most_leaves}")
    return int(np.searchsorted(leaves, most_leaves, side="right")) - 1


def _with_thresholds(
    genome: Tree, thresholds: Floats, attributes: tuple[Attribute, ...], class_attribute: Attribute
) -> DecisionTree:
    """Return a tree with the given threshold at every numeric test."""
    is_numeric = np.array([*(not each.is_nominal for each in attributes), False])  # the last is a leaf's
    value = np.where(is_numeric[genome.attribute], thresholds, genome.value)
    return DecisionTree.of_nodes(genome.attribute, value, attributes, class_attribute)
