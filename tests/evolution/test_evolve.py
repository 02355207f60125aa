"""The generation loop: invariants, history and stopping."""

import gc
import os
import pickle
import signal
import threading
from dataclasses import replace

import numpy as np
import pytest

from gatree.base.errors import ConfigError, DataError
from gatree.data.answer import Classes
from gatree.data.attribute import MISSING
from gatree.data.catalog import load_dataset
from gatree.evolution.evolve import Evolution, best_first, evolve
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
def test_many_generations_at_once_equal_single_steps(zoo, evaluator, gap):
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
    classes = np.where(np.arange(101) < 11, MISSING, data.classes)
    assert Problem.of(replace(data, answer=Classes(data.class_attribute, classes))).n_instances == 90


def test_no_instances_is_an_error():
    data = load_dataset("zoo").take(np.array([], dtype=np.intp))
    with pytest.raises(DataError, match="zoo: there is no instance with a class to learn from"):
        evolve(data, SHORT)


ENDLESS = EvolutionSettings(
    population_size=60, n_generations=10**6, mutation_rate=0.5, x_factor="1e5", generation_gap=0.5, seed=3
)


@pytest.fixture
def _no_collections():
    """Disable the garbage collector: Python swallows an interrupt in its callbacks, such as Hypothesis's."""
    gc.disable()
    yield
    gc.enable()


def interrupt_after(seconds):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.mark.usefixtures("_no_collections")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_ctrl_c_changes_nothing(zoo, evaluator, n_jobs):
    chosen = ENDLESS.model_copy(update={"evaluator": evaluator, "n_jobs": n_jobs})
    evolution, undisturbed = Evolution(zoo, chosen), Evolution(zoo, chosen)
    evolution.advance(1)  # compiled
    for _ in range(3):
        before = evolution.generation
        interrupt_after(0.05)
        with pytest.raises(KeyboardInterrupt):
            evolution.advance(10**6 - before)
        assert before < evolution.generation < 10**6
    n = evolution.generation
    for slot in evolution.population.alive:
        check(evolution.population.tree(slot))
    evolution.advance(10)
    undisturbed.advance(n + 10)
    assert np.array_equal(evolution.history[: n + 11], undisturbed.history[: n + 11])
    assert evolution.evaluator.ledger.tolist() == undisturbed.evaluator.ledger.tolist()


@pytest.mark.parametrize("replacement", ["worst", "best"])
def test_a_generation_can_be_repeated_after_an_error_of_the_payoff(zoo, replacement):
    """A failed generation has no effect; repeated, it gives the same result."""
    calls = []

    def failing(trees):
        calls.append(trees.x)
        if len(calls) % 3 == 2:
            raise ZeroDivisionError
        return reliable(trees)

    def reliable(trees):
        return trees.n_correct * trees.x / (trees.n_nodes**2 + trees.x)

    chosen = EvolutionSettings(
        population_size=60, n_generations=60, replacement=replacement, generation_gap=1, x_factor="1e4..1e6"
    )
    evolution, other = Evolution(zoo, chosen, failing), Evolution(zoo, chosen, reliable)
    while evolution.generation < 60:
        try:
            evolution.step()
        except ZeroDivisionError:
            continue
    other.advance(60)
    assert np.array_equal(evolution.history, other.history)
    assert evolution.evaluator.ledger.tolist() == other.evaluator.ledger.tolist()


def test_an_evolution_ends_after_its_generations(zoo):
    evolution = Evolution(zoo, ENDLESS.model_copy(update={"n_generations": 5}))
    with pytest.raises(ConfigError, match="ends after 5, so it cannot advance to 6"):
        evolution.advance(6)
    evolution.advance(5)
    with pytest.raises(ConfigError, match="cannot advance to 6"):
        evolution.step()
    assert evolution.outcome().n_generations == 5


def test_an_evolution_with_threads_is_pickled(zoo):
    evolution = Evolution(zoo, ENDLESS.model_copy(update={"n_jobs": 2}))
    evolution.advance(3)
    again = pickle.loads(pickle.dumps(evolution))
    again.advance(3)
    evolution.advance(3)
    assert np.array_equal(again.history[:7], evolution.history[:7])


def test_of_equal_payoffs_the_first_stays_first():
    slots, best = best_first(np.array([5, 3, 9, 1]), np.array([0.5, 0.7, 0.5, 0.7]), 3)
    assert slots.tolist() == [3, 1, 5, 9]
    assert best.tolist() == [0.7, 0.7, 0.5]
