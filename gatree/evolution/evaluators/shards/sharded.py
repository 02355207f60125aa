"""The evaluator of an evolution whose instances are in shards: `bitset`, with branches that the shards count.

It keeps the counts of every tree, two integers per node, and of every branch, so inheritance happens once,
and not in every shard. Its ledger equals that of one process, since it is derived from the same sums.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gatree.base.errors import ConfigError
from gatree.base.limits import MOST_WORKERS, refuse_above
from gatree.evolution.evaluators.bitset import BitsetEvaluator
from gatree.evolution.evaluators.branches import N_BRANCHES, N_COUNTED
from gatree.evolution.evaluators.shards.workers import ShardWorkers, sources_of
from gatree.evolution.problem import Instances, Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS, inheriting


class ShardedEvaluator(BitsetEvaluator):
    """Evaluate with inheritance, from the counts of all shards."""

    runs_alone = False  # the shards count between breeding and replacement

    def __init__(self, problem: Problem, n_slots: int, workers: ShardWorkers) -> None:
        codes, is_numeric, classes = problem.instances
        nothing = Instances(codes[:, :0], is_numeric, classes[:0])
        super().__init__(replace(problem, instances=nothing), n_slots)
        self.workers = workers
        workers.begin(problem.alphabet, problem.scoring)

    def count_new(self) -> None:
        """Let the shards count the new branches."""
        known, state = self.branches.known, self.branches.state
        first, last = state[N_COUNTED], state[N_BRANCHES]
        if first < last:
            known["n_instances"][first:last] = self.workers.counts_of(known[:last], first)
        state[N_COUNTED] = last


def start_workers(
    problem: Problem, settings: EvolutionSettings, n_shards: int | None, client: Any = None
) -> ShardWorkers | None:
    """Start workers that hold the instances of a problem in shards; return None if no option requests them.

    They are workers of a Dask cluster, by default one shard each; without a cluster, one of local processes
    is started for the evolution.
    """
    if n_shards is not None and n_shards < 1:
        raise ConfigError(f"shards: should be at least 1, got {n_shards}")
    refuse_above(MOST_WORKERS, n_shards or 1, "shards", error=ConfigError)
    if client is None and n_shards is None:
        return None
    check_compatible_with_shards(settings, problem)
    from gatree.evolution.evaluators.shards.cluster import Cluster, LocalCluster

    cluster = LocalCluster(n_shards or 1) if client is None else Cluster(client)
    return ShardWorkers(sources_of(problem, n_shards or cluster.n_workers), cluster.start, cluster.end)


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
