"""Shards give the counts of one process, for any number of shards and after lost workers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from evolution.local_worker import LocalWorker
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import datasets
from test_lossless import evolution_settings

from bench.concepts import random_tree_concept
from gatree.base.errors import ConfigError, DataError, GatreeError
from gatree.data.catalog import load_dataset
from gatree.data.pieces import survey
from gatree.evolution.evaluators.bitset import BLOCK_WORDS, WORD
from gatree.evolution.evaluators.shards.workers import ShardWorkers, Source, WorkerLostError, slices
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


def several_blocks():
    return Problem.of(random_tree_concept(3 * BLOCK_WORDS * WORD + 17, 6, noise=0.1), "observed", 255)


def with_costs():
    return Problem.of(load_dataset("vote"), "auto").with_costs(np.array([[0.0, 5.0], [1.0, 0.0]]))


@pytest.mark.parametrize("make", [several_blocks, with_costs])
def test_shards_of_several_blocks_and_with_costs(make):
    problem = make()
    evolution = Evolution(problem, SHORT, workers=ShardWorkers(slices(problem.instances, 3), LocalWorker))
    evolution.advance(SHORT.n_generations)
    assert found(evolution.outcome()) == found(evolve(problem, SHORT))


class Dying(LocalWorker):
    """A worker that is lost when it has answered a number of requests."""

    started: ClassVar[list[Dying]] = []

    def __init__(self, source, shard):
        super().__init__(source, shard)
        self.n_answers = 0
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
    assert [worker.shard for worker in Dying.started[:2]] == [0, 1]
    assert len(Dying.started) >= 4
    assert not any(worker.shard for worker in Dying.started[2:])
    assert found(evolution.outcome()) == found(evolve(problem, SHORT))


def poisoned():
    """Load a shard that no worker survives."""
    raise WorkerLostError("its process ended with the code 7")


def test_a_shard_that_no_worker_survives_raises_an_error():
    problem = Problem.of(load_dataset("zoo"))
    with ShardWorkers([Source(poisoned)], LocalWorker) as workers, pytest.raises(GatreeError) as error:
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
    ("changes", "n_shards", "complaint"),
    [
        ({"evaluator": "old"}, 2, "evaluator: shards evaluate with inheritance, so not like 'old'"),
        ({"n_jobs": 2}, 2, "n_jobs: every shard has one thread"),
        ({}, 0, "shards: should be at least 1, got 0"),
        ({}, 100_000, "100,000 shards; the limit is"),
    ],
)
def test_settings_and_numbers_that_shards_do_not_support_are_rejected(changes, n_shards, complaint):
    chosen = EvolutionSettings.model_validate({**SHORT.model_dump(), **changes})
    with pytest.raises(ConfigError, match=complaint):
        evolve(load_dataset("zoo"), chosen, shards=n_shards)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a data set, and its rows in three CSV files of different lengths."""
    folder = tmp_path_factory.mktemp("pieces")
    frame = random_tree_concept(6000, 5, noise=0.1).to_frame().round(1)
    for number, (begin, end) in enumerate([(0, 10), (10, 4500), (4500, 6000)]):
        frame[begin:end].to_csv(folder / f"{number}.csv", index=False)
    frame.to_csv(folder / "all.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def pieces(files):
    return survey([str(files / f"{number}.csv") for number in range(3)])


@pytest.mark.parametrize("n_shards", [None, pytest.param(4, marks=pytest.mark.long)])
def test_data_in_pieces_evolve_like_data_in_memory(files, pieces, n_shards):
    from gatree.data.csv_file import read_csv

    outcome = evolve(pieces, SHORT, shards=n_shards)
    whole = evolve(Problem.of(read_csv(files / "all.csv"), "auto", 255), SHORT)
    assert found(outcome) == found(whole)
    assert outcome.tree == whole.tree
    assert np.array_equal(outcome.tree.counts, whole.tree.counts)
    assert outcome.problem.instances.codes.shape == (5, 0 if n_shards else 6000)  # shards have them
    assert outcome.n_instances == 6000


def test_an_error_if_the_columns_are_needed(pieces):
    with pytest.raises(DataError, match="its columns are in pieces, but this needs them in memory"):
        _ = Problem.in_pieces(pieces).dataset_in_memory
