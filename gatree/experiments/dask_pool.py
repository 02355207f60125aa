"""Run cells on a Dask cluster: the same cells, the same records (the extra ``dask``).

The data are given to every worker once, also to those that join later. The scheduler moves the cells of a
worker that dies, or that does not answer any more, to another one, up to three times. Whatever its number of
threads, a worker process runs one cell at a time: two would spoil each other's timing.

Dask may wait forever for a response, and some of these waits cannot be interrupted. So all communication with
a scheduler runs in separate threads, and the calling thread waits for them with a timeout.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from queue import Empty
from typing import TypeVar

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
_POLL_SECONDS = 0.05
_CHECK_SECONDS = 2.0  # from one check of scheduler and workers to the next
_ANSWER_SECONDS = 7
_SILENT_SECONDS = 30  # without a heartbeat; workers send one every 0.5 to a few seconds
_CLOSE_SECONDS = 2
_RETRIES = 2  # of a cell that could not be sent or received
_one_at_a_time = threading.Lock()
_log = logging.getLogger(__name__)

Result = TypeVar("Result")


def run_on_dask(cells: Sequence[Cell], datasets: Mapping[str, Dataset], address: str) -> Generator[Record]:
    """Run cells on the cluster whose scheduler has this address, and yield their records as they come.

    Closing the generator gives up what has not been finished.
    """
    client = _connect(address)
    workers = _Workers(client, address)
    run = f"gatree-{uuid.uuid4().hex}"  # so that no result of another run is taken for this one's
    futures: dict[distributed.Future, Cell] = {}
    try:
        _check_versions(client, workers)
        workers.wait_for(lambda: client.register_plugin(_Data(dict(datasets)), name=run))
        for cell in cells:
            how = {"priority": modelled_seconds(cell), "retries": _RETRIES}
            futures[client.submit(_run, cell, run, key=f"{run}-{cell.key}", **how)] = cell
        yield from _records(client, futures, workers)
    finally:
        with suppress(Exception):  # the scheduler may be gone
            interruptible(lambda: _give_up(client, futures, run), _CLOSE_SECONDS)


def _records(
    client: distributed.Client, futures: Mapping[distributed.Future, Cell], workers: _Workers
) -> Generator[Record]:
    """Yield the records as they come, and check the workers meanwhile."""
    how = {"with_results": True, "raise_errors": False, "loop": client.loop}
    completed = distributed.as_completed(futures, **how)
    while completed.count():
        found = completed.next_batch(block=False)
        if not found:
            time.sleep(_POLL_SECONDS)
            workers.check()
        for future, result in found:
            if isinstance(result, CancelledError):  # its scheduler is gone
                raise _scheduler_gone(workers.address)
            if future.status == "error":
                kind, error, _ = result
                yield failure(futures[future], f"{kind.__name__}: {error}")
            else:
                yield result
            future.release()


def _give_up(client: distributed.Client, futures: Mapping[distributed.Future, Cell], run: str) -> None:
    client.cancel(list(futures))
    client.unregister_worker_plugin(run)
    client.close(timeout=_CLOSE_SECONDS)


class _Data(distributed.WorkerPlugin):  # type: ignore[misc]
    """The data sets by checksum, at every worker."""

    def __init__(self, datasets: dict[str, Dataset]) -> None:
        self.datasets = datasets


def _run(cell: Cell, data: str) -> Record:
    datasets = distributed.get_worker().plugins[data].datasets
    with _one_at_a_time:
        return run_cell(cell, datasets[cell.checksum])


# --- the cluster ------------------------------------------------------------------------------------


def _connect(address: str) -> distributed.Client:
    """Return a client of the scheduler at an address, which has a worker."""

    def connected() -> distributed.Client:
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # errors of connections that were lost
        return distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)

    try:
        client = interruptible(connected, _CONNECT_SECONDS + 1)
    except Exception as error:  # Dask raises many errors if the port speaks another protocol
        what = str(error) or type(error).__name__
        raise ConfigError(
            f"--scheduler {address}: no scheduler answers there ({what}); start one with: dask scheduler"
        ) from error
    try:
        interruptible(lambda: client.wait_for_workers(1, timeout=_CONNECT_SECONDS), _CONNECT_SECONDS + 1)
    except TimeoutError:
        raise ConfigError(
            f"--scheduler {address}: it has no workers; start some with: dask worker {address}"
        ) from None
    return client


def _check_versions(client: distributed.Client, workers: _Workers) -> None:
    """Raise an error if a worker has no gatree, or another version: results might differ."""
    found = workers.wait_for(lambda: client.run(_versions, on_error="return"))
    for worker, version in found.items():
        if isinstance(version, ImportError):
            raise ConfigError(
                f"--scheduler {workers.address}: gatree is not installed on a worker ({version})"
            ) from version
        if not isinstance(version, Exception) and version != _versions():  # an exception: the worker is lost
            raise ConfigError(
                f"--scheduler {workers.address}: the worker {worker} has gatree {version[0]} (engine "
                f"{version[1]}), but this is {gatree.__version__} (engine {ENGINE_VERSION}): "
                "install the same everywhere"
            )


def _versions() -> tuple[str, int]:
    return gatree.__version__, ENGINE_VERSION


class _Workers:
    """The workers of a cluster; those that do not answer any more are removed from it."""

    def __init__(self, client: distributed.Client, address: str) -> None:
        self.address = address
        self._client = client
        self._heartbeats: dict[str, tuple[float, float]] = {}  # by worker: the last one, and when it came
        self._checked = time.monotonic()
        self._were_there = True

    def wait_for(self, work: Callable[[], Result]) -> Result:
        """Return the result of a request to all workers."""
        results = run_in_thread(work)
        while True:
            try:
                result = results.get(timeout=_POLL_SECONDS)
            except Empty:
                self.check()
                continue
            if isinstance(result, BaseException):
                raise result
            return result

    def check(self) -> None:
        """Raise an error if the scheduler is gone; name workers that are silent, and remove them.

        That is done every two seconds; calls in between do nothing.
        """
        if time.monotonic() - self._checked < _CHECK_SECONDS:
            return
        client = self._client
        try:
            identity = interruptible(lambda: client.sync(client.scheduler.identity), _ANSWER_SECONDS)
        except (OSError, RuntimeError, TimeoutError):
            raise _scheduler_gone(self.address) from None
        self._checked = now = time.monotonic()
        self._remove_silent(self._silences(identity["workers"], now))
        if self._were_there and not self._heartbeats:
            _log.warning("%s: all workers are gone; waiting for others: dask worker %s", *[self.address] * 2)
        self._were_there = bool(self._heartbeats)

    def _silences(self, found: Mapping[str, Mapping[str, float]], now: float) -> dict[str, float]:
        """Return the seconds since each worker's last heartbeat, as far as was watched."""
        for worker, about in found.items():
            last, _ = self._heartbeats.get(worker, (None, now))
            if about["last_seen"] != last:
                self._heartbeats[worker] = about["last_seen"], now
        self._heartbeats = {worker: self._heartbeats[worker] for worker in found}
        return {worker: now - since for worker, (_, since) in self._heartbeats.items()}

    def _remove_silent(self, silences: Mapping[str, float]) -> None:
        client = self._client
        for worker in [worker for worker, seconds in silences.items() if seconds >= _SILENT_SECONDS]:
            _log.warning(
                "%s: no answer from the worker %s for %d s; its cells go to others",
                *(self.address, worker, silences[worker]),
            )
            del self._heartbeats[worker]
            removal = {"address": worker, "stimulus_id": f"gatree-silent-{uuid.uuid4().hex}"}
            with suppress(OSError, RuntimeError, TimeoutError):  # the next check finds the scheduler gone
                interruptible(partial(client.sync, client.scheduler.unregister, **removal), _ANSWER_SECONDS)


def _scheduler_gone(address: str) -> ConfigError:
    """Return the error for a scheduler that does not respond any more."""
    return ConfigError(f"{address}: the scheduler is gone; what was done is kept: start it and run again")
