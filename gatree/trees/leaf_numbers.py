"""Regression trees: the number that every node predicts, and a tree whose labels are its leaves' numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.data.attribute import Attribute
from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import DecisionTree

Floats = NDArray[np.float64]

_FEWEST_DIGITS = 6
_ALL_DIGITS = 17  # any two numbers differ in them
_ROUNDING = 4 * float(np.finfo(np.float64).eps)  # means of equal numbers differ by so much of themselves


def node_numbers(
    tree: Tree, reached: NDArray[np.integer], target: Floats, absolute: bool = False
) -> tuple[Floats, Floats]:
    """Return what every node predicts and its error, given the leaf that every instance reaches.

    Nodes predict means, with squared errors, or medians, with absolute ones. A node without instances
    predicts what its parent does.
    """
    by_leaf = np.argsort(reached, kind="stable")
    sorted_target, bounds = target[by_leaf], np.searchsorted(reached[by_leaf], np.arange(tree.n_nodes + 1))
    predicted, errors = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    for node, parent in enumerate(_parents(tree)):
        here = sorted_target[bounds[node] : bounds[node + int(tree.span[node])]]
        if len(here) == 0:
            predicted[node] = predicted[parent]
        elif absolute:
            predicted[node] = np.median(here)
            errors[node] = np.abs(here - predicted[node]).sum()
        else:
            predicted[node] = here.mean()
            errors[node] = ((here - predicted[node]) ** 2).sum()
    return predicted, errors


def shrunken(tree: Tree, reached: NDArray[np.integer], numbers: Floats, shrinkage: float) -> Floats:
    """Return what every node predicts if it is drawn towards its parent.

    A node moves away from its parent, of n instances, by n / (n + shrinkage) of the difference (hierarchical
    shrinkage: Agarwal et al., 2022).
    """
    if shrinkage == 0:
        return numbers  # the sum of differences would be rounded
    n_below = np.concatenate(([0], np.cumsum(np.bincount(reached, minlength=tree.n_nodes))))
    shrunk = numbers.copy()
    for node, parent in enumerate(_parents(tree).tolist()):
        if node > 0:
            n = n_below[parent + tree.span[parent]] - n_below[parent]
            share = n / (n + shrinkage) if n > 0 else 0.0
            shrunk[node] = shrunk[parent] + share * (numbers[node] - numbers[parent])
    return shrunk


def _parents(tree: Tree) -> NDArray[np.intp]:
    parents = np.zeros(tree.n_nodes, dtype=np.intp)
    for node in np.flatnonzero(tree.attribute != LEAF).tolist():
        parents[[node + 1, node + 1 + tree.span[node + 1]]] = node
    return parents


def with_numbers(tree: DecisionTree, predicted: Floats, deviation: float, name: str = "mean") -> DecisionTree:
    """Return a tree with the numbers of its leaves as their labels.

    Labels have six digits, or as many more as tell unequal numbers apart and are within a thousandth of the
    target's standard deviation.
    """
    leaves = np.flatnonzero(tree.tree.attribute == LEAF)
    labels = _labels(predicted[leaves], deviation)
    values = tuple(dict.fromkeys(labels))
    index = {label: place for place, label in enumerate(values)}
    value = tree.tree.value.copy()
    value[leaves] = [index[label] for label in labels]
    return DecisionTree(
        tree=Tree(tree.tree.attribute, value, tree.tree.span),
        attributes=tree.attributes,
        class_attribute=Attribute(name, "nominal", values),
        coding=tree.coding,
    )


def _labels(numbers: Floats, deviation: float) -> list[str]:
    """Return numbers as texts of as few digits as will do, at least six."""
    digits = next(n for n in range(_FEWEST_DIGITS, _ALL_DIGITS + 1) if _will_do(n, numbers, deviation))
    return [f"{number:.{digits}g}" for number in numbers]


def _will_do(n_digits: int, numbers: Floats, deviation: float) -> bool:
    """Tell whether this number of digits keeps unequal numbers apart and loses almost no R2.

    A mean that is off by a thousandth of the standard deviation costs its samples a millionth of R2.
    """
    unequal = np.unique(numbers)
    shown = np.array([float(f"{number:.{n_digits}g}") for number in unequal])
    noise = _ROUNDING * float(np.abs(unequal).max())
    apart = bool(np.all((np.diff(shown) > 0) | (np.diff(unequal) <= noise)))
    return apart and float(np.abs(shown - unequal).max()) <= max(deviation / 1000, noise)
