"""The generation loop: invariants, history and stopping."""

from __future__ import annotations

import numpy as np
import pytest

from gatree.base.errors import DataError
from gatree.data.attribute import MISSING
from gatree.data.catalog import load_dataset
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS
from gatree.trees.genome import check, predict


@pytest.fixture(scope="module")
def zoo() -> Problem:
    return Problem.of(load_dataset("zoo"))


SHORT = EvolutionSettings(
    population_size=40, n_generations=60, mutation_rate=0.5, x_factor="1e4..1e5", seed=3
)


def test_the_outcome_equals_the_predictions_of_its_tree(zoo):
    outcome = evolve(zoo, SHORT)
    predicted = predict(outcome.best, zoo.instances.codes, zoo.instances.is_numeric)
    assert outcome.n_correct == int((predicted == zoo.dataset.classes).sum())
    x = 1e5
    assert outcome.payoff == (outcome.n_correct / 101) ** 2 * (x / (outcome.best.n_nodes**2 + x))
    assert outcome.n_evaluations == 40 + 60 * 5
    assert outcome.ledger.instances_total == 60 * 5 * 101


@pytest.mark.parametrize("replacement", ["worst", "best"])
@pytest.mark.parametrize("gap", [0.1, 0.25, 1.0])
def test_the_best_tree_is_never_lost(zoo, gap, replacement):
    chosen = SHORT.model_copy(update={"generation_gap": gap, "replacement": replacement})
    best = evolve(zoo, chosen.model_copy(update={"x_factor": SHORT.x_factor.parse("1e4")})).history[
        "best_payoff"
    ]
    assert (np.diff(best) >= 0).all()
    assert best[-1] > best[0]


def test_history_has_a_row_per_generation(zoo):
    history = evolve(zoo, SHORT).history
    assert len(history) == 61
    assert (history["mean_payoff"] <= history["best_payoff"] * (1 + 1e-12)).all()  # a mean is rounded
    assert history["instances_total"][0] == 0
    assert (np.diff(history["instances_total"]) == 5 * 101).all()


def test_rows_grow_with_the_trees():
    """Only memory limits a tree: if size has no cost, trees outgrow the first rows."""
    problem = Problem.of(load_dataset("balance-scale"))
    chosen = EvolutionSettings(
        population_size=100, n_generations=150, x_factor="1e9", mutation_rate=0.5, seed=1
    )
    evolution = Evolution(problem, chosen)
    first_width = evolution.population.trees.width
    for _ in range(150):
        evolution.step()
    assert evolution.population.trees.n_nodes.max() > first_width
    for slot in evolution.population.alive:
        check(evolution.population.tree(slot))


def test_max_nodes_is_respected_and_rejections_are_counted():
    problem = Problem.of(load_dataset("balance-scale"))
    chosen = EvolutionSettings(population_size=60, n_generations=100, x_factor="1e9", max_nodes=9, seed=1)
    evolution = Evolution(problem, chosen)
    for _ in range(100):
        evolution.step()
        assert evolution.population.trees.n_nodes.max() <= 9
    assert evolution.outcome().n_rejected > 0


def test_a_callback_that_returns_true_stops_the_evolution(zoo):
    seen = []

    def stop_after_five(evolution: Evolution) -> bool:
        seen.append(evolution.generation)
        return evolution.generation == 5

    outcome = evolve(zoo, SHORT, on_generation=stop_after_five)
    assert seen == [1, 2, 3, 4, 5]
    assert outcome.n_generations == 5
    assert len(outcome.history) == 6


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize("gap", [0.1, 0.33, 1.0])
def test_one_call_for_many_generations_equals_single_steps(zoo, evaluator, gap):
    """Control passes from compiled code to Python and back at any generation."""
    chosen = SHORT.model_copy(update={"evaluator": evaluator, "generation_gap": gap})
    single, some, all_at_once = (Evolution(zoo, chosen) for _ in range(3))
    for _ in range(60):
        single.step()
    for n in (1, 0, 17, 2, 40):
        some.advance(n)
    all_at_once.advance(60)
    for evolution in (some, all_at_once):
        assert evolution.generation == 60
        assert np.array_equal(evolution.history, single.history)
        assert evolution.best == single.best
        assert evolution.evaluator.ledger.tolist() == single.evaluator.ledger.tolist()


def test_instances_without_a_class_are_dropped():
    data = load_dataset("zoo")
    classes = data.classes.copy()
    classes[:11] = MISSING
    holes = type(data)(
        data.name, data.attributes, data.columns, data.class_attribute, classes, data.class_position
    )
    assert Problem.of(holes).n_instances == 90


def test_no_instances_is_an_error():
    data = load_dataset("zoo").take(np.array([], dtype=np.intp))
    with pytest.raises(DataError, match="zoo: there is no instance with a class to learn from"):
        evolve(data, SHORT)


def test_phase_times_do_not_exceed_the_total(zoo):
    timing = evolve(zoo, SHORT).timing
    assert 0 < timing.breed + timing.evaluate + timing.replace <= timing.total
