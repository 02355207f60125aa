"""Shards give the counts of one process, for any number of shards and after lost workers."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import datasets
from test_lossless import evolution_settings

from gatree.base.errors import ConfigError, GatreeError
from gatree.data.catalog import load_dataset
from gatree.data.generate import random_tree_concept
from gatree.evolution.evaluators.bits.sets import BLOCK_WORDS, WORD
from gatree.evolution.evaluators.shards.processes import LocalWorker, ProcessWorker
from gatree.evolution.evaluators.shards.workers import ShardWorkers, slices
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import COMPILED
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import settings_of

SHORT = settings_of("fast", {"population_size": 40, "n_generations": 30})


def found(outcome):
    """Return an outcome without its times and its memory."""
    tree = outcome.best
    return (
        outcome.n_correct,
        outcome.payoff,
        outcome.ledger,
        outcome.n_rejected,
        outcome.history.tolist(),
        [tree.attribute.tolist(), tree.value.tolist(), tree.span.tolist()],
    )


@pytest.mark.no_jit
@settings(max_examples=30 if COMPILED else 4)
@given(data=datasets(min_instances=1, max_instances=25), n_shards=st.integers(1, 4), draw=st.data())
def test_shards_equal_one_process_with_any_settings(data, n_shards, draw):
    chosen = draw.draw(evolution_settings(data.class_values))
    weights = [(chosen.class_weight or {}).get(value, 1) for value in data.class_values]
    assume(any(weights[c] for c in data.classes))
    problem = Problem.of(data, chosen.numeric_tests)
    workers = ShardWorkers(slices(problem.instances, n_shards), LocalWorker)
    alone = evolve(problem, chosen.model_copy(update={"evaluator": "bitset"}))
    together = Evolution(problem, chosen, workers=workers)
    together.advance(chosen.n_generations)
    assert found(together.outcome()) == found(alone)


@pytest.mark.parametrize("leaf_class", ["random", "majority"])
def test_shards_of_several_blocks(leaf_class):
    n = 3 * BLOCK_WORDS * WORD + 17
    problem = Problem.of(random_tree_concept(n, 6, noise=0.1), "observed", 255)
    chosen = SHORT.model_copy(update={"leaf_class": leaf_class})
    evolution = Evolution(problem, chosen, workers=ShardWorkers(slices(problem.instances, 3), LocalWorker))
    evolution.advance(chosen.n_generations)
    assert found(evolution.outcome()) == found(evolve(problem, chosen))


def test_shards_support_costs():
    problem = Problem.of(load_dataset("vote"), "auto").with_costs(np.array([[0.0, 5.0], [1.0, 0.0]]))
    evolution = Evolution(problem, SHORT, workers=ShardWorkers(slices(problem.instances, 3), LocalWorker))
    evolution.advance(SHORT.n_generations)
    assert found(evolution.outcome()) == found(evolve(problem, SHORT))


@pytest.mark.long
@pytest.mark.parametrize("n_shards", [1, 2, 3])
def test_several_processes_equal_one(n_shards):
    vote = load_dataset("vote")
    assert found(evolve(vote, SHORT, shards=n_shards)) == found(evolve(vote, SHORT))


def test_slices_contain_every_instance_once():
    instances = Problem.of(load_dataset("zoo")).instances
    for n_shards in (1, 2, 7, 101, 500):
        parts = [pickle.loads(pickle.dumps(part)).load() for part in slices(instances, n_shards)]
        assert len(parts) == min(n_shards, 101)
        assert np.array_equal(np.concatenate([part.codes for part in parts], axis=1), instances.codes)
        assert np.array_equal(np.concatenate([part.classes for part in parts]), instances.classes)
        assert max(len(part.classes) for part in parts) - min(len(part.classes) for part in parts) <= 1


class Killer:
    """Start processes and record them, so that a test can kill one in some generation."""

    def __init__(self):
        self.workers = []

    def start(self, source, shard):
        self.workers.append(ProcessWorker(source, shard))
        return self.workers[-1]

    def kill(self, number):
        os.kill(self.workers[number].process.pid, signal.SIGKILL)


@pytest.mark.parametrize("victims", [(0,), pytest.param((0, 2), marks=pytest.mark.long)])
def test_a_killed_process_is_replaced_without_effect_on_the_others(victims):
    problem, killer = Problem.of(load_dataset("vote"), "auto"), Killer()
    with ShardWorkers(slices(problem.instances, 2), killer.start) as workers:
        evolution = Evolution(problem, SHORT, workers=workers)
        for victim in victims:  # number 2 has replaced number 0
            evolution.advance(10)
            killer.kill(victim)
        evolution.advance(SHORT.n_generations - evolution.generation)
    assert workers.n_losses == len(victims)
    assert found(evolution.outcome()) == found(evolve(problem, SHORT))


class Poisoned:
    """A source that ends the process that loads it."""

    def __reduce__(self):
        return (os._exit, (7,))


def test_a_shard_that_ends_every_process_raises_an_error():
    problem = Problem.of(load_dataset("zoo"))
    with ShardWorkers([Poisoned()], ProcessWorker) as workers, pytest.raises(GatreeError) as error:
        Evolution(problem, SHORT, workers=workers)
    assert "shard 1 of 1 was lost 3 times (its process ended with the code 7)" in str(error.value)


def test_an_interrupted_generation_is_repeated_unchanged():
    problem = Problem.of(load_dataset("vote"), "auto")

    class Interrupted(LocalWorker):
        """Ctrl-C, once, while a shard works."""

        due = 12

        def result(self):
            Interrupted.due -= 1
            if Interrupted.due == 0:
                raise KeyboardInterrupt
            return super().result()

    evolution = Evolution(problem, SHORT, workers=ShardWorkers(slices(problem.instances, 2), Interrupted))
    with pytest.raises(KeyboardInterrupt):
        evolution.advance(SHORT.n_generations)
    assert 0 < evolution.generation < SHORT.n_generations
    evolution.advance(SHORT.n_generations - evolution.generation)
    assert found(evolution.outcome()) == found(evolve(problem, SHORT))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"evaluator": "old"}, "evaluator: shards evaluate with inheritance, so not like 'old'"),
        ({"n_jobs": 2}, "n_jobs: every shard has one thread"),
    ],
)
def test_settings_that_shards_do_not_support_are_rejected(changes, complaint):
    chosen = EvolutionSettings.model_validate({**SHORT.model_dump(), **changes})
    with pytest.raises(ConfigError, match=complaint):
        evolve(load_dataset("zoo"), chosen, shards=2)


def test_invalid_numbers_of_shards_are_rejected():
    with pytest.raises(ConfigError, match="shards: should be at least 1, got 0"):
        evolve(load_dataset("zoo"), SHORT, shards=0)
    with pytest.raises(ConfigError, match="100,000 shards; the limit is"):
        evolve(load_dataset("zoo"), SHORT, shards=100_000)


def test_processes_end_with_the_process_that_started_them():
    script = (
        "import os, sys, gatree\n"
        "from gatree.evolution.evaluators.shards.processes import ProcessWorker\n"
        "worker = ProcessWorker(None, 0)\n"
        "print(worker.process.pid, flush=True)\n"
        "os._exit(1)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    pid = int(done.stdout)
    for _ in range(300):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        subprocess.run(["sleep", "0.1"], check=True)
    os.kill(pid, signal.SIGKILL)
    raise AssertionError("a shard's process has outlived its coordinator")
