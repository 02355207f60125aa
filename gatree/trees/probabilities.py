"""The class probabilities of instances, and the importance of a tree's attributes, from the class counts."""

from __future__ import annotations

import numpy as np

from gatree.data.dataset import Dataset
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import Floats


def class_probabilities(model: DecisionTree, dataset: Dataset) -> Floats:
    """Return the class probabilities of every instance: those of its leaf, or of several leaves in J48."""
    if model.weights is not None:
        return model.spread(dataset)
    return np.asarray(model.probabilities[model.apply(dataset)])


def deciding_shares(model: DecisionTree) -> Floats:
    """Return the class probabilities of every node for programs that predict the most probable class.

    A leaf whose class is not the most probable one has its class alone.
    """
    shares, labels = model.probabilities.copy(), model.tree.value
    other = np.flatnonzero((model.tree.attribute == LEAF) & (shares.argmax(axis=1) != labels))
    shares[other] = 0
    shares[other, labels[other]] = 1
    return shares


def node_weights(model: DecisionTree) -> Floats:
    """Return the weight of each class's training instances at every node; zeros without counts."""
    if model.counts is None or model.is_regression:
        return np.zeros((model.n_nodes, model.n_classes))
    weight = model.shrinkage.class_weight
    return (model.counts * (1 if weight is None else np.array(weight))).astype(np.float64)


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
