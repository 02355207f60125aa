"""A tree of ours as a J48 tree: the way back from `tree`.

J48's trees have no classes of their own but the training weights of their leaves, so a data set goes with the
tree: its instances are sent down as J48 sends them, those with a missing value down both branches in parts.
A leaf then says the class that most of its weight has.
"""

from __future__ import annotations

import numpy as np

from gatree.base.errors import DataError
from gatree.data.dataset import Dataset
from gatree.j48.build import build, flat
from gatree.j48.growing import LEAF, Growing
from gatree.j48.problem import J48Problem, Room, Search
from gatree.j48.settings import J48Settings, Options
from gatree.j48.tables import NUMERIC, ONE_VALUE
from gatree.j48.tree import J48Tree
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
    problem, settings = J48Problem.of(dataset), J48Settings(pruning="none")
    growing = Growing.of(tree.tree.n_nodes, len(rows), problem.n_classes)
    growing.done["n_nodes"] = tree.tree.n_nodes
    _put_tests(growing, tree)
    room, search = Room.of(problem.n_values, problem.n_classes), Search.of(problem, settings.binary_splits)
    growing = growing.after(build, rows, False, problem.cells, Options.of(settings), room, search)
    return J48Tree(tree.attributes, tree.class_attribute, flat(growing), binary_splits=True, laplace=laplace)


def _put_tests(growing: Growing, tree: DecisionTree) -> None:
    """Give nodes the tests of a tree; all leaves are empty until an instance comes."""
    n_placed, pending = 1, [(0, 0)]
    while pending:
        position, index = pending.pop()
        attribute, value = int(tree.tree.attribute[position]), int(tree.tree.value[position])
        node = growing.nodes[index]
        node["attribute"], node["n_children"], node["is_empty"] = attribute, 0, attribute == LEAF
        if attribute == LEAF:
            continue
        is_numeric = tree.coding.is_numeric[attribute]
        node["kind"] = NUMERIC if is_numeric else ONE_VALUE
        node["threshold"] = tree.coding.thresholds[attribute][value] if is_numeric else value
        node["first_child"], node["n_children"] = n_placed, 2
        passed = position + 1
        pending += [(passed, n_placed), (passed + int(tree.tree.span[passed]), n_placed + 1)]
        n_placed += 2
