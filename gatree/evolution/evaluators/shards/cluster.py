"""A Dask cluster (the extra ``dask``): connect to it, check its workers, and keep shards on them.

Dask may wait forever for a response, and some of these waits cannot be interrupted. So all communication with
a scheduler runs in separate threads, and the calling thread waits for them with a timeout.

A shard is in an actor, which stays on its worker and receives requests without a scheduler task, in a third
of the time that a task takes. Dask does not restart an actor whose worker has died; `ShardWorkers` does, on
another worker. Dask then raises various errors at various times, so every error of Dask, as opposed to one of
the shard itself, counts as a loss.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any

import gatree
from gatree.base.background import interruptible, run_in_thread
from gatree.base.errors import ConfigError
from gatree.base.extras import extras
from gatree.evolution import ENGINE_VERSION
from gatree.evolution.evaluators.shards.workers import Request, ShardCounter, Source, WorkerLostError

with extras():
    import distributed

logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # gatree reports lost connections itself

_CONNECT_SECONDS = 5
_CHECK_SECONDS = 2  # without a result, until the scheduler or the worker is checked
_ANSWER_SECONDS = 7
_SILENT_SECONDS = 10  # without a heartbeat; workers send one every 0.5 to a few seconds
_CLOSE_SECONDS = 2
_log = logging.getLogger(__name__)


def connect(address: str) -> Any:
    """Return a client of the scheduler at an address."""

    def connected() -> Any:
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # also errors of lost actors
        return distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)

    try:
        return interruptible(connected, _CONNECT_SECONDS + 1)
    except Exception as error:  # Dask raises many errors if the port speaks another protocol
        what = str(error) or type(error).__name__
        raise ConfigError(
            f"--scheduler {address}: no scheduler answers there ({what}); start one with: dask scheduler"
        ) from error


@contextmanager
def cluster_at(address: str) -> Iterator[Any]:
    """Yield a client of a cluster with usable workers, and close it afterwards."""
    client = connect(address)
    try:
        check_workers(client, address)
        yield client
    finally:
        _close(client)


def _close(client: Any) -> None:
    with suppress(Exception):  # the scheduler may have stopped
        interruptible(lambda: client.close(timeout=_CLOSE_SECONDS), _CLOSE_SECONDS + 1)


def check_workers(client: Any, address: str) -> None:
    """Raise an error if the cluster has no workers, or another version of gatree: results might differ."""
    try:
        interruptible(lambda: client.wait_for_workers(1, timeout=_CONNECT_SECONDS), _CONNECT_SECONDS + 1)
    except TimeoutError:
        raise ConfigError(
            f"--scheduler {address}: it has no workers; start some with: dask worker {address}"
        ) from None
    try:
        versions = next_result(run_in_thread(lambda: client.run(_versions)), WorkerMonitor(client, address))
    except ImportError as error:
        raise ConfigError(f"--scheduler {address}: gatree is not installed on a worker ({error})") from error
    for worker, version in versions.items():
        if version != _versions():
            raise ConfigError(
                f"--scheduler {address}: the worker {worker} has gatree {version[0]} (engine {version[1]}), "
                f"but this is {gatree.__version__} (engine {ENGINE_VERSION}): install the same everywhere"
            )


def _versions() -> tuple[str, int]:
    return gatree.__version__, ENGINE_VERSION


class WorkerMonitor:
    """Monitor the workers of a cluster; log once when all are gone or some have stopped responding."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._heartbeats: dict[str, tuple[float, float]] = {}  # by worker: the last one, and when it arrived
        self._reported: tuple[str, ...] = ()

    def workers(self) -> list[str]:
        """Return the addresses of the workers; raise an error if the scheduler does not respond."""
        self._report(self.silences())
        return sorted(self._heartbeats)

    def nobody_answers(self) -> bool:
        """Return whether there are no workers, or none has responded for a while."""
        return all(seconds >= _SILENT_SECONDS for seconds in self.silences().values())

    def silences(self) -> dict[str, float]:
        """Return the seconds since each worker's last heartbeat, as far as was watched."""
        client = self._client
        try:
            identity = interruptible(lambda: client.sync(client.scheduler.identity), _ANSWER_SECONDS)
        except (OSError, RuntimeError, TimeoutError):
            raise scheduler_gone(self._address) from None
        found, now = identity["workers"], time.monotonic()
        for worker, about in found.items():
            last, _ = self._heartbeats.get(worker, (None, now))
            if about["last_seen"] != last:
                self._heartbeats[worker] = about["last_seen"], now
        self._heartbeats = {worker: self._heartbeats[worker] for worker in found}
        return {worker: now - since for worker, (_, since) in self._heartbeats.items()}

    def _report(self, silences: dict[str, float]) -> None:
        silent = tuple(worker for worker, seconds in silences.items() if seconds >= _SILENT_SECONDS)
        trouble = silent if silences else ("all",)
        if trouble == self._reported:
            return
        self._reported = trouble
        if not silences:
            what = "all workers are gone"
        elif len(silent) == len(silences):
            what = f"no worker has answered for {min(silences.values()):.0f} s"
        elif silent:
            seconds = min(silences[worker] for worker in silent)
            what = f"no answer from {', '.join(silent)} for {seconds:.0f} s"
        else:
            return
        _log.warning("%s: %s; waiting for others: dask worker %s", self._address, what, self._address)


def next_result(arrived: SimpleQueue[Any], monitor: WorkerMonitor) -> Any:
    """Return the next result; while waiting, check that the cluster still has workers."""
    while True:
        try:
            result = arrived.get(timeout=_CHECK_SECONDS)
        except Empty:
            monitor.workers()
            continue
        if isinstance(result, BaseException):
            raise result
        return result


def scheduler_gone(address: str) -> ConfigError:
    """Return the error for a scheduler that does not respond any more."""
    return ConfigError(f"{address}: the scheduler is gone; what was done is kept: start it and run again")


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

    def end(self) -> None:
        """Leave the cluster as it is."""

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


class LocalCluster(Cluster):
    """A Dask cluster of ``n_workers`` processes of this machine, for one evolution."""

    def __init__(self, n_workers: int) -> None:
        options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
        self._local = distributed.LocalCluster(n_workers, **options)
        super().__init__(distributed.Client(self._local, set_as_default=False))

    def end(self) -> None:
        """Close the client and end the processes."""
        _close(self.client)
        with suppress(Exception):
            interruptible(lambda: self._local.close(timeout=_CLOSE_SECONDS), _CLOSE_SECONDS + 1)


class ActorWorker:
    """A shard on a worker of a cluster."""

    def __init__(self, cluster: Cluster, worker: str, source: Source) -> None:
        self.worker = worker
        self._cluster, client = cluster, cluster.client
        with self._errors_as_losses(), client.as_current():
            load = interruptible(
                lambda: client.scatter(source.load, workers=[worker], hash=False), _SEND_SECONDS
            )
            options = {"actor": True, "workers": [worker], "pure": False}
            self._actor_future = client.submit(ShardCounter, load, *source.futures, **options)
        self._actor: Any = None
        self._pending: Any = None

    def submit(self, request: Request) -> None:
        self._pending = None  # if the worker is lost here, `result` must not return the previous answer
        with self._errors_as_losses(), self._cluster.client.as_current():
            if self._actor is None:
                self._actor = self._wait_for(self._actor_future)
            self._pending = self._actor.handle(request)

    def result(self) -> Any:
        with self._errors_as_losses():
            answer, error = self._wait_for(self._pending)
        if error is not None:
            raise error
        return answer

    @contextmanager
    def _errors_as_losses(self) -> Iterator[None]:
        try:
            yield
        except WorkerLostError:
            raise
        except Exception as error:
            raise WorkerLostError(f"the worker {self.worker}: {type(error).__name__}: {error}") from error

    def _wait_for(self, future: Any) -> Any:
        """Wait for a result, and check regularly that the worker is still there."""
        while True:
            try:
                return future.result(timeout=_CHECK_SECONDS)
            except (TimeoutError, FutureTimeoutError):
                if self.worker not in self._cluster.workers():
                    raise WorkerLostError(f"the worker {self.worker} is gone") from None

    def close(self) -> None:
        with suppress(Exception):  # the worker or the scheduler may be gone
            self._actor = self._pending = None
            self._actor_future.release()
