"""How much each attribute does in a tree: its share in the decrease of an impurity."""

from __future__ import annotations

import numpy as np

from gatree.trees.genome import LEAF
from gatree.trees.named_tree import NamedTree
from gatree.trees.probabilities import Floats


def importances(model: NamedTree, weights: Floats) -> Floats:
    """Return the share of each attribute in the decrease of the Gini impurity, as scikit-learn computes it.

    `weights` are the weights of the classes at every node, ``[node, class]``.
    """
    total = weights.sum(axis=1)
    squares = np.divide((weights**2).sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
    return shares_of_decrease(model, total - squares)


def shares_of_decrease(model: NamedTree, impurity: Floats) -> Floats:
    """Return the share of each attribute in what the tests take from the impurity; zeros if that is nothing.

    The impurity of a node is the sum of its instances'.
    """
    tree, found = model.tree, np.zeros(len(model.attributes))
    for node in np.flatnonzero(tree.attribute != LEAF).tolist():
        below = impurity[tree.left(node)] + impurity[tree.right(node)]
        found[tree.attribute[node]] += max(0.0, impurity[node] - below)
    return found / found.sum() if found.sum() > 0 else found
