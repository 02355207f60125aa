"""The generation loop: invariants, history and stopping."""

from __future__ import annotations

import numpy as np
import pytest

from gatree.base.errors import DataError
from gatree.data.attribute import MISSING
from gatree.data.catalog import load_dataset
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.outcome import BestPerSize
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS
from gatree.trees.genome import predict


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


@pytest.mark.parametrize(("replacement", "gap"), [("worst", 0.1), ("best", 0.25), ("best", 1.0)])
def test_the_best_tree_is_never_lost(zoo, gap, replacement):
    chosen = SHORT.model_copy(update={"generation_gap": gap, "replacement": replacement})
    best = evolve(zoo, chosen.model_copy(update={"x_factor": SHORT.x_factor.parse("1e4")})).history[
        "best_payoff"
    ]
    assert (np.diff(best) >= 0).all()
    assert best[-1] > best[0]


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize("gap", [0.1, 1.0])
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


@pytest.mark.parametrize("evaluator", ["new", "bitset"])
def test_champions_are_the_best_of_all_trees(evaluator):
    settings = EvolutionSettings(
        population_size=100, n_generations=100, mutation_rate=0.5, x_factor="1e12", evaluator=evaluator
    )
    problem = Problem.of(load_dataset("balance-scale"))
    champions, most_correct = BestPerSize(), {}

    def watch(evolution: Evolution) -> None:
        champions.watch(evolution.population)
        for slot in evolution.population.alive:
            size = int(evolution.population.trees.n_nodes[slot])
            correct = int(evolution.population.trees.n_correct[slot])
            most_correct[size] = max(correct, most_correct.get(size, 0))

    outcome = evolve(problem, settings, watch)
    found = champions.champions()
    assert [(c.tree.n_nodes, c.n_correct) for c in found] == sorted(most_correct.items())
    assert outcome.best in [champion.tree for champion in found]
    assert found[-1].tree.n_nodes > 32
    for champion in found:
        predicted = predict(champion.tree, problem.instances.codes, problem.instances.is_numeric)
        assert np.count_nonzero(predicted == problem.instances.classes) == champion.n_correct
