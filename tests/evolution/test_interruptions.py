"""After Ctrl-C, an error or its last generation, an evolution is consistent and continues unchanged."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time

import numpy as np
import pytest

from gatree.base.errors import ConfigError
from gatree.data.catalog import load_dataset
from gatree.evolution.evaluators.bits import bitset
from gatree.evolution.evaluators.thread_pool import ThreadPool
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
def test_ctrl_c_changes_nothing(zoo, evaluator, n_jobs, monkeypatch):
    monkeypatch.setattr(bitset, "CHEAP_BITS", 0)  # so that masks are made on demand
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

    chosen = ENDLESS.model_copy(
        update={
            "n_generations": 60,
            "replacement": replacement,
            "generation_gap": 1.0,
            "x_factor": "1e4..1e6",
        }
    )
    chosen = EvolutionSettings(**chosen.model_dump())
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


def test_the_pool_waits_for_running_threads_after_ctrl_c():
    pool, at_work, ended = ThreadPool(2), threading.Event(), []

    def work(thread):
        if thread == 1:
            at_work.set()
            time.sleep(0.4)
            ended.append(thread)
        else:
            at_work.wait(20)

    interrupt_after(0.15)
    with pytest.raises(KeyboardInterrupt):
        pool.run_on_all(0, work)
    assert ended == [1]


def test_a_forked_process_starts_its_own_threads():
    pool = ThreadPool(2)
    together = threading.Barrier(2, timeout=20)
    pool.run_on_all(0, lambda _: together.wait())
    child = os.fork()
    if child == 0:
        try:
            together = threading.Barrier(2, timeout=20)
            pool.run_on_all(0, lambda _: together.wait())
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
