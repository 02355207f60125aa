"""The nodes of a tree as the rows of a frame, and trees that end earlier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError, DataError, did_you_mean
from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import Floats, without_noise
from gatree.trees.probabilities import node_weights
from gatree.trees.render import branches
from gatree.trees.spread import SpreadWeights

if TYPE_CHECKING:
    import pandas as pd


def to_frame(model: DecisionTree) -> pd.DataFrame:
    """Return a row per node, in preorder from the root 0.

    ``parent`` and ``test`` are missing at the root and at leaves; the left child of a test, where it holds,
    follows it directly. ``rows`` and what follows, class by class, are of the training instances; of a
    regression tree, their ``mean`` and ``deviation``. An inner node predicts what it would as a leaf.
    """
    import pandas as pd

    tree, n_rows = model.tree, model.n_rows
    inner = [None if tree.is_leaf(node) else node for node in range(model.n_nodes)]
    columns: dict[str, object] = {
        "depth": tree.depths(),
        "parent": pd.array([None, *tree.parents().tolist()[1:]], dtype="Int64"),
        "test": [None if node is None else branches(model, node)[0] for node in inner],
    }
    if n_rows is not None:
        columns["rows"] = n_rows
    if model.numbers is not None:
        columns |= {"mean": model.numbers.mean, "deviation": model.numbers.deviation}
    elif model.counts is not None and not model.is_regression:
        columns |= {f"rows({name})": n for name, n in zip(model.class_values, model.counts.T, strict=True)}
    predicted: Any = predictions(model)
    if not model.is_regression:
        predicted = [None if np.isnan(each) else model.class_values[int(each)] for each in predicted]
    return pd.DataFrame({**columns, "prediction": predicted}).rename_axis("node")


def predictions(model: DecisionTree) -> Floats:
    """Return what every node predicts as a leaf: the index of a class, or a number.

    A test has the class of most weight below it, or the mean of the leaves below by their rows, which
    shrinkage keeps; NaN if the rows are unknown.
    """
    tree, n_rows, is_leaf = model.tree, model.n_rows, model.tree.attribute == LEAF
    if not model.is_regression:
        weights = node_weights(model) if model.weights is None else _below(tree, model.weights.classes)
        most = np.where(weights.any(axis=1), weights.argmax(axis=1), np.nan)
        return np.where(is_leaf, tree.value, most).astype(np.float64)
    predicted = np.array([*map(float, model.class_values)])[np.where(is_leaf, tree.value, 0)]
    for node in np.flatnonzero(~is_leaf)[::-1].tolist():
        both = [tree.left(node), tree.right(node)]
        shares = None if n_rows is None or not n_rows[both].any() else n_rows[both]
        predicted[node] = np.nan if n_rows is None else np.average(predicted[both], weights=shares)
    return np.where(is_leaf, predicted, without_noise(predicted))


def _below(tree: Tree, of_leaves: Floats) -> Floats:
    """Return the sums of what leaves have at and below every node."""
    total = of_leaves.copy()
    for node in np.flatnonzero(tree.attribute != LEAF)[::-1].tolist():
        total[node] = total[tree.left(node)] + total[tree.right(node)]
    return total


def pruned(model: DecisionTree, node: int, prediction: str | float | None = None) -> DecisionTree:
    """Return the tree with a leaf in place of a node and all below it.

    Parameters
    ----------
    model : DecisionTree
    node : int
        The number of the node, as in `to_frame`.
    prediction : str or float, optional
        The class or the number that the leaf predicts; by default the most frequent class, or the mean.
    """
    check_node(model, node)
    predicted = predictions(model)
    if prediction is not None and model.is_regression:
        predicted[node] = float(prediction)
    elif prediction is not None:
        names = model.class_values
        if str(prediction) not in names:
            near = did_you_mean(str(prediction), names)
            raise ConfigError(f"prediction: should be one of {', '.join(names)}, got {prediction!r}{near}")
        predicted[node] = names.index(str(prediction))
    elif np.isnan(predicted[node]):
        raise DataError("the tree has no counts of training instances; say what the new leaf predicts")
    return _ended(model, [node], predicted)


def upper_levels(model: DecisionTree, max_depth: int) -> tuple[DecisionTree, dict[int, int]]:
    """Return the tree down to a depth, and which of its leaves are which tests of the whole tree."""
    if max_depth < 0:
        raise ConfigError(f"max_depth: should be 0 or more, got {max_depth}")
    tree = model.tree
    ends = np.flatnonzero((tree.depths() == max_depth) & (tree.attribute != LEAF))
    predicted = predictions(model)
    first_leaf = [next(node for node in range(end, tree.n_nodes) if tree.is_leaf(node)) for end in ends]
    predicted[ends] = np.where(np.isnan(predicted[ends]), predicted[first_leaf], predicted[ends])
    hidden = tree.span[ends] - 1
    places = ends - (np.cumsum(hidden) - hidden)
    return _ended(model, ends.tolist(), predicted), dict(zip(places.tolist(), ends.tolist(), strict=True))


def _ended(model: DecisionTree, ends: Sequence[int], predicted: Floats) -> DecisionTree:
    """Return the tree with leaves in place of some nodes, given what every node predicts as a leaf."""
    tree, weights = model.tree, model.weights
    is_left = np.ones(model.n_nodes, dtype=np.bool_)
    attribute, value = tree.attribute.copy(), tree.value.copy()
    for node in ends:
        is_left[node + 1 : node + tree.span[node]] = False
        attribute[node] = LEAF
        value[node] = 0 if model.is_regression else int(predicted[node])
    kept: NDArray[np.intp] = np.flatnonzero(is_left)
    if weights is not None:
        weights = SpreadWeights(weights.passing[kept], _below(tree, weights.classes)[kept])
    ended = replace(
        model,
        tree=Tree.from_preorder(attribute[kept].tolist(), value[kept].tolist()),
        counts=None if model.counts is None else model.counts[kept],
        numbers=None,
        weights=weights,
    ).with_used_tests()
    if not model.is_regression:
        return ended
    ended = ended.with_numbers(predicted[kept], model.class_attribute.name)
    return ended if model.numbers is None else replace(ended, numbers=model.numbers.taken(kept))


def check_node(model: DecisionTree, node: int) -> None:
    """Raise a ConfigError unless the tree has a node of this number."""
    if not 0 <= node < model.n_nodes:
        raise ConfigError(f"node: should be a node's number below {model.n_nodes}, got {node}")
