"""A tree as an ONNX model, for onnxruntime and whatever else reads ONNX.

Every attribute is an input of shape ``[n, 1]`` under its name: doubles with NaN for missing ones, or text,
where everything but the attribute's values is missing. The outputs are ``label`` (text) and
``probabilities``, in the order of the class values. Numbers are compared as doubles, as in the tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gatree.base.errors import DataError
from gatree.base.extras import extras
from gatree.trees.named_tree import NamedTree
from gatree.trees.probabilities import class_shares

_UNKNOWN = -1.0
_OPSETS = {"": 17, "ai.onnx.ml": 4}
_IR_VERSION = 9  # read by every onnxruntime since 1.15


def to_onnx(model: NamedTree) -> Any:
    """Return a tree as an ``onnx.ModelProto``; its ``SerializeToString()`` is the content of a file."""
    with extras():
        import onnx
        from onnx import helper
    if model.n_classes < 2:  # onnxruntime ends the process on such a model
        raise DataError(f"ONNX needs two classes or more, but {model.class_attribute.name!r} has one")
    inputs, nodes, columns = [], [], []
    for index, attribute in enumerate(model.attributes):
        kind = onnx.TensorProto.STRING if attribute.is_nominal else onnx.TensorProto.DOUBLE
        inputs.append(helper.make_tensor_value_info(attribute.name, kind, [None, 1]))
        columns.append(attribute.name if not attribute.is_nominal else f"_code_{index}")
        if attribute.is_nominal:
            nodes.append(_encoder(helper, attribute.name, attribute.values, columns[-1]))
    nodes.append(helper.make_node("Concat", columns, ["_codes"], axis=1))
    nodes.append(_classifier(helper, model))
    outputs = [
        helper.make_tensor_value_info("label", onnx.TensorProto.STRING, [None]),
        helper.make_tensor_value_info("probabilities", onnx.TensorProto.FLOAT, [None, model.n_classes]),
    ]
    graph = helper.make_graph(nodes, "tree", inputs, outputs)
    opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
    made = helper.make_model(graph, producer_name="gatree", opset_imports=opsets)
    made.ir_version = _IR_VERSION
    onnx.checker.check_model(made)
    return made


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


def _classifier(helper: Any, model: NamedTree) -> Any:
    tree, shares = model.tree, class_shares(model)
    leaves = [node for node in range(model.n_nodes) if tree.is_leaf(node)]
    classes = list(range(model.n_classes))
    modes = [_mode(model, node) for node in range(model.n_nodes)]
    values = [0.0 if tree.is_leaf(node) else _value(model, node) for node in range(model.n_nodes)]
    return helper.make_node(
        "TreeEnsembleClassifier",
        ["_codes"],
        ["label", "probabilities"],
        domain="ai.onnx.ml",
        nodes_treeids=[0] * model.n_nodes,
        nodes_nodeids=list(range(model.n_nodes)),
        nodes_featureids=[max(0, int(tested)) for tested in tree.attribute],
        nodes_modes=modes,
        nodes_values_as_tensor=helper.make_tensor("thresholds", 11, [model.n_nodes], values),
        nodes_truenodeids=[0 if tree.is_leaf(node) else tree.left(node) for node in range(model.n_nodes)],
        nodes_falsenodeids=[0 if tree.is_leaf(node) else tree.right(node) for node in range(model.n_nodes)],
        nodes_missing_value_tracks_true=[0] * model.n_nodes,
        class_treeids=[0] * (len(leaves) * len(classes)),
        class_nodeids=[leaf for leaf in leaves for _ in classes],
        class_ids=classes * len(leaves),
        class_weights_as_tensor=helper.make_tensor(
            "shares", 11, [len(leaves) * len(classes)], shares[leaves].ravel()
        ),
        classlabels_strings=list(model.class_values),
        post_transform="NONE",
    )


def _mode(model: NamedTree, node: int) -> str:
    if model.tree.is_leaf(node):
        return "LEAF"
    return "BRANCH_EQ" if model.attribute(node).is_nominal else "BRANCH_LEQ"


def _value(model: NamedTree, node: int) -> float:
    """Return what an inner node compares with: the index of a category, or a threshold."""
    return float(model.tree.value[node]) if model.attribute(node).is_nominal else model.threshold(node)
