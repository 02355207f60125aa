"""The shards of an evolution: their sources, their workers, and the replacement of a lost worker.

A source is a slice of the instances in memory, or rows of files, which are surveyed first: by this process or
by the workers of a Dask cluster, one file per task.

A worker is an actor on a worker of a Dask cluster (`cluster.py`). It loads the source of a shard. If it is
lost, a new worker loads the same source and repeats its request; the other workers are not affected.

A request holds the branches that are to be counted, with those on the way to them. The results are counts of
disjoint sets of instances, so the sum over the shards equals the counts of one process exactly. A shard keeps
nothing about any tree or branch, so nothing is lost with a worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from operator import methodcaller
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import GatreeError
from gatree.data.blocks import ReadOptions
from gatree.data.formats import files_of
from gatree.data.pieces import CodingPlan, DataInPieces, Stretch, encode, stretches, survey
from gatree.evolution.evaluators.bitset import BitsetEvaluator
from gatree.evolution.evaluators.contract import Shard
from gatree.evolution.problem import Alphabet, Instances, Problem, class_counts
from gatree.evolution.scoring import Scoring
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import Tree

_MAX_LOSSES = 3  # of one shard in succession


class WorkerLostError(Exception):
    """The worker of a shard does not respond any more."""


@dataclass(frozen=True)
class Source:
    """The source of a shard: a picklable function that returns its instances.

    Its arguments are parts of the data that are on a cluster, which transfers them to the shard's worker.
    """

    load: Callable[..., Instances]
    futures: tuple[Any, ...] = ()


class ShardCounter:
    """The instances of a shard, loaded once, and the evaluator that counts them in the current evolution."""

    def __init__(self, load: Callable[..., Instances], *parts: Any) -> None:
        self._load = partial(load, *parts)

    @cached_property
    def _instances(self) -> Instances:
        loaded = self._load()
        del self._load  # its parts are copied
        # Received arrays may not be contiguous and writable, as kernels require.
        return Instances(*(np.require(array, requirements=["C", "W"]) for array in loaded))

    def handle(self, request: Request) -> tuple[Any, Exception | None]:
        """Return the result of a request and None, or None and the error."""
        try:
            return request(self), None
        except Exception as error:
            return None, error

    def begin(self, alphabet: Alphabet, scoring: Scoring) -> None:
        """Begin an evolution, with what all its shards share."""
        self._evaluator = BitsetEvaluator(Shard(self._instances, alphabet, scoring), n_slots=0)

    def counts_of(self, known: NDArray[Any], first: int) -> NDArray[np.int32]:
        """Return the number of instances in each branch from ``first`` on."""
        return self._evaluator.counts_of(known, first)

    def class_counts(self, tree: Tree, n_classes: int) -> NDArray[np.int64]:
        """Return the instances of each class that reach each node of a tree."""
        return class_counts(tree, self._instances, n_classes)


Request = Callable[[ShardCounter], Any]
"""A picklable function that is called where the instances of a shard are."""


class Worker(Protocol):
    """A worker that holds a shard and handles one request at a time, until a `WorkerLostError`."""

    def submit(self, request: Request) -> None:
        """Start a request."""

    def result(self) -> Any:
        """Wait for the result."""

    def close(self) -> None:
        """Release the shard."""


class ShardWorkers:
    """The workers of all shards.

    ``start`` is called with a source and the number of its shard; it returns a new `Worker` that loads the
    source. ``end`` is called last.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        start: Callable[[Source, int], Worker],
        end: Callable[[], None] = lambda: None,
    ) -> None:
        self._sources, self._start, self._end = sources, start, end
        self._workers: list[Worker | None] = [None] * len(sources)
        self._begin: Request | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._end()

    def begin(self, alphabet: Alphabet, scoring: Scoring) -> None:
        """Begin an evolution; shards keep the instances they have loaded."""
        shared_by_all = scoring._replace(target=np.zeros(0, dtype=np.int64))
        self._begin = methodcaller("begin", alphabet, shared_by_all)
        self._request_all(self._begin)

    def counts_of(self, known: NDArray[Any], first: int) -> NDArray[np.int32]:
        """Return the number of instances in each branch from ``first`` on."""
        counts: NDArray[np.int32] = sum(self._request_all(methodcaller("counts_of", known, first)))
        return counts

    def class_counts(self, tree: Tree, n_classes: int) -> NDArray[np.int64]:
        """Return the instances of each class that reach each node of a tree."""
        counts: NDArray[np.int64] = sum(self._request_all(methodcaller("class_counts", tree, n_classes)))
        return counts

    def _request_all(self, request: Request) -> list[Any]:
        """Send a request to all shards, which work in parallel, and return their results."""
        try:
            for shard in range(len(self._sources)):
                with suppress(WorkerLostError):  # which its result raises, too
                    self._worker(shard, request).submit(request)
            return [self._result(shard, request) for shard in range(len(self._sources))]
        except BaseException:
            self.close()  # a pending result would be taken for that of the next request
            raise

    def _worker(self, shard: int, request: Request) -> Worker:
        """Return the worker of a shard; a new one loads the shard and begins the evolution first."""
        worker = self._workers[shard]
        if worker is None:
            worker = self._start(self._sources[shard], shard)
            if request is not self._begin and self._begin is not None:
                worker.submit(self._begin)
                worker.result()
            self._workers[shard] = worker
        return worker

    def _result(self, shard: int, request: Request) -> Any:
        """Return the result of a shard; if its worker is lost, another one repeats the request."""
        for _ in range(_MAX_LOSSES):
            try:
                worker = self._workers[shard]
                if worker is None:
                    worker = self._worker(shard, request)
                    worker.submit(request)
                return worker.result()
            except WorkerLostError as error:
                self._close(shard)
                reason = error
        raise GatreeError(
            f"shard {shard + 1} of {len(self._sources)} was lost {_MAX_LOSSES} times ({reason}); "
            "its machine may be short of memory: with more shards each of them needs less"
        )

    def _close(self, shard: int) -> None:
        worker, self._workers[shard] = self._workers[shard], None
        if worker is not None:
            worker.close()

    def close(self) -> None:
        """Close all workers. The next request starts them again."""
        for shard in range(len(self._sources)):
            self._close(shard)


def sources_of(problem: Problem, n_shards: int) -> list[Source]:
    """Return the sources of ``n_shards`` shards: rows of files, or slices of the instances in memory."""
    if problem.pieces is None:
        return slices(problem.instances, n_shards)
    plan, pieces = problem.pieces.plan, problem.pieces.pieces
    return [Source(partial(rows_of, plan, part)) for part in stretches(pieces, n_shards)]


def rows_of(plan: CodingPlan, part: Sequence[Stretch]) -> Instances:
    """Return some rows of data in pieces, which the worker of the shard reads itself."""
    codes, classes = encode(plan, part)
    return Instances(codes, plan.coding.is_numeric, classes)


def slices(instances: Instances, n_shards: int) -> list[Source]:
    """Cut instances into at most ``n_shards`` shards of nearly equal size, none of them empty."""
    codes, is_numeric, classes = instances
    n_shards = max(1, min(n_shards, len(classes)))
    ends = [len(classes) * shard // n_shards for shard in range(n_shards + 1)]
    return [
        Source(partial(Instances, codes[:, begin:end], is_numeric, classes[begin:end]))
        for begin, end in pairwise(ends)
    ]


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
