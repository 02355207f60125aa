"""Handle the requests for a shard, where its instances are: on a worker of a cluster, or in this process."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.evaluators.bitset import BitsetEvaluator, read_children
from gatree.evolution.evaluators.shards.workers import (
    BeginRequest,
    CountRequest,
    Request,
    ShardSource,
    StaleCounts,
    as_population,
)
from gatree.evolution.problem import Alphabet, Instances, class_counts
from gatree.evolution.scoring import Scoring


class Part(NamedTuple):
    """A shard of a problem: its instances, and what all shards share."""

    instances: Instances
    alphabet: Alphabet
    scoring: Scoring

    @property
    def n_instances(self) -> int:
        return len(self.instances.classes)


class ShardCounter(BitsetEvaluator):
    """Count on bit sets, as `bitset` does; the coordinator adds up the counts."""

    def __init__(self, part: Part) -> None:
        super().__init__(part, n_slots=0)

    def count(self, request: CountRequest) -> StaleCounts:
        """Return the counts of a request."""
        trees, births = as_population(request)
        n_rows, width = request.attribute.shape
        self.reached, self.correct = (np.zeros((n_rows, width), dtype=np.int32) for _ in range(2))
        self.allocate(n_rows, width)
        n_classes = len(self.scoring.class_weight)
        tally = np.zeros((n_rows, width if self.scoring.majority else 0, n_classes), dtype=np.int64)
        first = 0
        while first < n_rows:
            last = self.count_batch(trees, births, first)
            read_children(trees, births, first, last, self.kept_for(0), tally)
            first = last
        return StaleCounts(self.reached, self.correct, tally)


class ShardServer:
    """The instances of a shard, loaded once, and the counter of the current evolution."""

    def __init__(self, source: ShardSource) -> None:
        self._instances = source.load()
        self._counter: ShardCounter | None = None

    def handle(self, request: Request) -> Any:
        """Return the result of a request."""
        if isinstance(request, BeginRequest):
            self._counter = ShardCounter(Part(self._instances, *request))
            return None
        assert self._counter is not None, "a BeginRequest comes first"
        if isinstance(request, CountRequest):
            return self._counter.count(request)
        counts: NDArray[np.int64] = class_counts(
            request, self._instances, len(self._counter.scoring.class_weight)
        )
        return counts


class LocalWorker:
    """A shard in the calling process."""

    def __init__(self, source: ShardSource, shard: int) -> None:
        del shard
        self._server = ShardServer(source)
        self._request: Request | None = None

    def submit(self, request: Request) -> None:
        self._request = request

    def result(self) -> Any:
        assert self._request is not None
        return self._server.handle(self._request)

    def close(self) -> None:
        """Do nothing: only memory is held."""
