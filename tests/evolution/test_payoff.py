"""Custom payoffs, initial trees, and what an outcome shows."""

import numpy as np
import pandas as pd
import pytest

from gatree.base.errors import ConfigError, DataError
from gatree.data.catalog import load_dataset
from gatree.evolution.evolve import evolve
from gatree.evolution.payoff import eq_1, payoff
from gatree.evolution.problem import Problem
from gatree.j48 import fit
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import PRESETS
from gatree.trees.recode import recoded


@pytest.mark.parametrize("preset", [{}, {"size_measure": "leaves"}, PRESETS["paper"]])
def test_eq_1_as_a_custom_payoff_gives_the_same_evolution(preset):
    problem = Problem.of(load_dataset("zoo"))
    chosen = EvolutionSettings(population_size=40, n_generations=40, mutation_rate=0.5, **preset)
    own = evolve(problem, chosen, payoff_function=eq_1)
    assert np.array_equal(own.history, evolve(problem, chosen).history)


@pytest.mark.parametrize("extra", [{}, {"leaf_class": "majority", "min_leaf": 3}])
def test_a_payoff_sees_the_correct_counts_of_every_class(extra):
    data, seen = load_dataset("vote"), []

    def watched(trees):
        assert trees.correct_per_class.sum(axis=1).tolist() == trees.n_correct.tolist()
        assert trees.class_sizes.tolist() == data.class_counts.tolist()
        assert (trees.size == 2 * trees.n_leaves - 1).all()
        seen.append((trees.x, len(trees.slots)))
        return eq_1(trees)

    settings = {"population_size": 20, "n_generations": 4, "x_factor": "1e3..1e4", "mutation_rate": 1.0}
    evolve(data, EvolutionSettings(**settings, **extra, generation_gap=0.5), payoff_function=watched)
    assert [x for x, _ in seen] == [1000, 3250, 5500, 7750, 10000]
    seen.clear()
    paper = {**PRESETS["paper"], **settings, **extra}
    evolve(data, EvolutionSettings(**paper), payoff_function=watched)
    assert [n for _, n in seen] == [20, 10, 10, 10, 10], "paid at birth"


def test_the_balanced_payoff_weighs_classes_alike():
    """90 of one class, 10 of another; a stump that finds all of the smaller beats the larger class alone."""
    numbers = [0.0] * 70 + [1.0] * 20 + [1.0] * 10
    frame = pd.DataFrame({"x": numbers, "class": ["no"] * 90 + ["yes"] * 10})
    settings = {"population_size": 30, "n_generations": 30, "mutation_rate": 0.5, "numeric_tests": "observed"}
    found = {name: evolve(frame, EvolutionSettings(payoff=name, **settings)) for name in ("eq-1", "balanced")}
    assert found["eq-1"].n_correct == 90
    assert found["balanced"].n_correct == 80
    assert found["balanced"].payoff == pytest.approx(payoff((70 / 90 + 1) / 2, 1, 3, 1e4))


@pytest.mark.parametrize(
    ("selection", "function", "complaint"),
    [
        ("tournament", lambda trees: trees.n_correct / 0.0, "finite"),
        ("tournament", lambda *_: 1.0, r"one number per tree, of shape \(200,\), got \(\)"),
        ("tournament", lambda trees: trees.n_correct[1:], r"got \(199,\)"),
        ("roulette", lambda trees: trees.n_correct - 50.0, "not be negative with selection roulette"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_invalid_payoffs_are_rejected(selection, function, complaint):
    chosen = EvolutionSettings(population_size=200, selection=selection)
    with pytest.raises(ConfigError, match=complaint):
        evolve(load_dataset("zoo"), chosen, payoff_function=function)


QUICK = {"population_size": 12, "n_generations": 8, "mutation_rate": 1.0, "grow_share": 1.0}


def test_a_tree_of_other_data_is_not_recoded():
    data, other = load_dataset("glass"), load_dataset("zoo")
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
