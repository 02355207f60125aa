"""The shards of an evolution: their sources, their workers, and the replacement of a lost worker.

A source is a slice of the instances in memory, or rows of files, which are surveyed first: by this process or
by the workers of a Dask cluster, one file per task.

A worker is an actor on a worker of a Dask cluster (`cluster.py`). It loads the source of a shard. If it is
lost, a new worker loads the same source and repeats its request; the other workers are not affected.

A request holds only what has changed: the children with stale nodes, and these nodes. The result holds counts
of disjoint sets of instances, so the sum over the shards equals the counts of one process exactly. A shard
keeps nothing about any tree, so nothing is lost with a worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import GatreeError
from gatree.data.blocks import ReadOptions
from gatree.data.formats import files_of
from gatree.data.pieces import CodingPlan, DataInPieces, Stretch, encode, stretches, survey
from gatree.evolution.breed import NONE, Births, empty_births
from gatree.evolution.population import Trees
from gatree.evolution.problem import Alphabet, Instances, Problem
from gatree.evolution.scoring import Scoring
from gatree.settings.evolution_settings import EvolutionSettings
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
    """Return the request for the counts of births, and the index of the birth of each row."""
    rows = np.flatnonzero(births.stale[:, 0] != NONE)
    slots = births.slot[rows]
    width = int(trees.n_nodes[slots].max(initial=0))
    attribute, value, span = (nodes[slots, :width] for nodes in trees[:3])
    return CountRequest(attribute, value, span, births.stale[rows]), rows


def as_population(request: CountRequest) -> tuple[Trees, Births]:
    """Return the rows of a request as trees in slots, and their births, in writable memory."""
    n_rows, width = request.attribute.shape
    attribute, value, span = (np.array(nodes, order="C") for nodes in request[:3])
    n_nodes = np.full(n_rows, width, dtype=np.int32)
    births = empty_births(n_rows)._replace(slot=np.arange(n_rows), stale=np.array(request.stale, order="C"))
    return Trees(attribute, value, span, n_nodes, np.zeros(n_rows, dtype=np.int64)), births


class StaleCounts(NamedTuple):
    """The counts of the nodes below stale nodes; entries of other nodes are undefined.

    Only the left child of a test is counted; the right one follows by subtraction.
    """

    reached: Ints  # [row, node]
    correct: Ints  # [row, node]: the weight of the correct instances of a leaf with a fixed class
    tally: NDArray[np.int64]  # [row, node, class]: of majority leaves, without the last class


def summed(answers: Iterable[StaleCounts]) -> StaleCounts:
    """Return the sum of the counts of all shards."""
    reached, correct, tally = (sum(arrays) for arrays in zip(*answers, strict=True))
    return StaleCounts(reached, correct, tally)


_MAX_LOSSES = 3  # of one shard in succession


class WorkerLostError(Exception):
    """The worker of a shard does not respond any more."""


class ShardSource(Protocol):
    """The source of a shard's instances; picklable, with or without the instances."""

    def load(self) -> Instances:
        """Return the instances."""


class BeginRequest(NamedTuple):
    """A request to begin an evolution, with what all its shards share."""

    alphabet: Alphabet
    scoring: Scoring


Request = BeginRequest | CountRequest | Tree
"""A request to a worker: begin an evolution, count children, or count the classes at a tree's nodes."""


class Worker(Protocol):
    """A worker that holds a shard and handles one request at a time."""

    def submit(self, request: Request) -> None:
        """Start a request. Raises a `WorkerLostError`."""

    def result(self) -> Any:
        """Wait for the result: None, `StaleCounts`, or the counts of a tree. Raises as `submit` does."""

    def close(self) -> None:
        """Release the shard."""


class ShardWorkers:
    """The workers of all shards.

    ``start`` is called with a source and the number of its shard; it returns a new `Worker` that loads the
    source. ``end`` is called last.
    """

    def __init__(
        self,
        sources: Sequence[ShardSource],
        start: Callable[[ShardSource, int], Worker],
        end: Callable[[], None] = lambda: None,
    ) -> None:
        self._sources, self._start, self._end = list(sources), start, end
        self._workers: list[Worker | None] = [None] * len(self._sources)
        self._begin_request: BeginRequest | None = None
        self.n_losses = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._end()

    def __len__(self) -> int:
        return len(self._sources)

    def begin(self, alphabet: Alphabet, scoring: Scoring) -> None:
        """Begin an evolution; shards keep the instances they have loaded."""
        self._begin_request = BeginRequest(alphabet, scoring._replace(target=np.zeros(0, dtype=np.int64)))
        self._request_all(self._begin_request)

    def count(self, request: CountRequest) -> StaleCounts:
        """Return the sum of the counts of all shards."""
        if request.n_rows == 0:
            nothing = np.zeros((0, 0), dtype=np.int32)
            return StaleCounts(nothing, nothing, np.zeros((0, 0, 0), dtype=np.int64))
        return summed(self._request_all(request))

    def class_counts(self, tree: Tree) -> NDArray[np.int64]:
        """Return the instances of each class that reach each node of a tree."""
        total: NDArray[np.int64] = sum(self._request_all(tree))
        return total

    def _request_all(self, request: Request) -> list[Any]:
        """Send a request to all shards, which work in parallel, and return their results."""
        try:
            submitted = [self._submitted(shard, request) for shard in range(len(self))]
            return [self._result(shard, request, submitted[shard]) for shard in range(len(self))]
        except BaseException:
            self.close()  # a pending result would be taken for that of the next request
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
            "its machine may be short of memory: with more shards each of them needs less"
        )

    def _worker(self, shard: int, request: Request) -> Worker:
        """Return the worker of a shard; a new one loads the shard and begins the evolution first."""
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
        """Close all workers. The next request starts them again."""
        for shard, worker in enumerate(self._workers):
            self._workers[shard] = None
            if worker is not None:
                worker.close()


@dataclass(frozen=True)
class Slice:
    """A range of the instances that the coordinator holds."""

    instances: Instances
    begin: int
    end: int

    def __getstate__(self) -> tuple[Instances]:
        return (self.load(),)  # only the slice is sent

    def __setstate__(self, state: tuple[Instances]) -> None:
        (instances,) = state
        for name, value in {"instances": instances, "begin": 0, "end": len(instances.classes)}.items():
            object.__setattr__(self, name, value)

    def load(self) -> Instances:
        codes, is_numeric, classes = self.instances
        return Instances(
            _writable(codes[:, self.begin : self.end]),
            _writable(is_numeric),
            _writable(classes[self.begin : self.end]),
        )


@dataclass(frozen=True)
class FileRows:
    """Some rows of data in pieces, which the worker of the shard reads itself."""

    plan: CodingPlan
    part: Sequence[Stretch]

    def load(self) -> Instances:
        codes, classes = encode(self.plan, self.part)
        return Instances(codes, self.plan.coding.is_numeric, classes)


def sources_of(problem: Problem, n_shards: int) -> Sequence[ShardSource]:
    """Return the sources of ``n_shards`` shards: rows of files, or slices of the instances in memory."""
    if problem.pieces is None:
        return slices(problem.instances, n_shards)
    return [FileRows(problem.pieces.plan, part) for part in stretches(problem.pieces.pieces, n_shards)]


def slices(instances: Instances, n_shards: int) -> list[Slice]:
    """Cut instances into at most ``n_shards`` shards of nearly equal size, none of them empty."""
    n = len(instances.classes)
    n_shards = max(1, min(n_shards, n))
    ends = [n * shard // n_shards for shard in range(n_shards + 1)]
    return [Slice(instances, begin, end) for begin, end in pairwise(ends)]


def _writable(array: np.ndarray) -> np.ndarray:
    """Return an array as kernels require it: contiguous and writable, which a received array may not be."""
    return np.require(array, requirements=["C", "W"])


def load_in_pieces(
    pattern: str,
    class_name: str | None,
    options: ReadOptions,
    settings: EvolutionSettings,
    client: Any = None,
) -> DataInPieces:
    """Survey the file, or all files, that a pattern matches, and return the data in pieces.

    On a cluster the workers have to find the files under the same absolute paths.
    """
    paths, each = files_of(pattern), map
    if client is not None:
        paths, each = [str(Path(path).absolute()) for path in paths], _map_on(client)  # type: ignore[assignment]
    return survey(paths, class_name, settings.numeric_tests, options=options, choose="--class", each=each)


def _map_on(client: Any) -> Callable[..., Iterable[Any]]:
    def each(function: Callable[..., Any], *columns: Iterable[Any]) -> Iterable[Any]:
        found: Iterable[Any] = client.gather(client.map(function, *columns, pure=False))
        return found

    return each
