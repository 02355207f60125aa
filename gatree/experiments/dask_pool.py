"""Run cells on a Dask cluster: the same cells, the same records (the extra ``dask``).

The data are given to every worker once, also to those that join later. The scheduler moves the cell of
a worker that dies to another one, up to three times. Whatever its number of threads, a worker process
runs one cell at a time: two would spoil each other's timing.

Dask may wait for ever for an answer, and some of its waiting cannot be interrupted. So all that talks to the
scheduler does so in threads of its own, and this one only ever waits for them for a time.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import gatree
from gatree.data.dataset import Dataset
from gatree.errors import ConfigError
from gatree.evolution import ENGINE_VERSION
from gatree.experiments.cell import failure, run_cell
from gatree.experiments.estimate import modelled_seconds
from gatree.experiments.grid import Cell
from gatree.experiments.record import Record
from gatree.extras import extras

with extras():
    import distributed

logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a lost connection is our error message

_CONNECT_SECONDS = 5
_CHECK_SECONDS = 2  # without news, until the scheduler is asked
_ANSWER_SECONDS = 7
_CLOSE_SECONDS = 2
_log = logging.getLogger(__name__)
_one_at_a_time = threading.Lock()


def run_on_dask(cells: Sequence[Cell], datasets: Mapping[str, Dataset], address: str) -> Generator[Record]:
    """Run cells on the cluster whose scheduler has this address, and yield their records as they come.

    Closing the generator gives up what has not been finished.
    """
    client = _connect(address)
    run = f"gatree-{uuid.uuid4().hex}"  # so that no result of another run is taken for this one's
    futures: dict[Any, Cell] = {}
    try:
        _check_workers(client, address)
        client.register_plugin(_Data(dict(datasets)), name=run)
        for cell in cells:
            priority = modelled_seconds(cell)
            futures[client.submit(_run, cell, run, key=f"{run}-{cell.key}", priority=priority)] = cell
        yield from _records(client, futures, address)
    finally:
        with suppress(Exception):  # the scheduler may be gone
            _within(_CLOSE_SECONDS, lambda: _give_up(client, futures, run))


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
    for _ in futures:
        yield _next(arrived, client, address)


def _next(arrived: SimpleQueue[Any], client: Any, address: str) -> Any:
    """Return what arrives next; while nothing does, see to it that there is somebody to wait for."""
    has_workers = True
    while True:
        try:
            result = arrived.get(timeout=_CHECK_SECONDS)
        except Empty:
            had_workers, has_workers = has_workers, _has_workers(client, address)
            if had_workers and not has_workers:
                _log.warning("%s: all workers are gone; waiting for others: dask worker %s", address, address)
            continue
        if isinstance(result, BaseException):
            raise result
        return result


def _has_workers(client: Any, address: str) -> bool:
    """Tell whether the scheduler has workers; raise an error if it does not answer."""
    try:
        return bool(_within(_ANSWER_SECONDS, lambda: client.sync(client.scheduler.identity)["workers"]))
    except (OSError, RuntimeError, TimeoutError):
        raise _gone(address) from None


def _gone(address: str) -> ConfigError:
    return ConfigError(f"{address}: the scheduler is gone; what was done is kept: start it and run again")


def _within(seconds: float, work: Callable[[], Any]) -> Any:
    """Return what the work returns, or raise a TimeoutError after so long; Ctrl-C is heard meanwhile."""
    try:
        result = _begun(work).get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if isinstance(result, BaseException):
        raise result
    return result


def _begun(work: Callable[[], Any]) -> SimpleQueue[Any]:
    """Do the work in a thread of its own; its result, or what it raises, will be in the queue."""
    results: SimpleQueue[Any] = SimpleQueue()

    def run() -> None:
        try:
            results.put(work())
        except BaseException as error:
            results.put(error)

    threading.Thread(target=run, daemon=True).start()
    return results


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
        raise _gone(address) from None
    future.release()
    return record


def _connect(address: str) -> Any:
    def connect() -> Any:
        return distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)

    try:
        return _within(_CONNECT_SECONDS + 1, connect)
    except Exception as error:  # Dask trips over another protocol in many ways
        what = str(error) or type(error).__name__
        raise ConfigError(
            f"--scheduler {address}: no scheduler answers there ({what}); start one with: dask scheduler"
        ) from error


def _check_workers(client: Any, address: str) -> None:
    """Refuse a cluster without workers, or with another gatree, whose results might differ."""
    try:
        _within(_CONNECT_SECONDS + 1, lambda: client.wait_for_workers(1, timeout=_CONNECT_SECONDS))
    except TimeoutError:
        raise ConfigError(
            f"--scheduler {address}: it has no workers; start some with: dask worker {address}"
        ) from None
    try:
        versions = _next(_begun(lambda: client.run(_versions)), client, address)
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


class _Data(distributed.WorkerPlugin):  # type: ignore[misc]
    """The data sets by checksum, at every worker."""

    def __init__(self, datasets: dict[str, Dataset]) -> None:
        self.datasets = datasets


def _run(cell: Cell, data: str) -> Record:
    datasets = distributed.get_worker().plugins[data].datasets
    with _one_at_a_time:
        return run_cell(cell, datasets[cell.checksum])
