"""Run cells on a Dask cluster: the same cells, the same records (the extra ``dask``).

The data are given to every worker once, also to those that join later. The scheduler moves the cell of
a worker that dies to another one, up to three times. Whatever its number of threads, a worker process
runs one cell at a time: two would spoil each other's timing.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import gatree
from gatree.base.background import interruptible, run_in_thread
from gatree.base.errors import ConfigError
from gatree.base.extras import extras
from gatree.data.dataset import Dataset
from gatree.evolution import ENGINE_VERSION
from gatree.experiments.cell import failure, run_cell
from gatree.experiments.estimate import modelled_seconds
from gatree.experiments.grid import Cell
from gatree.experiments.record import Record

with extras():
    import distributed

logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # gatree reports lost connections itself

_CONNECT_SECONDS = 5
_CHECK_SECONDS = 2  # without a result, until the scheduler is checked
_ANSWER_SECONDS = 7
_SILENT_SECONDS = 10  # without a heartbeat; workers send one every 0.5 to a few seconds
_CLOSE_SECONDS = 2
_log = logging.getLogger(__name__)
_one_at_a_time = threading.Lock()


def run_on_dask(cells: Sequence[Cell], datasets: Mapping[str, Dataset], address: str) -> Generator[Record]:
    """Run cells on the cluster whose scheduler has this address, and yield their records as they come.

    Closing the generator gives up what has not been finished.
    """
    client = connect(address)
    run = f"gatree-{uuid.uuid4().hex}"  # so that no result of another run is taken for this one's
    futures: dict[Any, Cell] = {}
    try:
        check_workers(client, address)
        client.register_plugin(_Data(dict(datasets)), name=run)
        for cell in cells:
            priority = modelled_seconds(cell)
            futures[client.submit(_run, cell, run, key=f"{run}-{cell.key}", priority=priority)] = cell
        yield from _records(client, futures, address)
    finally:
        with suppress(Exception):  # the scheduler may be gone
            interruptible(lambda: _give_up(client, futures, run), _CLOSE_SECONDS)


def _give_up(client: Any, futures: Mapping[Any, Cell], run: str) -> None:
    client.cancel(list(futures))
    client.unregister_worker_plugin(run)
    client.close(timeout=_CLOSE_SECONDS)


def _records(client: Any, futures: Mapping[Any, Cell], address: str) -> Generator[Record]:
    """Yield the records as they come."""
    arrived: SimpleQueue[Record | BaseException] = SimpleQueue()

    def fetch() -> None:
        try:
            for future in distributed.as_completed(futures, loop=client.loop):
                arrived.put(_record(future, futures[future], address))
        except BaseException as error:
            arrived.put(error)

    threading.Thread(target=fetch, daemon=True).start()
    monitor = WorkerMonitor(client, address)
    for _ in futures:
        yield next_result(arrived, monitor)


def _record(future: Any, cell: Cell, address: str) -> Record:
    """Return what became of a cell.

    A result that was lost with its worker, before it was fetched, is computed again; asking for it waits.
    """
    try:
        error = future.exception()
        if error is not None:
            return failure(cell, f"{type(error).__name__}: {error}")
        record: Record = future.result()
    except (CancelledError, OSError):  # given up, or cut off while it was fetched
        raise scheduler_gone(address) from None
    future.release()
    return record


class _Data(distributed.WorkerPlugin):  # type: ignore[misc]
    """The data sets by checksum, at every worker."""

    def __init__(self, datasets: dict[str, Dataset]) -> None:
        self.datasets = datasets


def _run(cell: Cell, data: str) -> Record:
    datasets = distributed.get_worker().plugins[data].datasets
    with _one_at_a_time:
        return run_cell(cell, datasets[cell.checksum])


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
