"""Custom payoffs, initial trees, and what an outcome shows."""

import numpy as np
import pytest

from gatree.base.errors import ConfigError, DataError
from gatree.data.catalog import load_dataset
from gatree.evolution.evolve import evolve
from gatree.evolution.payoff import payoff
from gatree.evolution.problem import Problem
from gatree.j48 import fit
from gatree.settings.evolution_settings import EvolutionSettings
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


QUICK = {"population_size": 12, "n_generations": 8, "mutation_rate": 1.0, "grow_share": 1.0}


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
