"""Crossover and mutation equal the naive twin, and satisfy invariants for every child."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from evolution.manual_breeding import ManualBreeding
from hypothesis import given
from hypothesis import strategies as st
from strategies import datasets, trees

from gatree.data.coding import code
from gatree.evolution.breed import NONE
from gatree.evolution.evaluators.old_and_new import most_levels
from gatree.evolution.operators import CUT, MUTATE, N_DRAWS
from gatree.evolution.problem import Problem
from gatree.trees.genome import Tree, check


@st.composite
def pairs(draw):
    """Draw a data set, two trees for it, and a row of uniform numbers for each of their two children."""
    data = draw(datasets(min_instances=1, max_instances=12))
    n_tests = code(data, "integer").n_tests
    parents = [draw(trees(n_tests, data.n_classes)) for _ in range(2)]
    seed = draw(st.integers(0, 2**32))
    return data, parents, np.random.default_rng(seed).random((2, N_DRAWS))


@pytest.mark.no_jit
@given(
    pair=pairs(),
    mutation_rate=st.sampled_from([0.0, 0.5, 1.0]),
    prune_share=st.sampled_from([0.0, 0.5]),
    max_nodes=st.sampled_from([9, 10**6]),
    others=st.fixed_dictionaries(
        {},
        optional={
            "crossover_rate": st.sampled_from([0.0, 0.3, 0.5]),
            "root_share": st.sampled_from([0.0, 0.5, 0.9]),
            "shift_share": st.sampled_from([0.3, 0.5]),
            "grow_share": st.sampled_from([0.5, 1.0]),
            "max_depth": st.sampled_from([1, 2, 3]),
        },
    ),
)
def test_children_equal_the_naive_twins(pair, mutation_rate, prune_share, max_nodes, others):
    data, parents, draws = pair
    breeding = ManualBreeding(Problem.of(data), parents)
    births = breeding.breed(draws, mutation_rate, prune_share, max_nodes, **others)
    nested = [naive.to_nested(tree) for tree in parents]
    expected = naive.breed(
        naive.Data.of(data), nested, draws, mutation_rate, prune_share, max_nodes, **others
    )
    for k, child in enumerate(expected):
        tree = breeding.tree(births.slot[k])
        check(tree)
        assert naive.to_nested(tree) == child.tree
        assert births.source[k] == child.source
        assert births.rejected[k] == child.rejected
        paths = [path for path, _ in naive.nodes(child.tree)]
        assert [paths[node] for node in births.stale[k] if node != NONE] == child.stale


@given(pair=pairs())
def test_parents_are_never_changed(pair):
    data, parents, draws = pair
    breeding = ManualBreeding(Problem.of(data), parents)
    before = [breeding.tree(slot) for slot in range(2)]
    births = breeding.breed(draws, mutation_rate=1.0)
    breeding.evaluate(births)
    assert [breeding.tree(slot) for slot in range(2)] == before == parents
    for slot, tree in enumerate(parents):
        kept = breeding.evaluator.memory
        correct = naive.n_correct(naive.Data.of(data), naive.to_nested(tree))
        n_nodes = breeding.tree(slot).n_nodes
        kept_correct = kept.correct[slot, :n_nodes].sum()
        assert kept_correct == breeding.population.trees.n_correct[slot] == correct


@given(pair=pairs())
def test_crossover_keeps_the_total_number_of_nodes(pair):
    data, parents, draws = pair
    breeding = ManualBreeding(Problem.of(data), parents)
    births = breeding.breed(draws)
    assert breeding.population.trees.n_nodes[births.slot].sum() == sum(tree.n_nodes for tree in parents)


@pytest.mark.no_jit
@given(pair=pairs())
def test_a_tree_has_one_level_more_than_its_depth(pair):
    data, parents, _ = pair
    trees = ManualBreeding(Problem.of(data), parents).population.trees
    level = np.zeros_like(trees.span[0])
    for slot, tree in enumerate(parents):
        assert most_levels(trees, np.array([slot]), level) == tree.depth + 1


def two_stumps() -> tuple[Problem, list[Tree]]:
    table = datasets_table()
    return Problem.of(table), [Tree.nested((0, 0, 0, 1)), Tree.nested((1, 0, 1, 0))]


def datasets_table():
    from gatree.data.attribute import Attribute
    from gatree.data.dataset import Dataset

    columns = (np.array([0, 0, 0, 1, 1, 1], np.int32), np.array([0, 1, 0, 1, 0, 1], np.int32))
    attributes = tuple(Attribute(name, "nominal", ("x", "y")) for name in "ab")
    classes = np.array([0, 1, 0, 1, 1, 1], np.int32)
    return Dataset("table", attributes, columns, Attribute("class", "nominal", ("p", "q")), classes, 2)


def cuts(first: float, second: float) -> np.ndarray:
    draws = np.zeros((2, N_DRAWS))
    draws[:, CUT] = first, second
    draws[:, MUTATE] = 1.0  # never
    return draws


@pytest.mark.parametrize("evaluator", ["new", "new-all-nodes"])
def test_two_roots_swap_and_nothing_is_reclassified(evaluator):
    problem, parents = two_stumps()
    breeding = ManualBreeding(problem, parents, evaluator)
    births = breeding.breed(cuts(0.0, 0.0))
    breeding.evaluate(births)
    assert [breeding.tree(slot) for slot in births.slot] == parents[::-1]
    assert births.source.tolist() == [1, 0]
    assert breeding.ledger.instances_reclassified == 0
    correct = breeding.population.trees.n_correct
    assert correct[births.slot].tolist() == correct[[1, 0]].tolist()


@pytest.mark.parametrize("evaluator", ["new", "new-all-nodes"])
def test_one_root_makes_everything_stale(evaluator):
    problem, parents = two_stumps()
    breeding = ManualBreeding(problem, parents, evaluator)
    births = breeding.breed(cuts(0.0, 0.99))  # child 0: a leaf; child 1: a tree of five nodes
    breeding.evaluate(births)
    assert births.stale.tolist() == [[0, NONE], [2, NONE]]
    assert breeding.population.trees.n_nodes[births.slot].tolist() == [1, 5]
    assert breeding.ledger.instances_reclassified == 6 + 3


def test_a_child_above_max_nodes_is_rejected_and_its_parent_copied():
    problem, parents = two_stumps()
    breeding = ManualBreeding(problem, parents)
    births = breeding.breed(cuts(0.0, 0.99), max_nodes=4)
    assert births.rejected.tolist() == [False, True]
    assert breeding.tree(births.slot[1]) == parents[1]
