"""A simplified tree predicts the same on any input, has no test that never matters, and keeps its counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import datasets, trees

from gatree import load_dataset
from gatree.data.coding import code
from gatree.trees.genome import LEAF, Tree, predict
from gatree.trees.model import DecisionTree
from gatree.trees.simplify import simplify

NUMERIC, NOMINAL = 0, 1
KINDS = np.array([True, False])


def simple(shape: object) -> Tree:
    return simplify(Tree.nested(shape), KINDS).tree


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ((NUMERIC, 5, (NUMERIC, 7, 0, 1), 1), (NUMERIC, 5, 0, 1)),  # x <= 5, so x <= 7
        ((NUMERIC, 5, (NUMERIC, 5, 0, 1), 1), (NUMERIC, 5, 0, 1)),
        ((NUMERIC, 5, 0, (NUMERIC, 3, 0, 1)), (NUMERIC, 5, 0, 1)),  # not x <= 5, so not x <= 3
        ((NUMERIC, 5, (NUMERIC, 3, 0, 1), 1), (NUMERIC, 5, (NUMERIC, 3, 0, 1), 1)),
        ((NUMERIC, 5, 0, (NUMERIC, 7, 0, 1)), (NUMERIC, 5, 0, (NUMERIC, 7, 0, 1))),
        ((NOMINAL, 1, (NOMINAL, 2, 0, 1), 0), (NOMINAL, 1, 1, 0)),  # it is 1, so it is not 2
        ((NOMINAL, 1, (NOMINAL, 1, 0, 1), 1), (NOMINAL, 1, 0, 1)),
        ((NOMINAL, 1, 0, (NOMINAL, 1, 0, 1)), (NOMINAL, 1, 0, 1)),
        ((NOMINAL, 1, 0, (NOMINAL, 0, 1, 0)), (NOMINAL, 1, 0, (NOMINAL, 0, 1, 0))),  # it may be missing
        ((NUMERIC, 5, 1, 1), 1),
        ((NUMERIC, 5, (NOMINAL, 0, 0, 1), (NOMINAL, 0, 0, 1)), (NOMINAL, 0, 0, 1)),
        ((NOMINAL, 0, (NUMERIC, 5, (NUMERIC, 7, 0, 1), 0), 0), 0),  # one leads to the other
    ],
)
def test_tests_that_never_matter_are_left_out(raw, expected):
    assert simple(raw) == Tree.nested(expected)


def all_codes(n_tests: list[int]) -> np.ndarray:
    """Every input that tests can tell apart, missing values included (code `n_tests`)."""
    grid = np.meshgrid(*(np.arange(n + 1) for n in n_tests), indexing="ij")
    return np.array([axis.ravel() for axis in grid], dtype=np.uint8)


@given(source=st.data(), kinds=st.lists(st.booleans(), min_size=2, max_size=2))
def test_predictions_are_the_same_on_every_input(source, kinds):
    n_tests = [3, 4]
    raw = source.draw(trees(np.array(n_tests), 3))
    is_numeric, codes = np.array(kinds), all_codes(n_tests)
    tree, _ = simplify(raw, is_numeric)
    assert np.array_equal(predict(raw, codes, is_numeric), predict(tree, codes, is_numeric))
    assert tree.n_nodes <= raw.n_nodes
    assert simplify(tree, is_numeric).tree == tree, "simplifying again finds nothing"
    for node in np.flatnonzero(tree.attribute != LEAF).tolist():
        left, right = tree.left(node), tree.right(node)
        assert not (tree.is_leaf(left) and tree.is_leaf(right) and tree.value[left] == tree.value[right])


@given(source=st.data(), data=datasets(min_instances=1))
def test_counts_and_thresholds_are_those_of_a_tree_made_anew(source, data):
    coding = code(data, "observed")
    raw = DecisionTree.of(source.draw(trees(coding.n_tests, data.n_classes)), coding, data)
    tree = raw.simplified()
    assert tree == tree.with_counts(data)
    assert tree == DecisionTree.from_json(tree.to_json())
    assert np.array_equal(raw.predict(data), tree.predict(data))


def test_a_tree_with_nothing_to_leave_out_is_itself():
    data = load_dataset("zoo")
    tree = DecisionTree.of(Tree.nested((0, 0, 1, 0)), code(data, "integer"), data)
    assert tree.simplified() is tree
