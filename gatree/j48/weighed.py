"""A tree of ours as a J48 tree: the way back from `convert`.

J48's trees have no classes of their own but the training weights of their leaves, so a data set goes with the
tree: its instances are sent down as J48 sends them, those with a missing value down both branches in parts.
A leaf then says the class that most of its weight has.
"""

from __future__ import annotations

import numpy as np

from gatree.data.dataset import Dataset
from gatree.errors import DataError
from gatree.j48.flatten import flat
from gatree.j48.grow import Node
from gatree.j48.problem import J48Problem, Sample, weigh
from gatree.j48.split import Split
from gatree.j48.tables import NUMERIC, ONE_VALUE, equal
from gatree.j48.tree import J48Tree
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree


def from_decision_tree(tree: DecisionTree, dataset: Dataset, *, laplace: bool = False) -> J48Tree:
    """Return a `DecisionTree` as a J48 tree with binary splits, its weights taken from a data set.

    It prints as WEKA's do, and treats missing values as J48 does. A J48 tree with binary splits that became a
    `DecisionTree` comes back as it was, given its training data.

    Raises
    ------
    DataError
        If the data have other attributes or classes than the tree, or no instance with a class.
    """
    if (dataset.attributes, dataset.class_attribute) != (tree.attributes, tree.class_attribute):
        raise DataError(f"{dataset.name}: the attributes are not those that the tree was built from")
    rows = np.flatnonzero(dataset.classes >= 0)
    if not len(rows):
        raise DataError(f"{dataset.name}: no instance has a class, so the leaves would have no weight")
    problem = J48Problem.of(dataset)
    root = _node(problem, Sample.of(rows))
    pending = [(0, root)]
    while pending:
        position, node = pending.pop()
        if tree.tree.attribute[position] == LEAF:
            node.is_empty = equal(node.counts[-1], 0.0)
            continue
        node.split = _split(tree, position).redistributed(problem, node.sample)
        node.counts = node.split.table[-1]
        node.children = [_node(problem, sample) for sample in node.split.spread(problem, node.sample)]
        passed = position + 1
        failed = passed + int(tree.tree.span[passed])
        pending += zip((passed, failed), node.children, strict=True)
    return J48Tree(tree.attributes, tree.class_attribute, flat(root), binary_splits=True, laplace=laplace)


def _node(problem: J48Problem, sample: Sample) -> Node:
    return Node(sample, None, weigh(problem, sample))


def _split(tree: DecisionTree, position: int) -> Split:
    """Return the test at a node; which instances it divides is not yet known."""
    attribute, value = int(tree.tree.attribute[position]), int(tree.tree.value[position])
    n_classes = len(tree.class_attribute.values)
    unknown = np.zeros((3, n_classes + 1))
    if tree.coding.is_numeric[attribute]:
        threshold = float(tree.coding.thresholds[attribute][value])
        return Split(attribute, NUMERIC, threshold, unknown)
    return Split(attribute, ONE_VALUE, float(value), unknown)
