"""Goals other than the paper's: class weights, minimum leaf sizes, majority leaves, custom payoffs."""

from __future__ import annotations

import numpy as np
import pytest
from evolution.test_lossless import assert_alike

from gatree.base.errors import ConfigError
from gatree.data.catalog import load_dataset
from gatree.evolution.evolve import evolve
from gatree.evolution.payoff import payoff
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings, validated
from gatree.settings.registry import EVALUATORS
from gatree.trees.model import DecisionTree

GOOD_TREES = EvolutionSettings(
    population_size=200,
    n_generations=60,
    mutation_rate=1.0,
    shift_share=0.25,
    prune_share=0.25,
    grow_share=1.0,
    leaf_class="majority",
    min_leaf=2,
    replacement="best",
    generation_gap=0.25,
    numeric_tests="observed",
    seed=4,
)


@pytest.mark.parametrize("evaluator", [name for name in EVALUATORS if name != "old"])
def test_other_goals_are_inherited_losslessly(evaluator):
    chosen = GOOD_TREES.model_copy(update={"class_weight": "balanced", "population_size": 80})
    assert_alike(Problem.of(load_dataset("zoo"), "observed"), evaluator, chosen)


def integer_class_weights(data, weights):
    return Problem.of(data).scored(EvolutionSettings(class_weight=weights)).scoring.class_weight


def best_tree(name, settings):
    problem = Problem.of(load_dataset(name), settings.numeric_tests)
    outcome = evolve(problem, settings)
    return outcome, DecisionTree.of(outcome.best, problem.coding, problem.dataset)


@pytest.mark.parametrize("min_leaf", [5, 20, 75])
def test_no_leaf_of_the_best_tree_is_smaller_than_min_leaf(min_leaf):
    """lymph has 148 instances: from 75 on only a single leaf is possible."""
    outcome, tree = best_tree("lymph", GOOD_TREES.model_copy(update={"min_leaf": min_leaf}))
    leaves = np.flatnonzero(tree.tree.attribute < 0)
    assert (tree.counts[leaves].sum(axis=1) >= min_leaf).all()
    assert (tree.counts[leaves].argmax(axis=1) == tree.tree.value[leaves]).all()
    assert len(leaves) == 1 if min_leaf > 74 else len(leaves) > 1
    assert outcome.n_correct == tree.counts[leaves].max(axis=1).sum()


def test_integer_weights_are_unchanged():
    zoo = load_dataset("zoo")
    assert integer_class_weights(zoo, None).tolist() == [1] * 7
    assert integer_class_weights(zoo, {"bird": 5, "fish": 0.0}).tolist() == [1, 5, 1, 0, 1, 1, 1]


def test_fractional_weights_keep_their_ratios_in_integer_units():
    data = load_dataset("credit-a")
    third = integer_class_weights(data, {"+": 1 / 3})
    assert third[0] / third[1] == pytest.approx(1 / 3, abs=1e-6)
    balanced = integer_class_weights(data, "balanced")
    sums = balanced * data.class_counts
    assert sums[0] == pytest.approx(sums[1], rel=1e-6)
    assert sums.sum() <= 2**31 - 1
    large = integer_class_weights(data, {"+": 1e6 + 0.5, "-": 1.0})
    assert (large * data.class_counts).sum() <= 2**31 - 1


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ({"birb": 2.0}, "class_weight: zoo has no class 'birb'; did you mean 'bird'"),
        (dict.fromkeys(load_dataset("zoo").class_values, 0.0), "no instance has a class with a weight"),
        ({"bird": 1e9}, "the weights of all instances add up to"),
        ({"bird": 1e9 + 0.5}, "the weights of all instances add up to"),
    ],
)
def test_invalid_weights_are_rejected(weights, complaint):
    with pytest.raises(ConfigError, match=complaint):
        integer_class_weights(load_dataset("zoo"), weights)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"class_weight": {"a": -1.0}}, "class_weight"),
        ({"class_weight": {"a": float("nan")}}, "class_weight"),
        (
            {"prune_share": 0.6, "shift_share": 0.5},
            "prune_share, shift_share: should be at most 1 together",
        ),
        ({"leaf_class": "best"}, "leaf_class: should be 'random' or 'majority', got 'best'"),
        ({"min_leaf": -1}, "min_leaf"),
    ],
)
def test_errors_name_the_invalid_setting(values, complaint):
    with pytest.raises(ConfigError, match=complaint):
        validated(EvolutionSettings, values)


def test_eq_1_as_a_custom_payoff_gives_the_same_evolution():
    def eq_1(n_correct, n_instances, n_nodes, n_leaves, x):
        assert ((n_nodes + 1) // 2 == n_leaves).all()
        return payoff(n_correct, n_instances, n_nodes, x)

    problem = Problem.of(load_dataset("zoo"))
    chosen = EvolutionSettings(population_size=40, n_generations=40, mutation_rate=0.5)
    own = evolve(problem, chosen, payoff_function=eq_1)
    assert np.array_equal(own.history, evolve(problem, chosen).history)


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (lambda n_correct, *_: n_correct / 0.0, "finite"),
        (lambda *_: 1.0, r"one number per tree, of shape \(200,\), got \(\)"),
        (lambda n_correct, *_: n_correct[1:], r"got \(199,\)"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_invalid_payoffs_are_rejected(function, complaint):
    with pytest.raises(ConfigError, match=complaint):
        evolve(load_dataset("zoo"), GOOD_TREES, payoff_function=function)


def test_roulette_rejects_negative_payoffs():
    chosen = GOOD_TREES.model_copy(update={"selection": "roulette"})
    with pytest.raises(ConfigError, match="roulette"):
        evolve(load_dataset("zoo"), chosen, payoff_function=lambda n_correct, *_: n_correct - 50.0)
