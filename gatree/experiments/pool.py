"""Run cells in worker processes on this machine.

Processes are spawned, because forking a process with threads and compiled code is not safe. They ignore
Ctrl-C and end with their parent, however it ends: a process that goes on computing would distort the timings
of the next run.

Every worker has its own pipe, so the parent knows which cell a dead worker was running. That cell runs again
in another worker, unless three workers have died while running it. A worker receives each data set once.
An executor of `concurrent.futures` would lose the cells of all workers with one of them; an executor per
worker takes a millisecond more per cell.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait

from gatree.data.dataset import Dataset
from gatree.experiments.cell import failure, run_cell
from gatree.experiments.grid import Cell
from gatree.experiments.record import Record
from gatree.experiments.run import RunListener
from gatree.kernels.events import on_compilation

MAX_DEATHS = 3
"""A cell counts as failed after this number of workers have died while running it."""

_POLL_SECONDS = 1.0
"""Poll, because a Ctrl-C that another thread receives does not interrupt `wait`."""


def run_locally(
    cells: Sequence[Cell],
    datasets: Mapping[str, Dataset],
    n_jobs: int,
    listener: RunListener | None = None,
) -> Generator[Record]:
    """Run cells in ``n_jobs`` processes, in the given order, and yield their records as they finish.

    Closing the generator stops the workers at once. The data sets are by checksum; ``listener`` is
    notified of every cell when it starts.
    """
    queue, listener = deque(cells), listener or RunListener()
    deaths: Counter[str] = Counter()
    workers: list[_Worker] = []
    finished: list[Record] = []
    try:
        while finished or queue or any(worker.cell for worker in workers):
            _assign_cells(queue, workers, datasets, n_jobs, listener)
            yield from finished  # after the assignment: workers run while the caller writes records to disk
            finished = []
            for worker in _wait_for_workers(workers):
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


def _assign_cells(
    queue: deque[Cell],
    workers: list[_Worker],
    datasets: Mapping[str, Dataset],
    n_jobs: int,
    listener: RunListener,
) -> None:
    """Give every idle worker a cell; start more workers, up to ``n_jobs``, while there are cells."""
    idle = [worker for worker in workers if worker.cell is None]
    while queue and (idle or len(workers) < n_jobs):
        if not idle:
            workers.append(_Worker())
            idle.append(workers[-1])
        listener.started(queue[0])
        idle.pop().give(queue.popleft(), datasets)


def _wait_for_workers(workers: list[_Worker]) -> list[_Worker]:
    """Wait until at least one busy worker has finished its cell or died, and return these workers."""
    busy = {worker.connection: worker for worker in workers if worker.cell is not None}
    ready: Sequence[object] = ()
    while busy and not ready:
        ready = wait(list(busy), _POLL_SECONDS)
    return [busy[connection] for connection in ready if isinstance(connection, Connection)]


_spawning = multiprocessing.get_context("spawn")


class _Worker:
    """The parent's handle of one worker process."""

    def __init__(self) -> None:
        self.connection, theirs = _spawning.Pipe()
        self.process = _spawning.Process(target=_work, args=(theirs,), daemon=True)
        with _shielded_from_ctrl_c():
            self.process.start()
        theirs.close()  # so that its end is noticed
        self.cell: Cell | None = None
        self._sent: set[str] = set()  # checksums of the data sets that the worker has received

    def give(self, cell: Cell, datasets: Mapping[str, Dataset]) -> None:
        data = None if cell.checksum in self._sent else datasets[cell.checksum]
        self.cell = cell
        self._sent.add(cell.checksum)
        with suppress(OSError):  # the worker has died: `take` returns no record
            self.connection.send((cell, data))

    def take(self) -> tuple[Cell, Record | None]:
        """Return the worker's cell and its record, which is None if the worker has died."""
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
    """Run the cells that arrive, until the parent exits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    on_compilation(lambda _: None)  # the parent says it
    threading.Thread(target=_end_with_the_owner, daemon=True).start()
    datasets: dict[str, Dataset] = {}
    with suppress(EOFError, OSError):
        while True:
            cell, data = connection.recv()
            if data is not None:
                datasets[cell.checksum] = data
            connection.send(run_cell(cell, datasets[cell.checksum]))


@contextmanager
def _shielded_from_ctrl_c() -> Iterator[None]:
    """Let processes that are started inside the block ignore Ctrl-C: their parent stops them.

    Windows has no masks of signals; there a process ignores Ctrl-C from its first line on.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # or starting it would lift the shield
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_the_owner() -> None:
    """End this process as soon as its parent has ended, even in the middle of its work."""
    owner = multiprocessing.parent_process()
    if owner is not None:
        owner.join()
        os._exit(1)
