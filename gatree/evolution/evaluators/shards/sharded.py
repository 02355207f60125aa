"""The evaluator of an evolution whose instances are in shards: it inherits, and sums the shards' counts.

It keeps the counts of every tree, two integers per node, so inheritance happens once, not in every shard. Its
ledger equals that of one process, since it is derived from the same sums. Actors on a Dask cluster hold the
shards.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.base.limits import MOST_WORKERS, refuse_above
from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.bitset import settle_counts
from gatree.evolution.evaluators.children import inherit_counts, make_kernel
from gatree.evolution.evaluators.contract import Evaluator
from gatree.evolution.evaluators.shards.workers import ShardWorkers, StaleCounts, request_for, sources_of
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Problem
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import inlined
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS, inheriting
from gatree.trees.genome import Ints


class Summed(NamedTuple):
    """The data of the kernel."""

    n_instances: int
    scoring: Scoring
    reached: Ints  # [slot, node]
    correct: Ints  # [slot, node]
    found: StaleCounts  # the counts over all instances
    row_of: NDArray[np.int64]  # [birth]: its row in `found`


@inlined
def take_sums(trees: Trees, births: Births, k: int, node: int, kept: Summed) -> tuple[int, int]:
    """Fill the counts of a subtree whose root's `reached` is known.

    Returns the node-instance checks that this replaces, and the weight of the correct instances found.
    """
    scoring, reached, correct, found = kept.scoring, kept.reached, kept.correct, kept.found
    slot, row = births.slot[k], kept.row_of[k]
    for i in range(node, node + trees.span[slot, node]):
        if i != node:
            reached[slot, i] = found.reached[row, i]
        correct[slot, i] = found.correct[row, i]
    return settle_counts(scoring, trees, slot, node, reached, correct, found.tally[row])


class ShardedEvaluator(Evaluator):
    """Evaluate with inheritance, from the counts of all shards."""

    kernel = staticmethod(make_kernel("settle_children", inherit_counts, take_sums))

    def __init__(self, problem: Problem, n_slots: int, workers: ShardWorkers) -> None:
        super().__init__(problem, n_slots)
        self.n_instances = problem.n_instances
        self.reached, self.correct = (np.zeros((n_slots, 0), dtype=np.int32) for _ in range(2))
        self._found = StaleCounts(self.reached[:0], self.reached[:0], np.zeros((0, 0, 0), dtype=np.int64))
        self._row_of = np.zeros(0, dtype=np.int64)
        self.workers = workers
        workers.begin(problem.alphabet, problem.scoring)

    @property
    def n_bytes(self) -> int:
        return self.reached.nbytes + self.correct.nbytes

    def runs_alone(self, width: int) -> bool:
        """Return False: the shards count between breeding and replacement."""
        del width
        return False

    def fit(self, trees: Trees, births: Births) -> None:
        del births
        if trees.width > self.reached.shape[1]:
            self.reached, self.correct = (
                widened(counts, trees.width) for counts in (self.reached, self.correct)
            )

    def kept_for(self, thread: int) -> Summed:
        del thread  # there is only one
        counts = self.reached, self.correct
        return Summed(self.n_instances, self.scoring, *counts, self._found, self._row_of)

    def evaluate(self, trees: Trees, births: Births) -> None:
        request, rows = request_for(trees, births)
        self._found = self.workers.count(request)
        self._row_of = np.full(len(births.slot), NONE, dtype=np.int64)
        self._row_of[rows] = np.arange(len(rows))
        super().evaluate(trees, births)


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
