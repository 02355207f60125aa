"""Handle the requests for a shard: in the calling process, or in a local process.

A process is started as a new command, not forked: it inherits no threads or locks, and a user's script needs
no ``__main__`` guard. It ends when its pipe is closed, which also happens when this process ends.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from gatree.evolution.evaluators.bits.counts import Found
from gatree.evolution.evaluators.bits.sweep import Sweeper, count_children
from gatree.evolution.evaluators.shards.workers import (
    BeginRequest,
    CountRequest,
    Request,
    Source,
    WorkerLostError,
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


_END_SECONDS = 5


class ProcessWorker:
    """A shard in a separate process."""

    def __init__(self, source: Source, shard: int) -> None:
        del shard
        self._pipe, theirs = Pipe()
        with theirs:
            command = [sys.executable, "-m", __name__, str(theirs.fileno())]
            self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        self._send(source)

    def submit(self, request: Request) -> None:
        self._send(request)

    def _send(self, what: Any) -> None:
        try:
            self._pipe.send(what)
        except OSError as error:
            raise self._lost_error() from error

    def result(self) -> Any:
        try:
            answer = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise self._lost_error() from error
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _lost_error(self) -> WorkerLostError:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_END_SECONDS)
        return WorkerLostError(f"its process ended with the code {self.process.returncode}")

    def close(self) -> None:
        self._pipe.close()
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def serve(pipe: Connection) -> None:
    """Load a shard and handle requests until the pipe is closed."""
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        source = pipe.recv()
        server: ShardServer | None = None
        while True:
            request = pipe.recv()
            try:
                server = server or ShardServer(source)
                answer: Any = server.handle(request)
            except Exception as error:
                answer = error if _can_be_sent(error) else RuntimeError(f"{type(error).__name__}: {error}")
            pipe.send(answer)


def _can_be_sent(error: Exception) -> bool:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the coordinator, which then closes the pipe
    with Connection(int(sys.argv[1])) as connection:
        serve(connection)
