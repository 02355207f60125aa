"""The workers of an evolution in shards: who holds which instances, and who takes over from one that is lost.

A worker is a process of this machine (`processes.py`) or an actor at a worker of a Dask cluster
(`dask_workers.py`). It is given the source of a shard and loads it. If it is lost, another one loads the same
source and gets the same request again, and the other workers do not.

A request holds only what has changed: the children with a stale node, and these nodes. The answer holds
counts, and counts of disjoint sets of instances add up: the sum over the shards is, integer for integer,
what one process counts. A shard keeps nothing about any tree, so one that is lost takes nothing with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import GatreeError
from gatree.evolution.breed import NONE, Births, empty_births
from gatree.evolution.evaluators.bits.counts import Found
from gatree.evolution.population import Trees
from gatree.evolution.problem import Alphabet, Instances
from gatree.evolution.scoring import Scoring
from gatree.trees.genome import Ints, Tree


class CountRequest(NamedTuple):
    """Children to count, a row each, and their stale nodes, as in `Births`."""

    attribute: Ints  # [row, node]
    value: Ints  # [row, node]
    span: Ints  # [row, node]
    stale: Ints  # [row, 2]

    @property
    def n_rows(self) -> int:
        return len(self.stale)


def request_for(trees: Trees, births: Births) -> tuple[CountRequest, NDArray[np.intp]]:
    """Return what shards have to count for these births, and which births its rows are."""
    rows = np.flatnonzero(births.stale[:, 0] != NONE)
    slots = births.slot[rows]
    width = int(trees.n_nodes[slots].max(initial=0))
    attribute, value, span = (nodes[slots, :width] for nodes in trees[:3])
    return CountRequest(attribute, value, span, births.stale[rows]), rows


def as_population(request: CountRequest) -> tuple[Trees, Births]:
    """Return a request's rows as trees in slots, all born now, in memory that kernels may write to."""
    n_rows, width = request.attribute.shape
    attribute, value, span = (np.array(nodes, order="C") for nodes in request[:3])
    n_nodes = np.full(n_rows, width, dtype=np.int32)
    births = empty_births(n_rows)._replace(slot=np.arange(n_rows), stale=np.array(request.stale, order="C"))
    return Trees(attribute, value, span, n_nodes, np.zeros(n_rows, dtype=np.int64)), births


def summed(answers: Iterable[Found]) -> Found:
    """Return the counts of all shards together."""
    reached, correct, tally = (sum(arrays) for arrays in zip(*answers, strict=True))
    return Found(reached, correct, tally)


def joined(batches: Sequence[Found]) -> Found:
    """Return the counts of all rows, which were counted batch by batch."""
    if len(batches) == 1:
        return batches[0]
    reached, correct, tally = (np.concatenate(arrays) for arrays in zip(*batches, strict=True))
    return Found(reached, correct, tally)


_MAX_LOSSES = 3  # of one shard, without an answer between them


class WorkerLostError(Exception):
    """The worker of a shard does not answer any more."""


class Source(Protocol):
    """Where the instances of a shard come from; small enough to be sent, or holding the instances."""

    def load(self) -> Instances:
        """Return the instances."""


class BeginRequest(NamedTuple):
    """What all shards of an evolution share."""

    alphabet: Alphabet
    scoring: Scoring


Request = BeginRequest | CountRequest | Tree
"""What a worker is asked: to begin an evolution, to count children, or the classes at a tree's nodes."""


class Worker(Protocol):
    """Holds a shard, and is asked one thing at a time."""

    def submit(self, request: Request) -> None:
        """Begin to work on a request. Raises a `WorkerLostError`."""

    def result(self) -> Any:
        """Return the answer: none to terms, `Found` to a request, counts to a tree. Raises as `submit` does."""

    def close(self) -> None:
        """Let go of the shard."""


class ShardWorkers:
    """The workers of all shards.

    Parameters
    ----------
    sources : sequence of Source
        One per shard.
    start : callable
        Returns a new `Worker` that loads a source; it is also given the number of the shard.
    """

    def __init__(self, sources: Sequence[Source], start: Callable[[Source, int], Worker]) -> None:
        self._sources, self._start = list(sources), start
        self._workers: list[Worker | None] = [None] * len(self._sources)
        self._begin_request: BeginRequest | None = None
        self.n_losses = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._sources)

    def begin(self, alphabet: Alphabet, scoring: Scoring) -> None:
        """Begin an evolution; what the shards have loaded stays."""
        self._begin_request = BeginRequest(alphabet, scoring._replace(target=np.zeros(0, dtype=np.int64)))
        self._request_all(self._begin_request)

    def count(self, request: CountRequest) -> Found:
        """Return the counts of all shards together."""
        if request.n_rows == 0:
            nothing = np.zeros((0, 0), dtype=np.int32)
            return Found(nothing, nothing, np.zeros((0, 0, 0), dtype=np.int64))
        return summed(self._request_all(request))

    def class_counts(self, tree: Tree) -> NDArray[np.int64]:
        """Return the instances of each class that reach each node of a tree."""
        total: NDArray[np.int64] = sum(self._request_all(tree))
        return total

    def _request_all(self, request: Request) -> list[Any]:
        """Ask all shards, which work at the same time, and return their answers."""
        try:
            submitted = [self._submitted(shard, request) for shard in range(len(self))]
            return [self._result(shard, request, submitted[shard]) for shard in range(len(self))]
        except BaseException:
            self.close()  # workers that were asked and not heard would answer the next request with this one
            raise

    def _submitted(self, shard: int, request: Request) -> bool:
        try:
            self._worker(shard, request).submit(request)
        except WorkerLostError:
            return False
        return True

    def _result(self, shard: int, request: Request, submitted: bool) -> Any:
        for _ in range(_MAX_LOSSES):
            try:
                if not submitted:
                    self._worker(shard, request).submit(request)
                worker = self._workers[shard]
                assert worker is not None
                return worker.result()
            except WorkerLostError as error:
                self._discard(shard)
                submitted, reason = False, error
        raise GatreeError(
            f"shard {shard + 1} of {len(self)} was lost {_MAX_LOSSES} times ({reason}); "
            "has its machine too little memory? With more shards each needs less"
        )

    def _worker(self, shard: int, request: Request) -> Worker:
        """Return the worker of a shard, who knows the terms; a new one loads the shard first."""
        worker = self._workers[shard]
        if worker is None:
            worker = self._workers[shard] = self._start(self._sources[shard], shard)
            if request is not self._begin_request and self._begin_request is not None:
                worker.submit(self._begin_request)
                worker.result()
        return worker

    def _discard(self, shard: int) -> None:
        self.n_losses += 1
        worker, self._workers[shard] = self._workers[shard], None
        if worker is not None:
            worker.close()

    def close(self) -> None:
        """Let all workers go. They are started again if they are asked again."""
        for shard, worker in enumerate(self._workers):
            self._workers[shard] = None
            if worker is not None:
                worker.close()
