"""A tree as a genome in the tests of other data, from which an evolution can start."""

from __future__ import annotations

import numpy as np

from gatree.base.errors import DataError, did_you_mean
from gatree.data.attribute import missing
from gatree.data.coding import Coding
from gatree.data.dataset import Dataset
from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import DecisionTree


def recoded(model: DecisionTree, coding: Coding, dataset: Dataset) -> Tree:
    """Return a tree as a genome in the tests of a data set's coding."""
    nodes = [_recoded(model, node, coding, dataset) for node in range(model.n_nodes)]
    return Tree.from_preorder(*zip(*nodes, strict=True))


def _recoded(model: DecisionTree, node: int, coding: Coding, dataset: Dataset) -> tuple[int, int]:
    """Return the attribute and the value of a node."""
    if model.tree.is_leaf(node):
        return LEAF, _place_of(model.label(node), dataset.class_values, f"{dataset.name}: no class")
    index = dataset.attribute_index(model.attribute(node).name)
    attribute = dataset.attributes[index]
    if attribute.is_nominal != model.attribute(node).is_nominal:
        raise DataError(f"{dataset.name}: the tree tests {attribute.name!r} as another kind of attribute")
    if attribute.is_nominal:
        unknown = f"{dataset.name}: no value of {attribute.name}"
        return index, _place_of(model.category(node), attribute.values, unknown)
    if coding.n_tests[index] == 0:
        raise DataError(f"{dataset.name}: {attribute.name!r} has one value only, nothing to test")
    # The candidate below which are as many instances as below the threshold.
    known = np.sort(dataset.columns[index][~missing(dataset.columns[index])])
    below = np.searchsorted(known, coding.thresholds[index], side="right")
    return index, int(np.abs(below - np.searchsorted(known, model.threshold(node), side="right")).argmin())


def _place_of(name: str, known: tuple[str, ...], unknown: str) -> int:
    if name not in known:
        raise DataError(f"{unknown} {name!r}{did_you_mean(name, known)}")
    return known.index(name)
