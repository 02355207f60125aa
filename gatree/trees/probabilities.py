"""The class probabilities of a tree's nodes, and the importance of its attributes, from the class counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import Floats


def class_shares(
    model: DecisionTree, class_weight: NDArray[np.int64] | None = None, laplace: float = 0
) -> Floats:
    """Return the class shares of every node, ``[node, class]``.

    The largest share of a leaf need not be that of its class: costs, for example, choose another one. A leaf
    without training instances, or a tree without counts, has its class alone. ``laplace`` instances of every
    class are added to every node; one is Laplace's rule of succession.
    """
    weights = node_weights(model, class_weight)
    return _shares(model, weights + laplace * (1 if class_weight is None else class_weight))


def class_probabilities(model: DecisionTree, dataset: Dataset) -> Floats:
    """Return the class probabilities of every instance: those of its leaf, or of several leaves in J48."""
    if model.weights is not None:
        return model.spread(dataset)
    return np.asarray(class_shares(model)[model.apply(dataset)])


def deciding_shares(model: DecisionTree) -> Floats:
    """Return the class shares of every node for programs that predict the largest one.

    A leaf whose class does not have the largest share has its class alone.
    """
    weights = node_weights(model)
    other = (model.tree.attribute == LEAF) & (weights.argmax(axis=1) != model.tree.value)
    weights[other] = 0
    return _shares(model, weights)


def _shares(model: DecisionTree, weights: Floats) -> Floats:
    """Return the weights of every node as shares; a leaf without any has its class alone."""
    alone = np.flatnonzero((model.tree.attribute == LEAF) & (weights.sum(axis=1) == 0))
    weights[alone, model.tree.value[alone]] = 1
    shares: Floats = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1)
    return shares


def node_weights(model: DecisionTree, class_weight: NDArray[np.int64] | None = None) -> Floats:
    """Return the weight of each class's training instances at every node; zeros without counts."""
    if model.counts is None or model.is_regression:
        return np.zeros((model.n_nodes, model.n_classes))
    return (model.counts * (1 if class_weight is None else class_weight)).astype(np.float64)


def importances(model: DecisionTree, weights: Floats) -> Floats:
    """Return the share of each attribute in the decrease of the Gini impurity, as scikit-learn computes it.

    `weights` are the weights of the classes at every node, ``[node, class]``.
    """
    total = weights.sum(axis=1)
    squares = np.divide((weights**2).sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
    return shares_of_decrease(model, total - squares)


def shares_of_decrease(model: DecisionTree, impurity: Floats) -> Floats:
    """Return the share of each attribute in what the tests take from the impurity; zeros if that is nothing.

    The impurity of a node is the sum of its instances'.
    """
    tree, found = model.tree, np.zeros(len(model.attributes))
    for node in np.flatnonzero(tree.attribute != LEAF).tolist():
        below = impurity[tree.left(node)] + impurity[tree.right(node)]
        found[tree.attribute[node]] += max(0.0, impurity[node] - below)
    return found / found.sum() if found.sum() > 0 else found
