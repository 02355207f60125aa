"""Connect to a Dask cluster (the extra ``dask``) and check its workers.

Dask may wait forever for a response, and some of these waits cannot be interrupted. So all communication with
a scheduler runs in separate threads, and the calling thread waits for them with a timeout.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any

import gatree
from gatree.base.errors import ConfigError
from gatree.base.extras import extras
from gatree.evolution import ENGINE_VERSION


def call_with_timeout(seconds: float, work: Callable[[], Any]) -> Any:
    """Return the result of a callable, or raise a TimeoutError after ``seconds``; Ctrl-C interrupts it."""
    try:
        result = run_in_thread(work).get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if isinstance(result, BaseException):
        raise result
    return result


def run_in_thread(work: Callable[[], Any]) -> SimpleQueue[Any]:
    """Run a callable in a new thread; its result or its exception is put into the returned queue."""
    results: SimpleQueue[Any] = SimpleQueue()

    def run() -> None:
        try:
            results.put(work())
        except BaseException as error:
            results.put(error)

    threading.Thread(target=run, daemon=True).start()
    return results


with extras():
    import distributed

logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # gatree reports lost connections itself

_CONNECT_SECONDS = 5
_CHECK_SECONDS = 2  # without a result, until the scheduler is queried
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
        return call_with_timeout(_CONNECT_SECONDS + 1, connected)
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
        with suppress(Exception):  # the scheduler may have stopped
            call_with_timeout(_CLOSE_SECONDS + 1, lambda: client.close(timeout=_CLOSE_SECONDS))


def check_workers(client: Any, address: str) -> None:
    """Raise an error if the cluster has no workers, or another version of gatree: results might differ."""
    try:
        call_with_timeout(_CONNECT_SECONDS + 1, lambda: client.wait_for_workers(1, timeout=_CONNECT_SECONDS))
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
        try:
            found = call_with_timeout(
                _ANSWER_SECONDS, lambda: self._client.sync(self._client.scheduler.identity)["workers"]
            )
        except (OSError, RuntimeError, TimeoutError):
            raise scheduler_gone(self._address) from None
        now = time.monotonic()
        for worker, about in found.items():
            last, _ = self._heartbeats.get(worker, (None, now))
            if about["last_seen"] != last:
                self._heartbeats[worker] = about["last_seen"], now
        self._heartbeats = {worker: self._heartbeats[worker] for worker in found}
        self._report(now)
        return sorted(found)

    def _report(self, now: float) -> None:
        silences = {worker: now - since for worker, (_, since) in self._heartbeats.items()}
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
