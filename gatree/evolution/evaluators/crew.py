"""A crew of threads that shares out the births of a generation.

Kernels release the GIL and every child is evaluated on its own, so the result does not depend on the
number of threads. Each member of the crew has its own scratch room and its own ledger.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PARTS_PER_MEMBER = 4  # children cost differently: small parts even that out


class Crew:
    """Members numbered from 0, one per thread, and a ledger for each."""

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self.ledgers = np.zeros((n_jobs, 4), dtype=np.int64)
        self._pool: ThreadPoolExecutor | None = None

    @property
    def ledger(self) -> NDArray[np.int64]:
        """The totals of all members."""
        total: NDArray[np.int64] = self.ledgers[0] if self.n_jobs == 1 else self.ledgers.sum(axis=0)
        return total

    def share(self, n: int, work: Callable[[int, int, int], Any]) -> None:
        """Call ``work(begin, end, member)`` for parts that make up 0..n, every member in its own thread."""
        if self.n_jobs == 1 or n < 2:
            work(0, n, 0)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.n_jobs, thread_name_prefix="gatree")
        idle: SimpleQueue[int] = SimpleQueue()
        for member in range(self.n_jobs):
            idle.put(member)

        def do_part(begin: int, end: int) -> None:
            member = idle.get()
            try:
                work(begin, end, member)
            finally:
                idle.put(member)

        cuts = np.linspace(0, n, min(n, _PARTS_PER_MEMBER * self.n_jobs) + 1).astype(int).tolist()
        list(self._pool.map(do_part, cuts[:-1], cuts[1:]))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}  # threads cannot be pickled; they are hired again when needed
