"""Shards on the workers of a Dask cluster (the extra ``dask``), each in an actor.

An actor stays on its worker and receives requests without a scheduler task. A source may have `futures`:
parts of it that Dask transfers to the actor. Dask does not restart an actor whose worker has died;
`ShardWorkers` does, on another worker. Dask then raises various errors at various times, so every error of
Dask, as opposed to one of the shard itself, counts as a loss.
"""

from __future__ import annotations

import time
import uuid
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import replace
from typing import Any

from gatree.base.errors import ConfigError
from gatree.evolution.evaluators.shards.cluster import WorkerMonitor, call_with_timeout
from gatree.evolution.evaluators.shards.server import ShardServer
from gatree.evolution.evaluators.shards.workers import Request, Source, WorkerLostError

_CHECK_SECONDS = 2  # without a result, until the worker is checked
_SEND_SECONDS = 3600  # to send a shard, which may be large
_PAUSE_SECONDS = 0.2
_JOIN_SECONDS = 60  # without any worker, until the evolution fails


class Cluster:
    """A Dask cluster whose workers hold shards."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._address = client.scheduler.address
        self._monitor = WorkerMonitor(client, self._address)
        self._started: dict[int, ActorWorker] = {}

    @property
    def n_workers(self) -> int:
        return max(1, len(self.workers()))

    def workers(self) -> list[str]:
        """Return the addresses of the current workers."""
        try:
            return self._monitor.workers()
        except Exception:
            raise ConfigError(f"{self._address}: the scheduler of the Dask cluster is gone") from None

    def start(self, source: Source, shard: int) -> ActorWorker:
        """Start a shard on the Dask worker that has the fewest."""
        taken = [started.worker for number, started in self._started.items() if number != shard]
        worker = min(self._some_workers(), key=taken.count)
        self._started[shard] = ActorWorker(self, worker, source)
        return self._started[shard]

    def _some_workers(self) -> list[str]:
        """Return the workers, at least one; wait for new ones if all are gone."""
        until = time.monotonic() + _JOIN_SECONDS
        while not (workers := self.workers()):
            if time.monotonic() > until:
                raise ConfigError(
                    f"{self._address}: no worker has joined for {_JOIN_SECONDS} s; "
                    f"start some with: dask worker {self._address}"
                )
            time.sleep(_PAUSE_SECONDS)
        return workers


class ShardActor:
    """The actor on a worker. It returns errors of the shard as part of the result."""

    def __init__(self, source: Source, *parts: Any) -> None:
        self._source = replace(source, parts=parts) if parts else source  # type: ignore[type-var]
        self._server: ShardServer | None = None

    def handle(self, request: Request) -> tuple[Any, Exception | None]:
        """Return the result and None, or None and the error."""
        try:
            if self._server is None:
                self._server = ShardServer(self._source)
                del self._source  # its parts are copied
            return self._server.handle(request), None
        except Exception as error:
            return None, error


class ActorWorker:
    """A shard on a worker of a cluster."""

    def __init__(self, cluster: Cluster, worker: str, source: Source) -> None:
        self.worker = worker
        self._cluster, client = cluster, cluster.client
        try:
            with client.as_current():
                key = f"gatree-shard-{uuid.uuid4().hex}"
                parts = getattr(source, "futures", ())
                if parts:
                    source = replace(source, futures=())  # type: ignore[type-var]
                given = call_with_timeout(
                    _SEND_SECONDS, lambda: client.scatter(source, workers=[worker], hash=False)
                )
                options = {"actor": True, "workers": [worker], "key": key}
                self._actor_future = client.submit(ShardActor, given, *parts, **options)
        except Exception as error:
            raise self._lost_error(error) from error
        self._actor: Any = None
        self._pending: Any = None

    def submit(self, request: Request) -> None:
        try:
            with self._cluster.client.as_current():
                if self._actor is None:
                    self._actor = self._wait_for(self._actor_future)
                self._pending = self._actor.handle(request)
        except WorkerLostError:
            raise
        except Exception as error:
            raise self._lost_error(error) from error

    def result(self) -> Any:
        try:
            answer, error = self._wait_for(self._pending)
        except WorkerLostError:
            raise
        except Exception as raised:
            raise self._lost_error(raised) from raised
        if error is not None:
            raise error
        return answer

    def _wait_for(self, future: Any) -> Any:
        """Wait for a result, and check regularly that the worker is still there."""
        while True:
            try:
                return future.result(timeout=_CHECK_SECONDS)
            except (TimeoutError, FutureTimeoutError):
                if self.worker not in self._cluster.workers():
                    raise WorkerLostError(f"the worker {self.worker} is gone") from None

    def _lost_error(self, error: Exception) -> WorkerLostError:
        return WorkerLostError(f"the worker {self.worker}: {type(error).__name__}: {error}")

    def close(self) -> None:
        self._actor = self._pending = None
        self._actor_future.release()
