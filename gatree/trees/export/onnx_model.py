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

from gatree.base.errors import DataError
from gatree.base.extras import extras
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree
from gatree.trees.probabilities import deciding_shares

_UNKNOWN = -1.0
_ML = "ai.onnx.ml"
_OPSETS = {"": 17, _ML: 4}
_TEXT, _DOUBLE = 8, 11  # onnx.TensorProto.STRING and DOUBLE
_IR_VERSION = 9  # read by every onnxruntime since 1.15


class _Names:
    """The names of a graph, each of which stands once."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def free(self, name: str) -> str:
        """Return a name that is not taken, with underscores behind it if need be, and take it."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


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
    is_number = model.is_regression
    free = _Names(attribute.name for attribute in model.attributes).free
    label, probabilities = free("prediction" if is_number else "label"), free("probabilities")
    inputs, nodes, columns = [], [], []
    for index, attribute in enumerate(model.attributes):
        name = attribute.name or free(f"attribute_{index}")
        kind = _TEXT if attribute.is_nominal else _DOUBLE
        inputs.append(helper.make_tensor_value_info(name, kind, [None, 1]))
        columns.append(free(f"code_{index}") if attribute.is_nominal else name)
        if attribute.is_nominal:
            n, keys = len(attribute.values), [value.encode() for value in attribute.values]
            translation = {
                "keys_tensor": helper.make_tensor("keys", _TEXT, [n], keys),
                "values_tensor": helper.make_tensor("values", _DOUBLE, [n], np.arange(n, dtype=np.float64)),
                "default_tensor": helper.make_tensor("default", _DOUBLE, [1], [_UNKNOWN]),
            }
            nodes.append(helper.make_node("LabelEncoder", [name], [columns[-1]], domain=_ML, **translation))
    codes = free("codes")
    nodes.append(helper.make_node("Concat", columns, [codes], axis=1))
    nodes.append(_scores(helper, model, codes, probabilities))
    winner = free("winner")
    nodes.append(helper.make_node("ArgMax", [probabilities], [winner], axis=1, keepdims=0))
    constants = []
    if is_number:
        predictions = [float(value) for value in model.class_values]
        constants.append(helper.make_tensor(free("numbers"), _DOUBLE, [len(predictions)], predictions))
        nodes.append(helper.make_node("Gather", [constants[0].name, winner], [label]))
        outputs = [helper.make_tensor_value_info(label, _DOUBLE, [None])]
    else:
        labels = {"keys_int64s": list(range(model.n_classes)), "values_strings": list(model.class_values)}
        nodes.append(helper.make_node("LabelEncoder", [winner], [label], domain=_ML, **labels))
        outputs = [
            helper.make_tensor_value_info(label, _TEXT, [None]),
            helper.make_tensor_value_info(probabilities, onnx.TensorProto.FLOAT, [None, model.n_classes]),
        ]
    graph = helper.make_graph(nodes, "tree", inputs, outputs, constants)
    opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
    made = helper.make_model(graph, producer_name="gatree", opset_imports=opsets)
    made.ir_version = _IR_VERSION
    onnx.checker.check_model(made)
    return made


def _scores(helper: Any, model: DecisionTree, codes: str, output: str) -> Any:
    """Return the node that gives rows the class shares of their leaves.

    ONNX's TreeEnsembleClassifier is not used: of two classes, onnxruntime's label is the second one wherever
    its score is above zero, and not where it is the larger one.
    """
    tree, n, classes = model.tree, model.n_nodes, list(range(model.n_classes))
    is_leaf = tree.attribute == LEAF
    leaves, shares = np.flatnonzero(is_leaf).tolist(), deciding_shares(model).astype(np.float32)
    rounded = is_leaf & (shares.argmax(axis=1) != tree.value)  # to another class, as the graph's floats
    shares[rounded] = np.eye(model.n_classes)[tree.value[rounded]]
    modes, values, children = ["LEAF"] * n, [0.0] * n, np.zeros((2, n), dtype=np.int64)
    for node in np.flatnonzero(~is_leaf).tolist():
        is_nominal, children[:, node] = model.attribute(node).is_nominal, (tree.left(node), tree.right(node))
        modes[node] = "BRANCH_EQ" if is_nominal else "BRANCH_LEQ"
        values[node] = float(tree.value[node]) if is_nominal else model.threshold(node)
    return helper.make_node(
        "TreeEnsembleRegressor",
        [codes],
        [output],
        domain=_ML,
        n_targets=model.n_classes,
        nodes_treeids=[0] * n,
        nodes_nodeids=list(range(n)),
        nodes_featureids=tree.attribute.clip(0).tolist(),
        nodes_modes=modes,
        nodes_values_as_tensor=helper.make_tensor("thresholds", _DOUBLE, [n], values),
        nodes_truenodeids=children[0].tolist(),
        nodes_falsenodeids=children[1].tolist(),
        nodes_missing_value_tracks_true=[0] * n,
        target_treeids=[0] * (len(leaves) * len(classes)),
        target_nodeids=[leaf for leaf in leaves for _ in classes],
        target_ids=classes * len(leaves),
        target_weights_as_tensor=helper.make_tensor(
            "shares", _DOUBLE, [len(leaves) * len(classes)], shares[leaves].ravel()
        ),
    )
