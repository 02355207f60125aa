"""After Ctrl-C, an error or its last generation, an evolution is consistent and continues unchanged."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

from gatree.base.errors import ConfigError
from gatree.data.catalog import load_dataset
from gatree.evolution.evaluators.contract import Threads
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS
from gatree.trees.genome import check

ENDLESS = EvolutionSettings(
    population_size=60, n_generations=10**6, mutation_rate=0.5, x_factor="1e5", generation_gap=0.5, seed=3
)


@pytest.fixture(scope="module")
def zoo() -> Problem:
    return Problem.of(load_dataset("zoo"))


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

    def failing(n_correct, n_instances, n_nodes, n_leaves, x):
        calls.append(x)
        if len(calls) % 3 == 2:
            raise ZeroDivisionError
        return n_correct * x / (n_nodes**2 + x)

    def reliable(n_correct, n_instances, n_nodes, n_leaves, x):
        return n_correct * x / (n_nodes**2 + x)

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


def test_an_evolution_ends_unless_it_is_extended(zoo):
    evolution = Evolution(zoo, ENDLESS.model_copy(update={"n_generations": 5}))
    with pytest.raises(ConfigError, match="ends after 5, so it cannot advance to 6; extend it first"):
        evolution.advance(6)
    evolution.advance(5)
    with pytest.raises(ConfigError, match="extend it first"):
        evolution.step()
    evolution.extend(7)
    evolution.advance(2)
    evolution.extend(3)
    with pytest.raises(ConfigError, match="ends after 3"):
        evolution.step()
    assert evolution.outcome().n_generations == 7


def test_threads_share_all_items_and_run_in_parallel():
    together, shares = threading.Barrier(3, timeout=20), []

    def part(thread, first, last):
        together.wait()
        shares.append((thread, first, last))

    Threads(3).run(2, 12, part)
    assert sorted(shares) == [(0, 2, 5), (1, 5, 8), (2, 8, 12)]


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_running_threads_are_waited_for_after_an_error_and_ctrl_c(error):
    ended = []

    def part(thread, first, last):
        if thread == 0 and error is ZeroDivisionError:
            raise error
        time.sleep(0.3)
        ended.append(thread)

    if error is KeyboardInterrupt:
        interrupt_after(0.1)
    with pytest.raises(error):
        Threads(2).run(0, 2, part)
    assert sorted(ended) == ([0, 1] if error is KeyboardInterrupt else [1])


def test_threads_are_not_part_of_a_pickle(zoo):
    evolution = Evolution(zoo, ENDLESS.model_copy(update={"n_jobs": 2}))
    evolution.advance(3)
    again = pickle.loads(pickle.dumps(evolution))
    again.advance(3)
    evolution.advance(3)
    assert np.array_equal(again.history[:7], evolution.history[:7])


def test_a_forked_process_starts_its_own_threads():
    threads = Threads(2)
    together = threading.Barrier(2, timeout=20)
    threads.run(0, 2, lambda *_: together.wait())
    child = os.fork()
    if child == 0:
        try:
            together = threading.Barrier(2, timeout=20)
            threads.run(0, 2, lambda *_: together.wait())
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
