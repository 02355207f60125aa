"""The preorder layout: building, invariants, predictions."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import datasets, trees

from gatree import load_dataset
from gatree.base.errors import DataError
from gatree.data.coding import code
from gatree.evolution.problem import Problem
from gatree.trees.genome import LEAF, Tree, check, predict
from gatree.trees.model import DecisionTree
from gatree.trees.simplify import simplify

ANY = trees(np.array([3, 2, 5]), 4)


@given(tree=ANY)
def test_nested_and_flat_are_the_same(tree):
    check(tree)
    assert Tree.nested(naive.to_nested(tree)) == tree
    assert tree.n_leaves == int((tree.attribute < 0).sum())
    assert tree.depth == max(len(path) for path, _ in naive.nodes(naive.to_nested(tree)))
    assert tree.depths().tolist() == [len(path) for path, _ in naive.nodes(naive.to_nested(tree))]
    parents = tree.parents().tolist()
    assert parents[0] == 0
    for node, parent in enumerate(parents[1:], 1):
        assert node in (tree.left(parent), tree.right(parent))
    again = Tree.from_preorder(tree.attribute.tolist(), tree.value.tolist())
    assert again == tree
    assert again.span.tolist() == tree.span.tolist()


@given(first=ANY, second=ANY)
def test_equality_is_that_of_the_nested_trees(first, second):
    same = naive.to_nested(first) == naive.to_nested(second)
    assert (first == second) == same
    if same:
        assert hash(first) == hash(second)


@pytest.mark.parametrize(
    ("attribute", "span"),
    [
        ([], []),
        ([0], [1]),
        ([-1, -1], [2, 1]),
        ([0, -1], [2, 1]),
        ([0, -1, -1], [3, 2**30, 1]),
        ([-2, -1, -1], [3, 1, 1]),
        ([0, -1, 0, -1, -1], [5, 2, 2, 1, 1]),
    ],
)
def test_what_is_not_a_tree_is_refused(attribute, span):
    arrays = [np.array(part, dtype=np.int32) for part in (attribute, [0] * len(attribute), span)]
    with pytest.raises(DataError):
        Tree(*arrays)


@given(tree=ANY, node=st.integers(0, 20), span=st.integers(-3, 30))
def test_a_span_is_right_or_refused(tree, node, span):
    node %= tree.n_nodes
    changed = tree.span.copy()
    changed[node] = span
    if span == tree.span[node]:
        check(tree)
    else:
        with pytest.raises(DataError):
            Tree(tree.attribute, tree.value, changed)


def test_predictions_need_the_codes_of_every_attribute_that_is_tested():
    codes = np.zeros((2, 3), dtype=np.uint8)
    with pytest.raises(DataError, match="tests attribute 2"):
        predict(Tree.nested((2, 0, 0, 1)), codes, np.array([True, True]))
    with pytest.raises(DataError, match="their kinds"):
        predict(Tree.nested((1, 0, 0, 1)), codes, np.array([True]))


@pytest.mark.no_jit
@given(
    source=st.data(), data=datasets(min_instances=1), numeric_tests=st.sampled_from(["integer", "observed"])
)
def test_predictions_equal_the_naive_twins(source, data, numeric_tests):
    """On raw values, so this also checks the coding: thresholds, missing values, nominal tests."""
    tree = source.draw(trees(code(data, numeric_tests).n_tests, data.n_classes))
    problem = Problem.of(data, numeric_tests)
    predicted = predict(tree, problem.instances.codes, problem.instances.is_numeric)
    twin = naive.Data.of(data, numeric_tests)
    nested = naive.to_nested(tree)
    assert predicted.tolist() == [naive.way(twin, nested, i)[1] for i in range(data.n_instances)]


@pytest.mark.parametrize("attribute", [[], [0], [0, LEAF], [LEAF, LEAF], [0, LEAF, LEAF, LEAF]])
def test_nodes_that_are_no_tree_are_refused(attribute):
    with pytest.raises(DataError):
        Tree.from_preorder(attribute, [0] * len(attribute))


@pytest.mark.parametrize("value", [2**31, 10**30, 0.5, "0", None, [0]])
def test_nodes_that_are_no_32_bit_numbers_or_too_many_are_refused(monkeypatch, value):
    with pytest.raises(DataError, match="integers of at most 32 bits"):
        Tree.from_preorder([0, LEAF, LEAF], [0, value, 1])
    with pytest.raises(DataError, match="got int64 of shape"):
        Tree(np.array([LEAF]), np.array([0]), np.array([1]))
    monkeypatch.setattr("gatree.trees.genome.MOST_NODES", 2)
    with pytest.raises(DataError, match="3 nodes; the limit is 2"):
        Tree.from_preorder([0, LEAF, LEAF], [0, 0, 0])


NUMERIC, NOMINAL = 0, 1
KINDS = np.array([True, False])


def simple(shape: object) -> Tree:
    return simplify(Tree.nested(shape), KINDS)[0]


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
    assert simplify(tree, is_numeric)[0] == tree, "simplifying again finds nothing"
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
