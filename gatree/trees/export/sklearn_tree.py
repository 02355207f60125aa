"""Trees to scikit-learn's trees and from its DecisionTreeClassifier, and data in the form that they take.

scikit-learn's trees compare numbers only, as 32-bit floats. So a tree with nominal tests comes behind a
one-hot encoder, and numbers that differ by less than 32-bit floats can tell may take another branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree
from gatree.trees.probabilities import deciding_shares

_NO_CHILD, _NO_FEATURE = -1, -2


def _sklearn() -> tuple[Any, Any]:
    from sklearn import tree  # imported here because few commands need it
    from sklearn.tree._tree import Tree as SklearnTree

    return tree, SklearnTree


def one_hot(dataset: Dataset) -> NDArray[np.float64]:
    """Return the columns of data as numbers: a column of ones and zeros per nominal value.

    A missing number stays missing. The first column is of zeros: there may be no attribute.
    """
    columns: list[NDArray[np.generic]] = [np.zeros(dataset.n_instances)]
    for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
        if attribute.is_nominal:
            columns += [column == value for value in range(len(attribute.values))]
        else:
            columns.append(np.where(np.isinf(column), np.nan, column))  # scikit-learn rejects infinity
    return np.column_stack(columns).astype(np.float64)


def to_sklearn(model: DecisionTree, classes: NDArray[np.generic] | None = None) -> Any:
    """Return a fitted tree of scikit-learn, or a Pipeline with one behind a one-hot encoder.

    Parameters
    ----------
    model : DecisionTree
    classes : ndarray, optional
        What to predict in place of the class values, in their order: the labels as they were learnt from.

    Returns
    -------
    DecisionTreeClassifier, DecisionTreeRegressor or Pipeline
        The tree itself if all attributes are numeric. It takes arrays and frames with the tree's
        attributes as columns; missing numbers are NaN, missing categories None or NaN.
    """
    widths = np.array(
        [len(each.values) if each.is_nominal else 1 for each in model.attributes], dtype=np.int64
    )
    if widths.sum() == 0:
        raise DataError("scikit-learn needs a column or more, but no attribute has values")
    labels = np.array(model.class_values) if classes is None else classes
    tree = _fitted(model, widths.cumsum() - widths, int(widths.sum()), labels)
    if not any(attribute.is_nominal for attribute in model.attributes):
        tree.feature_names_in_ = np.array([attribute.name for attribute in model.attributes], dtype=object)
        return tree

    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder

    encoders = []
    for index, attribute in enumerate(model.attributes):
        encoder: Any = "passthrough"
        if attribute.is_nominal and not attribute.values:
            encoder = "drop"  # no node tests it
        elif attribute.is_nominal:
            values = [np.array(attribute.values, dtype=object)]
            encoder = OneHotEncoder(categories=values, handle_unknown="ignore", sparse_output=False)
        encoders.append((f"{index}", encoder, [index]))
    columns = ColumnTransformer(encoders, sparse_threshold=0, verbose_feature_names_out=False)
    columns.fit(_example(model))
    return Pipeline([("one-hot", columns), ("tree", tree)])


def _example(model: DecisionTree) -> Any:
    """Return a frame of one row, for the encoder to learn the columns' names from."""
    import pandas as pd

    return pd.DataFrame(
        {
            attribute.name: pd.Series([attribute.values[0]], dtype=object)
            if attribute.is_nominal and attribute.values
            else pd.Series([0.0])
            for attribute in model.attributes
        }
    )


def _fitted(
    model: DecisionTree, first_column: NDArray[np.int64], n_columns: int, labels: NDArray[np.generic]
) -> Any:
    """Return a tree of scikit-learn; a nominal attribute's values are as many columns, in its place."""
    module, tree_type = _sklearn()
    made = module.DecisionTreeRegressor() if model.is_regression else module.DecisionTreeClassifier()
    made.n_features_in_ = made.max_features_ = n_columns
    made.n_outputs_ = 1
    if model.is_regression:
        values, is_leaf = np.zeros((model.n_nodes, 1)), model.tree.attribute == LEAF
        values[is_leaf, 0] = np.array(model.class_values, dtype=np.float64)[model.tree.value[is_leaf]]
    else:
        values, made.classes_, made.n_classes_ = deciding_shares(model), labels, len(labels)
    made.tree_ = tree_type(n_columns, np.array([values.shape[1]], dtype=np.intp), 1)
    made.tree_.__setstate__(
        {
            "max_depth": model.depth,
            "node_count": model.n_nodes,
            "nodes": _nodes(model, first_column),
            "values": np.ascontiguousarray(values[:, np.newaxis, :]),
        }
    )
    return made


def _nodes(model: DecisionTree, first_column: NDArray[np.int64]) -> NDArray[np.void]:
    """Return the nodes in scikit-learn's layout; a value's column is above 0.5 where the value is there."""
    from sklearn.tree._tree import NODE_DTYPE

    tree, n_rows = model.tree, model.n_rows
    nodes: NDArray[np.void] = np.zeros(model.n_nodes, dtype=NODE_DTYPE)
    nodes["left_child"] = nodes["right_child"] = _NO_CHILD
    nodes["feature"] = nodes["threshold"] = _NO_FEATURE
    if not model.is_regression:
        nodes["impurity"] = 1 - (deciding_shares(model) ** 2).sum(axis=1)
    nodes["n_node_samples"] = 1 if n_rows is None else n_rows
    nodes["weighted_n_node_samples"] = nodes["n_node_samples"]
    for node in np.flatnonzero(tree.attribute != LEAF).tolist():
        column, children = int(first_column[tree.attribute[node]]), (tree.left(node), tree.right(node))
        if model.attribute(node).is_nominal:
            nodes["feature"][node], nodes["threshold"][node] = column + int(tree.value[node]), 0.5
            children = children[::-1]
        else:
            nodes["feature"][node], nodes["threshold"][node] = column, model.threshold(node)
        nodes["left_child"][node], nodes["right_child"][node] = children
    return nodes


def from_sklearn(classifier: Any, class_name: str = "class") -> DecisionTree:
    """Return a fitted DecisionTreeClassifier for one target as a tree of ours.

    The thresholds are scikit-learn's; where it sends missing values to the left, they go to the right here.
    """
    theirs = getattr(classifier, "tree_", None)
    if not isinstance(theirs, _sklearn()[1]) or not hasattr(classifier, "classes_"):
        raise DataError(f"expected a fitted DecisionTreeClassifier, got {type(classifier).__name__}")
    if theirs.n_outputs != 1:
        raise DataError(f"a tree of ours has one class to predict, but this one has {theirs.n_outputs}")
    names = getattr(classifier, "feature_names_in_", [f"x{i}" for i in range(theirs.n_features)])
    attributes = tuple(Attribute(str(name), "numeric") for name in names)
    order = _preorder(theirs)
    is_leaf = theirs.children_left == _NO_CHILD
    tested = np.where(is_leaf, LEAF, theirs.feature)[order]
    value = np.where(is_leaf, theirs.value[:, 0].argmax(axis=1), theirs.threshold)[order]
    target = Attribute(class_name, "nominal", tuple(map(str, classifier.classes_)))
    # scikit-learn keeps the classes' shares of the samples' weight.
    counts = np.rint(theirs.value[:, 0] * theirs.weighted_n_node_samples[:, np.newaxis]).astype(np.int64)
    return DecisionTree.of_nodes(tested, value, attributes, target, counts=counts[order])


def _preorder(theirs: Any) -> list[int]:
    order, pending = [], [0]
    while pending:
        node = pending.pop()
        order.append(node)
        if theirs.children_left[node] != _NO_CHILD:
            pending += [int(theirs.children_right[node]), int(theirs.children_left[node])]
    return order
