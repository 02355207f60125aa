"""Run cells on a Dask cluster: the same cells, the same records (the extra ``dask``).

The data are given to every worker once, also to those that join later. The scheduler moves the cell of
a worker that dies to another one, up to three times. Whatever its number of threads, a worker process
runs one cell at a time: two would spoil each other's timing.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
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
_one_at_a_time = threading.Lock()


def run_on_dask(cells: Sequence[Cell], datasets: Mapping[str, Dataset], address: str) -> Generator[Record]:
    """Run cells on the cluster whose scheduler has this address, and yield their records as they come.

    Closing the generator gives up what has not been finished.
    """
    with _connect(address) as client:
        _check_workers(client, address)
        run = f"gatree-{uuid.uuid4().hex}"  # so that no result of another run is taken for this one's
        client.register_plugin(_Data(dict(datasets)), name=run)
        futures = {
            client.submit(_run, cell, run, key=f"{run}-{cell.key}", priority=modelled_seconds(cell)): cell
            for cell in cells
        }
        try:
            for future in distributed.as_completed(futures, loop=client.loop):
                yield _record(future, futures[future], address)
        finally:
            with suppress(OSError, RuntimeError):  # the scheduler may be gone
                client.cancel(list(futures))
                client.unregister_worker_plugin(run)


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
        raise ConfigError(
            f"{address}: the scheduler is gone; what was done is kept: start it and run again"
        ) from None
    future.release()
    return record


def _connect(address: str) -> Any:
    try:
        return distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"--scheduler {address}: no scheduler answers there ({error}); start one with: dask scheduler"
        ) from error


def _check_workers(client: Any, address: str) -> None:
    """Refuse a cluster without workers, or with another gatree, whose results might differ."""
    try:
        client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
    except TimeoutError:
        raise ConfigError(
            f"--scheduler {address}: it has no workers; start some with: dask worker {address}"
        ) from None
    try:
        versions = client.run(_versions)
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
