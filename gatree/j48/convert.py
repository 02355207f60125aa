"""A J48 tree as a tree of ours: to be drawn, kept in a file, exported, or evolved on.

A branch for every value becomes a chain of tests for one value each. Predictions are J48's for instances
without missing values; J48 sends a missing value down all branches in parts, ours sends it to the right.
J48 also takes numbers up to 1e-6 above a threshold for equal to it, as everywhere in WEKA.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gatree.data.attribute import Attribute
from gatree.data.coding import Coding
from gatree.j48.nodes import Nodes
from gatree.j48.tables import EVERY_VALUE, NUMERIC, Floats
from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import DecisionTree


class _Step(NamedTuple):
    """A node of the tree, the first of its branches that is not yet tested for, and its parent."""

    node: int
    branch: int
    parent: int


def to_decision_tree(
    nodes: Nodes, attributes: tuple[Attribute, ...], class_attribute: Attribute
) -> DecisionTree:
    """Return the nodes of a J48 tree as a `DecisionTree`.

    Its counts are J48's weights, rounded: with missing values these are no whole numbers.
    """
    thresholds = [
        np.unique(nodes.threshold[(nodes.attribute == index) & (nodes.kind == NUMERIC)])
        for index in range(len(attributes))
    ]
    tested, value, weights = [], [], []
    pending = [_Step(0, 0, 0)]
    while pending:
        step = pending.pop()
        here = _weights(nodes, step)
        weights.append(here)
        attribute = int(nodes.attribute[step.node])
        if attribute < 0:
            tested.append(LEAF)
            value.append(int(_opinion(nodes, step)[:-1].argmax()))
            continue
        tested.append(attribute)
        if nodes.kind[step.node] == NUMERIC:
            value.append(int(np.searchsorted(thresholds[attribute], nodes.threshold[step.node])))
        elif nodes.kind[step.node] == EVERY_VALUE:
            value.append(step.branch)
        else:
            value.append(int(nodes.threshold[step.node]))
        pending += reversed(_below(nodes, step))
    return DecisionTree(
        tree=Tree.from_preorder(tested, value),
        attributes=attributes,
        class_attribute=class_attribute,
        coding=Coding.of(attributes, thresholds),
        counts=np.rint(np.array(weights)[:, :-1]).astype(np.int64),
    )


def _children(nodes: Nodes, node: int) -> list[int]:
    start, stop = nodes.child_start[node : node + 2]
    return [int(child) for child in nodes.children[start:stop]]


def _below(nodes: Nodes, step: _Step) -> list[_Step]:
    """Return where a passed and a failed test lead."""
    children = _children(nodes, step.node)
    passed = _Step(children[step.branch], 0, step.node)
    if step.branch + 2 < len(children):
        return [passed, step._replace(branch=step.branch + 1)]
    return [passed, _Step(children[step.branch + 1], 0, step.node)]


def _weights(nodes: Nodes, step: _Step) -> Floats:
    """Return the training weight of every class, and the sum, that comes to a step."""
    if step.branch == 0:
        return np.asarray(nodes.counts[step.node])
    later = _children(nodes, step.node)[step.branch :]
    return np.asarray(nodes.branch_counts[later].sum(axis=0))


def _opinion(nodes: Nodes, leaf: _Step) -> Floats:
    """Return the weights that decide a leaf's class: its parent's, if no training instance came here."""
    for weights in (nodes.counts[leaf.node], nodes.branch_counts[leaf.node]):
        if weights[-1] > 0:
            return np.asarray(weights)
    return np.asarray(nodes.counts[leaf.parent])
