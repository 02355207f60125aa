"""Handle the requests for a shard: in a process, in a Dask actor, or in the calling process."""

from __future__ import annotations

from typing import Any, NamedTuple

from gatree.evolution.evaluators.bits.counts import Found
from gatree.evolution.evaluators.bits.sweep import Sweeper, count_children
from gatree.evolution.evaluators.shards.workers import (
    BeginRequest,
    CountRequest,
    Request,
    Source,
    as_population,
    joined,
)
from gatree.evolution.evaluators.thread_pool import ThreadPool
from gatree.evolution.problem import Alphabet, Instances, class_counts
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import plain


class Part(NamedTuple):
    """A shard of a problem: its instances, and what all shards share."""

    instances: Instances
    alphabet: Alphabet
    scoring: Scoring

    @property
    def n_instances(self) -> int:
        return len(self.instances.classes)


class ShardCounter:
    """Count on bit sets, as `bitset` does; the coordinator adds up the counts."""

    def __init__(self, part: Part) -> None:
        self.n_classes = part.alphabet.n_classes
        self._majority = part.scoring.majority
        self._sweeper = Sweeper(part, ThreadPool(1))

    def count(self, request: CountRequest) -> Found:
        """Return the counts of a request."""
        trees, births = as_population(request)
        n_rows, width = request.attribute.shape
        self._sweeper.fit(n_rows, width)
        self._sweeper.make_room(width)
        kept = plain(self._sweeper.kept_for(0))
        batches, first = [], 0
        while first < n_rows:
            last = count_children(plain(trees), plain(births), first, kept)
            batches.append(self._read(last - first, width))
            first = last
        return joined(batches)

    def _read(self, n_rows: int, width: int) -> Found:
        """Return a copy of the requested counts of a batch."""
        reached, correct, tally = self._sweeper.found
        n_classes = self.n_classes if self._majority else 0
        some = (slice(n_rows), slice(width))
        return Found(reached[some].copy(), correct[some].copy(), tally[(*some, slice(n_classes))].copy())


class ShardServer:
    """The instances of a shard, loaded once, and the counter of the current evolution."""

    def __init__(self, source: Source) -> None:
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
        return class_counts(request, self._instances, self._counter.n_classes)


class LocalWorker:
    """A shard in the calling process."""

    def __init__(self, source: Source, shard: int) -> None:
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
