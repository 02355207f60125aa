"""Run cells on a Dask cluster: the same cells, the same records (the extra ``dask``).

The data are given to every worker once, also to those that join later. The scheduler moves the cell of
a worker that dies to another one, up to three times. Whatever its number of threads, a worker process
runs one cell at a time: two would spoil each other's timing.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from gatree.base.background import interruptible
from gatree.base.extras import extras
from gatree.data.dataset import Dataset
from gatree.evolution.evaluators.shards.cluster import (
    WorkerMonitor,
    check_workers,
    connect,
    next_result,
    scheduler_gone,
)
from gatree.experiments.cell import failure, run_cell
from gatree.experiments.estimate import modelled_seconds
from gatree.experiments.grid import Cell
from gatree.experiments.record import Record

with extras():
    import distributed

_CLOSE_SECONDS = 2
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
