"""Run cells in worker processes on this machine.

Every worker has its own pipe, so the parent knows which cell a dead worker was running. That cell runs again
in another worker, unless three workers have died with it. Data are sent once per worker.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from gatree.data.dataset import Dataset
from gatree.experiments.background import spawn
from gatree.experiments.cell import failure, run_cell
from gatree.experiments.grid import Cell
from gatree.experiments.record import Record

MAX_DEATHS = 3
"""The number of workers that may die while they run a cell before the cell counts as failed."""

_ATTENTION = 1.0
"""Seconds between polls: a Ctrl-C that another thread receives does not interrupt waiting."""


def run_locally(
    cells: Sequence[Cell],
    datasets: Mapping[str, Dataset],
    n_jobs: int,
    on_start: Callable[[Cell], None] = lambda _: None,
) -> Generator[Record]:
    """Run cells in ``n_jobs`` processes, in the given order, and yield their records as they finish.

    Closing the generator stops the workers at once.

    Parameters
    ----------
    cells : sequence of Cell
    datasets : mapping
        From the checksum in a cell to its data.
    n_jobs : int
        The number of processes.
    on_start : callable
        Callback with every cell that starts.
    """
    queue = deque(cells)
    deaths: Counter[str] = Counter()
    workers: list[_Worker] = []
    finished: list[Record] = []
    try:
        while finished or queue or any(worker.cell for worker in workers):
            _hand_out(queue, workers, datasets, n_jobs, on_start)
            yield from finished  # only now, so that nobody waits while these are written to the disk
            finished = []
            for worker in _with_news(workers):
                cell, record = worker.take()
                if record is not None:
                    finished.append(record)
                    continue
                workers.remove(worker)
                deaths[cell.key] += 1
                if deaths[cell.key] < MAX_DEATHS:
                    queue.appendleft(cell)
                else:
                    finished.append(failure(cell, f"{MAX_DEATHS} workers died while they ran it"))
    finally:
        for worker in workers:
            worker.stop()


def _hand_out(
    queue: deque[Cell],
    workers: list[_Worker],
    datasets: Mapping[str, Dataset],
    n_jobs: int,
    on_start: Callable[[Cell], None],
) -> None:
    """Give every idle worker a cell, and start as many workers as there are cells for."""
    idle = [worker for worker in workers if worker.cell is None]
    while queue and (idle or len(workers) < n_jobs):
        if not idle:
            workers.append(_Worker())
            idle.append(workers[-1])
        on_start(queue[0])
        idle.pop().give(queue.popleft(), datasets)


def _with_news(workers: list[_Worker]) -> list[_Worker]:
    """Wait until workers have finished their cells or died."""
    busy = {worker.connection: worker for worker in workers if worker.cell is not None}
    ready: list[Any] = []
    while busy and not ready:
        ready = wait(list(busy), _ATTENTION)
    return [busy[connection] for connection in ready if isinstance(connection, Connection)]


class _Worker:
    """The parent's handle of one worker process."""

    def __init__(self) -> None:
        self.process, self.connection = spawn(_work)
        self.cell: Cell | None = None
        self._has: set[str] = set()

    def give(self, cell: Cell, datasets: Mapping[str, Dataset]) -> None:
        data = None if cell.checksum in self._has else datasets[cell.checksum]
        self.cell = cell
        self._has.add(cell.checksum)
        with suppress(OSError):  # it has died: `take` will tell
            self.connection.send((cell, data))

    def take(self) -> tuple[Cell, Record | None]:
        """Return the worker's cell and its record, or None in its place if the worker has died."""
        assert self.cell is not None
        cell, self.cell = self.cell, None
        try:
            return cell, self.connection.recv()
        except (EOFError, OSError):
            self.stop()
            return cell, None

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _work(connection: Connection) -> None:
    """Run the cells that arrive until the parent is gone."""
    datasets: dict[str, Dataset] = {}
    with suppress(EOFError, OSError):
        while True:
            cell, data = connection.recv()
            if data is not None:
                datasets[cell.checksum] = data
            connection.send(run_cell(cell, datasets[cell.checksum]))
