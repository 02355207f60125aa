"""Goals other than the paper's: class weights, minimum leaf sizes, majority leaves, custom payoffs."""

from dataclasses import replace
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import datasets

from gatree.base.errors import ConfigError, DataError
from gatree.data.attribute import Attribute
from gatree.data.catalog import load_dataset
from gatree.data.dataset import Dataset
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.payoff import payoff
from gatree.evolution.problem import Problem
from gatree.evolution.scoring import integer_targets
from gatree.j48 import fit
from gatree.kernels.decorators import COMPILED
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS
from gatree.trees.recode import recoded


def test_eq_1_as_a_custom_payoff_gives_the_same_evolution():
    def eq_1(n_correct, n_instances, n_nodes, n_leaves, x):
        assert ((n_nodes + 1) // 2 == n_leaves).all()
        return payoff(n_correct, n_instances, n_nodes, x)

    problem = Problem.of(load_dataset("zoo"))
    chosen = EvolutionSettings(population_size=40, n_generations=40, mutation_rate=0.5)
    own = evolve(problem, chosen, payoff_function=eq_1)
    assert np.array_equal(own.history, evolve(problem, chosen).history)


@pytest.mark.parametrize(
    ("selection", "function", "complaint"),
    [
        ("tournament", lambda n_correct, *_: n_correct / 0.0, "finite"),
        ("tournament", lambda *_: 1.0, r"one number per tree, of shape \(200,\), got \(\)"),
        ("tournament", lambda n_correct, *_: n_correct[1:], r"got \(199,\)"),
        ("roulette", lambda n_correct, *_: n_correct - 50.0, "not be negative with selection roulette"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_invalid_payoffs_are_rejected(selection, function, complaint):
    chosen = EvolutionSettings(population_size=200, selection=selection)
    with pytest.raises(ConfigError, match=complaint):
        evolve(load_dataset("zoo"), chosen, payoff_function=function)


SUMMING = ["old", "new", "new-all-nodes"]
QUICK = {"population_size": 12, "n_generations": 8, "mutation_rate": 1.0, "grow_share": 1.0}


def living(evolution: Evolution) -> list:
    return [naive.to_nested(evolution.population.tree(slot)) for slot in evolution.population.alive]


# --- regression targets --------------------------------------------------------------------------


def numeric_problem(data: Dataset, target: np.ndarray) -> Problem:
    only = Attribute("number", "nominal", ("mean",))
    classes = np.zeros(data.n_instances, dtype=np.int32)
    return Problem.of(replace(data, class_attribute=only, classes=classes)).with_target(target)


@pytest.mark.no_jit
@settings(max_examples=15 if COMPILED else 3)
@given(data=datasets(min_instances=2, max_instances=20), seed=st.integers(0, 1000))
def test_regression_scores_are_exact_in_all_evaluators(data: Dataset, seed: int):
    target = np.random.default_rng(seed).normal(size=data.n_instances).round(1)
    problem = numeric_problem(data, target)
    histories = []
    for evaluator in SUMMING:
        chosen = EvolutionSettings(**QUICK, evaluator=evaluator, seed=seed)
        evolution = Evolution(problem, chosen)
        evolution.advance(8)
        histories.append(evolution.history["best_correct"].tolist())
        units, plain = problem.scoring.target, naive.Data.of(problem.dataset)
        for slot in evolution.population.alive:
            leaves = naive.instances_at_leaves(plain, naive.to_nested(evolution.population.tree(slot)))
            sums = [(sum(int(units[i]) for i in rows), len(rows)) for rows in leaves.values() if rows]
            expected = sum(total * total // n for total, n in sums)
            assert evolution.population.trees.n_correct[slot] == expected
    assert histories[0] == histories[1] == histories[2]


@given(st.lists(st.floats(-1e12, 1e12), min_size=2, max_size=50))
def test_integer_targets_are_precise_and_their_squares_fit(numbers: list[float]):
    target = np.array(numbers)
    units = integer_targets(target)
    assert sum(int(unit) ** 2 for unit in units) < 2**31
    if np.ptp(target) > 1e-300:  # below, the expected values of this test have no precision left
        assert sum(int(unit) ** 2 for unit in units) > 2**31 * 0.98
        unit = Fraction(float(np.ptp(target))) / max(1, int(np.ptp(units)))
        errors = np.abs((target - target.mean()) - units * float(unit))
        assert errors.max() <= 1.01 * float(unit)


def test_bitset_rejects_regression():
    data = load_dataset("zoo")
    with pytest.raises(ConfigError, match="bitset counts classes, not numbers; use new or old"):
        Evolution(numeric_problem(data, np.arange(101.0)), EvolutionSettings(evaluator="bitset"))


# --- costs ---------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(data=datasets(min_instances=1, max_instances=20, min_classes=2), draw=st.data())
def test_costs_are_exact_in_all_evaluators(data: Dataset, draw: st.DataObject):
    n = data.n_classes
    costs = np.array(
        draw.draw(st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=n, max_size=n))
    )
    costs[:, 0] += 1 + costs.max()  # every row has a label that saves costs
    problem = Problem.of(data).with_costs(costs.astype(float))
    found = []
    for evaluator in EVALUATORS:
        evolution = Evolution(problem, EvolutionSettings(**QUICK, leaf_class="majority", evaluator=evaluator))
        evolution.advance(8)
        found.append((living(evolution), evolution.history["best_correct"].tolist()))
        best, plain = evolution.best, naive.Data.of(data)
        gained = [
            costs[c].max() - costs[c, naive.way(plain, naive.to_nested(best), i)[1]]
            for i, c in enumerate(data.classes)
        ]
        assert evolution.outcome().n_correct == sum(gained)
        assert evolution.total_weight == sum(costs[c].max() - costs[c].min() for c in data.classes)
    assert all(one == found[0] for one in found)


# --- monotonic constraints -----------------------------------------------------------------------


@pytest.mark.parametrize("leaf_class", ["random", "majority"])
def test_a_first_population_always_has_a_monotonic_tree(leaf_class: str):
    column = np.arange(8.0)
    attributes, labels = (Attribute("x", "numeric"),), Attribute("c", "nominal", ("no", "yes"))
    data = Dataset("m", attributes, (column,), labels, (column < 4).astype(np.int32), 1)
    problem = Problem.of(data).with_monotonic(np.array([1], dtype=np.int8))
    for seed in range(40):
        chosen = EvolutionSettings(population_size=2, n_generations=3, leaf_class=leaf_class, seed=seed)
        assert (np.diff(evolve(problem, chosen).tree.predict(data)) >= 0).all()


# --- depth, and initial trees ---------------------------------------------------------------------


def test_invalid_initial_trees_are_rejected():
    data = load_dataset("glass")
    problem = Problem.of(data, "observed")
    genome = recoded(fit(data).to_decision_tree(), problem.coding, problem.dataset)
    with pytest.raises(ConfigError, match="more than max_nodes or max_depth allow"):
        evolve(problem, EvolutionSettings(max_depth=2), initial=[genome])
    with pytest.raises(ConfigError, match="room for 1, got 2"):
        evolve(problem, EvolutionSettings(population_size=2), initial=[genome, genome])
    other = load_dataset("zoo")
    with pytest.raises(DataError, match="no attribute"):
        recoded(fit(data).to_decision_tree(), Problem.of(other).coding, other)


def test_outcome_of_a_data_frame_has_names():
    data = load_dataset("vote")
    chosen = EvolutionSettings(**QUICK)
    outcome = evolve(data, chosen)
    from_frame = evolve(data.to_frame(), chosen, target="Class")
    assert from_frame.best == outcome.best
    assert outcome.tree.n_nodes == outcome.best.n_nodes
    assert repr(outcome).startswith("<Outcome on 'vote': ")
    assert str(outcome).startswith(outcome.tree.to_text())
    assert "<svg" in outcome._repr_html_()
