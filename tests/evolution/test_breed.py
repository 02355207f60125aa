"""Crossover and mutation equal the naive twin, and satisfy invariants for every child."""

import naive
import numpy as np
import pytest
from evolution.manual_breeding import ManualBreeding
from hypothesis import given
from hypothesis import strategies as st
from strategies import datasets, trees

from gatree.data.coding import code
from gatree.evolution import selection
from gatree.evolution.breed import NONE
from gatree.evolution.evaluators.partition import most_levels
from gatree.evolution.mutations import N_DRAWS
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import plain
from gatree.settings.registry import SELECTIONS
from gatree.trees.genome import check


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
    births = breeding.breed(draws, mutation_rate, prune_share=prune_share, max_nodes=max_nodes, **others)
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
        kept = breeding.evaluator.routed
        correct = naive.n_correct(naive.Data.of(data), naive.to_nested(tree))
        n_nodes = breeding.tree(slot).n_nodes
        kept_correct = kept.correct[slot, :n_nodes].sum()
        assert kept_correct == breeding.population.trees.n_correct[slot] == correct


@pytest.mark.no_jit
@given(pair=pairs())
def test_a_tree_has_one_level_more_than_its_depth(pair):
    data, parents, _ = pair
    trees = ManualBreeding(Problem.of(data), parents).population.trees
    for slot, tree in enumerate(parents):
        assert most_levels(plain(trees), np.array([slot])) == tree.depth + 1


PAYOFFS = st.lists(st.sampled_from([0.0, 1e-6, 0.1, 0.25, 0.5, 0.9, 0.92, 1.0]), min_size=1, max_size=20)


@pytest.mark.no_jit
@pytest.mark.parametrize("name", SELECTIONS)
@given(payoffs=PAYOFFS, n_draws=st.integers(1, 3), seed=st.integers(0, 1000))
def test_parents_equal_those_of_the_naive_twin(name, payoffs, n_draws, seed):
    ordered = np.array(sorted(payoffs, reverse=True))
    draws = np.random.default_rng(seed).random((6, n_draws))
    parents = SELECTIONS[name].load()(ordered, draws)
    assert parents.tolist() == [naive.SELECTIONS[name](ordered.tolist(), row) for row in draws]


@pytest.mark.no_jit
@pytest.mark.parametrize("payoffs", [[0.9, 0.85, 0.84, 0.8, 0.7], [*[0.5] * 9, 0.01]])
def test_scaling_keeps_the_mean_and_scales_the_best_by_its_factor_unless_some_were_negative(payoffs):
    slope, shift = selection.linear_scaling(np.array(payoffs))
    scaled, is_reachable = slope * np.array(payoffs) + shift, len(payoffs) == 5
    assert scaled.mean() == pytest.approx(np.mean(payoffs))
    most = selection.SCALING * np.mean(payoffs)
    assert scaled.max() == pytest.approx(most) if is_reachable else scaled.max() < most
    assert scaled.min() > 0 if is_reachable else scaled.min() == pytest.approx(0.0)
