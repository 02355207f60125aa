"""A tree as an ONNX model, for onnxruntime and whatever else reads ONNX.

Every attribute is an input of shape ``[n, 1]`` under its name: doubles with NaN for missing ones, or text,
where everything but the attribute's values is missing. The outputs are ``label`` (text) and
``probabilities``, in the order of the class values; a regression tree has one output, ``prediction``
(double). Numbers are compared as doubles, as in the tree.

A graph has one space of names. What is not an attribute gives way to the attributes: an output gets ``_``
behind its name until it is free (``label_``), and so does ``attribute_0``, the input of a first attribute
without a name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.base.extras import extras
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree
from gatree.trees.probabilities import deciding_shares

_UNKNOWN = -1.0
_OPSETS = {"": 17, "ai.onnx.ml": 4}
_IR_VERSION = 9  # read by every onnxruntime since 1.15


def to_onnx(model: DecisionTree) -> Any:
    """Return a tree as an ``onnx.ModelProto``; its ``SerializeToString()`` is the content of a file."""
    with extras():
        import onnx
        from onnx import helper
    if not model.attributes:
        raise DataError("ONNX needs an attribute or more: their inputs say how many rows there are")
    if any(
        "\0" in word
        for each in (*model.attributes, model.class_attribute)
        for word in (each.name, *each.values)
    ):
        raise DataError("a name or a value has a NUL character, where onnxruntime ends a text")
    names = _Names(attribute.name for attribute in model.attributes)
    is_number = model.is_regression
    label, probabilities = names.free("prediction" if is_number else "label"), names.free("probabilities")
    inputs, nodes, columns = [], [], []
    for index, attribute in enumerate(model.attributes):
        name = attribute.name or names.free(f"attribute_{index}")
        kind = onnx.TensorProto.STRING if attribute.is_nominal else onnx.TensorProto.DOUBLE
        inputs.append(helper.make_tensor_value_info(name, kind, [None, 1]))
        columns.append(names.free(f"code_{index}") if attribute.is_nominal else name)
        if attribute.is_nominal:
            nodes.append(_encoder(helper, name, attribute.values, columns[-1]))
    codes = names.free("codes")
    nodes.append(helper.make_node("Concat", columns, [codes], axis=1))
    nodes.append(_scores(helper, model, codes, probabilities))
    winner = names.free("winner")
    nodes.append(helper.make_node("ArgMax", [probabilities], [winner], axis=1, keepdims=0))
    constants = []
    if is_number:
        predictions = [float(value) for value in model.class_values]
        constants.append(helper.make_tensor(names.free("numbers"), 11, [len(predictions)], predictions))
        nodes.append(helper.make_node("Gather", [constants[0].name, winner], [label]))
        outputs = [helper.make_tensor_value_info(label, onnx.TensorProto.DOUBLE, [None])]
    else:
        nodes.append(_labels(helper, winner, model.class_values, label))
        outputs = [
            helper.make_tensor_value_info(label, onnx.TensorProto.STRING, [None]),
            helper.make_tensor_value_info(probabilities, onnx.TensorProto.FLOAT, [None, model.n_classes]),
        ]
    graph = helper.make_graph(nodes, "tree", inputs, outputs, constants)
    opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
    made = helper.make_model(graph, producer_name="gatree", opset_imports=opsets)
    made.ir_version = _IR_VERSION
    onnx.checker.check_model(made)
    return made


class _Names:
    """The names of a graph; no two are the same."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def free(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def _encoder(helper: Any, name: str, values: tuple[str, ...], output: str) -> Any:
    """Return the node that turns a nominal attribute's text into the index of its value."""
    numbers = np.arange(len(values), dtype=np.float64)
    keys = helper.make_tensor("keys", 8, [len(values)], [value.encode() for value in values])  # 8: STRING
    return helper.make_node(
        "LabelEncoder",
        [name],
        [output],
        domain="ai.onnx.ml",
        keys_tensor=keys,
        values_tensor=helper.make_tensor("values", 11, [len(values)], numbers),  # 11: DOUBLE
        default_tensor=helper.make_tensor("default", 11, [1], [_UNKNOWN]),
    )


def _labels(helper: Any, index: str, values: tuple[str, ...], output: str) -> Any:
    """Return the node that turns the index of a class into its value."""
    return helper.make_node(
        "LabelEncoder",
        [index],
        [output],
        domain="ai.onnx.ml",
        keys_int64s=list(range(len(values))),
        values_strings=list(values),
    )


def _scores(helper: Any, model: DecisionTree, codes: str, output: str) -> Any:
    """Return the node that gives rows the class shares of their leaves.

    ONNX's TreeEnsembleClassifier is not used: of two classes, onnxruntime's label is the second one wherever
    its score is above zero, and not where it is the larger one.
    """
    tree, shares = model.tree, _single_precision_shares(model)
    leaves = [node for node in range(model.n_nodes) if tree.is_leaf(node)]
    classes = list(range(model.n_classes))
    modes = [_mode(model, node) for node in range(model.n_nodes)]
    values = [0.0 if tree.is_leaf(node) else _value(model, node) for node in range(model.n_nodes)]
    return helper.make_node(
        "TreeEnsembleRegressor",
        [codes],
        [output],
        domain="ai.onnx.ml",
        n_targets=model.n_classes,
        nodes_treeids=[0] * model.n_nodes,
        nodes_nodeids=list(range(model.n_nodes)),
        nodes_featureids=[max(0, int(tested)) for tested in tree.attribute],
        nodes_modes=modes,
        nodes_values_as_tensor=helper.make_tensor("thresholds", 11, [model.n_nodes], values),
        nodes_truenodeids=[0 if tree.is_leaf(node) else tree.left(node) for node in range(model.n_nodes)],
        nodes_falsenodeids=[0 if tree.is_leaf(node) else tree.right(node) for node in range(model.n_nodes)],
        nodes_missing_value_tracks_true=[0] * model.n_nodes,
        target_treeids=[0] * (len(leaves) * len(classes)),
        target_nodeids=[leaf for leaf in leaves for _ in classes],
        target_ids=classes * len(leaves),
        target_weights_as_tensor=helper.make_tensor(
            "shares", 11, [len(leaves) * len(classes)], shares[leaves].ravel()
        ),
    )


def _single_precision_shares(model: DecisionTree) -> NDArray[np.float32]:
    """Return class shares as the graph's floats; the first largest of a leaf is its class's."""
    shares = deciding_shares(model).astype(np.float32)
    label = model.tree.value
    for leaf in np.flatnonzero((model.tree.attribute == LEAF) & (shares.argmax(axis=1) != label)):
        shares[leaf] = np.eye(model.n_classes)[label[leaf]]
    return shares


def _mode(model: DecisionTree, node: int) -> str:
    if model.tree.is_leaf(node):
        return "LEAF"
    return "BRANCH_EQ" if model.attribute(node).is_nominal else "BRANCH_LEQ"


def _value(model: DecisionTree, node: int) -> float:
    """Return what an inner node compares with: the index of a category, or a threshold."""
    return float(model.tree.value[node]) if model.attribute(node).is_nominal else model.threshold(node)
