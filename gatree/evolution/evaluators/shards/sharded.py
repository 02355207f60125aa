"""The evaluator of an evolution whose instances are in shards: it inherits, and sums the shards' counts.

It keeps the counts of every tree, two integers per node, so inheritance happens once, not in every shard. Its
ledger equals that of one process, since it is derived from the same sums. Local processes or actors on a Dask
cluster hold the shards.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.base.limits import MOST_WORKERS, refuse_above
from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.bits.counts import Found, NodeCounts, Summed, named_sums, settle_children
from gatree.evolution.evaluators.contract import Evaluator
from gatree.evolution.evaluators.shards.processes import ProcessWorker
from gatree.evolution.evaluators.shards.workers import ShardWorkers, request_for, sources_of
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import lean, plain
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS, inheriting


@lean
def settle_all(trees: Trees, births: Births, ledger: NDArray[np.int64], kept: Summed) -> None:
    """Settle all children of a brood."""
    births = Births(*births)
    settle_children(Trees(*trees), births, 0, len(births.slot), ledger, named_sums(kept))


class ShardedEvaluator(Evaluator):
    """Evaluate with inheritance, from the counts of all shards."""

    runs_alone = False

    def __init__(self, problem: Problem, n_slots: int, workers: ShardWorkers) -> None:
        super().__init__(problem, n_slots)
        self.n_instances = problem.n_instances
        nothing = np.zeros((n_slots, 0), dtype=np.int32)
        self.counts = NodeCounts(nothing, nothing)
        self._found = Found(nothing, nothing, np.zeros((0, 0, 0), dtype=np.int64))
        self._row_of = np.zeros(0, dtype=np.int64)
        self.workers = workers
        workers.begin(problem.alphabet, problem.scoring)

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.counts)

    def fit(self, trees: Trees, births: Births) -> None:
        del births
        if trees.width > self.counts.reached.shape[1]:
            self.counts = NodeCounts(*(widened(array, trees.width) for array in self.counts))

    def kept_for(self, thread: int) -> Summed:
        del thread  # there is only one
        return Summed(self.scoring, self.counts, self._found, self._row_of, self.n_instances)

    def evaluate(self, trees: Trees, births: Births) -> None:
        self.fit(trees, births)
        request, rows = request_for(trees, births)
        self._found = self.workers.count(request)
        self._row_of = np.full(len(births.slot), NONE, dtype=np.int64)
        self._row_of[rows] = np.arange(len(rows))
        settle_all(plain(trees), plain(births), self.pool.ledgers[0], plain(self.kept_for(0)))


def start_workers(problem: Problem, n_shards: int | None, client: Any = None) -> ShardWorkers | None:
    """Start workers that hold the instances of a problem in shards; return None if no option requests them.

    The workers are those of a Dask cluster, by default one shard each, or local processes.
    """
    if n_shards is not None and n_shards < 1:
        raise ConfigError(f"shards: should be at least 1, got {n_shards}")
    refuse_above(MOST_WORKERS, n_shards or 1, "shards", error=ConfigError)
    if client is not None:
        from gatree.evolution.evaluators.shards.cluster import Cluster

        cluster = Cluster(client)
        return ShardWorkers(sources_of(problem, n_shards or cluster.n_workers), cluster.start)
    return None if n_shards is None else ShardWorkers(sources_of(problem, n_shards), ProcessWorker)


def check_compatible_with_shards(settings: EvolutionSettings, problem: Problem) -> None:
    """Raise an error for settings that shards, which inherit and count on bit sets, do not support."""
    if not EVALUATORS[settings.evaluator].inherits:
        raise ConfigError(
            f"evaluator: shards evaluate with inheritance, so not like {settings.evaluator!r}; "
            f"choose {', '.join(inheriting())}"
        )
    if settings.n_jobs > 1:
        raise ConfigError("n_jobs: every shard has one thread; use more shards instead")
    if len(problem.scoring.target):
        raise ConfigError("shards: they count classes, not numbers")
