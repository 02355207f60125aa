"""Shards give the counts of one process, for any number of shards and after lost workers."""

from __future__ import annotations

import pickle
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import datasets
from test_lossless import evolution_settings

from bench.concepts import random_tree_concept
from gatree.base.errors import ConfigError, GatreeError
from gatree.data.catalog import load_dataset
from gatree.evolution.evaluators.sets import BLOCK_WORDS, WORD
from gatree.evolution.evaluators.shards.shard import LocalWorker
from gatree.evolution.evaluators.shards.workers import ShardWorkers, WorkerLostError, slices
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
@settings(max_examples=15 if COMPILED else 4)
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


def test_shards_of_several_blocks():
    n = 3 * BLOCK_WORDS * WORD + 17
    problem = Problem.of(random_tree_concept(n, 6, noise=0.1), "observed", 255)
    evolution = Evolution(problem, SHORT, workers=ShardWorkers(slices(problem.instances, 3), LocalWorker))
    evolution.advance(SHORT.n_generations)
    assert found(evolution.outcome()) == found(evolve(problem, SHORT))


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


class Dying(LocalWorker):
    """A worker that is lost when it has answered a number of requests."""

    started: ClassVar[list[Dying]] = []

    def __init__(self, source, shard):
        super().__init__(source, shard)
        self.shard, self.n_answers = shard, 0
        Dying.started.append(self)

    def result(self):
        self.n_answers += 1
        if self.shard == 0 and self.n_answers > 10:
            raise WorkerLostError("it has died")
        return super().result()


def test_a_lost_worker_is_replaced_without_effect_on_the_others():
    problem = Problem.of(load_dataset("vote"), "auto")
    Dying.started.clear()
    with ShardWorkers(slices(problem.instances, 2), Dying) as workers:
        evolution = Evolution(problem, SHORT, workers=workers)
        evolution.advance(SHORT.n_generations)
    assert workers.n_losses >= 2
    assert sum(worker.shard for worker in Dying.started) == 1
    assert found(evolution.outcome()) == found(evolve(problem, SHORT))


class Poisoned:
    """A source that no worker survives."""

    def load(self):
        raise WorkerLostError("its process ended with the code 7")


def test_a_shard_that_no_worker_survives_raises_an_error():
    problem = Problem.of(load_dataset("zoo"))
    with ShardWorkers([Poisoned()], LocalWorker) as workers, pytest.raises(GatreeError) as error:
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
