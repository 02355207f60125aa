"""Threads that share the items of a piece of work."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any

Part = Callable[[int, int, int], None]
"""A part of the work: called with the number of its thread, its first item, and the item after its last."""


class Threads:
    """Threads that share the items of a piece of work equally, with a number each.

    Kernels release the GIL and every item is independent of the others, so the result does not depend on the
    number of threads.
    """

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self._executor: ThreadPoolExecutor | None = None
        self._started_in: int | None = None  # the process: a fork has no threads

    def run(self, first: int, last: int, part: Part) -> None:
        """Share the items from `first` up to `last`; wait for all threads, even after Ctrl-C."""
        if self.n_jobs == 1:
            part(0, first, last)
            return
        if self._executor is None or self._started_in != os.getpid():
            self._executor, self._started_in = ThreadPoolExecutor(self.n_jobs, "gatree"), os.getpid()
        bounds = [first + (last - first) * thread // self.n_jobs for thread in range(self.n_jobs + 1)]
        running = [self._executor.submit(part, thread, *some) for thread, some in enumerate(pairwise(bounds))]
        interrupt: KeyboardInterrupt | None = None
        while any(not future.done() for future in running):
            try:
                wait(running)
            except KeyboardInterrupt as raised:
                interrupt = raised
        if interrupt is not None:
            raise interrupt
        for future in running:
            future.result()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_executor": None}  # threads cannot be pickled
