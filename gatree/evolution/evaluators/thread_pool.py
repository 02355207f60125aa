"""A thread pool that evaluates the births of a generation.

Kernels release the GIL and every child is evaluated independently, so the result does not depend on the
number of threads. Each thread has its own scratch arrays and its own ledger. Thread 0 is the caller's. The
others wait for work, since a generation can take less time than starting a thread.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.evaluators.atomics import LINE, Signals, zero_signals

CLOSED, NEXT_TILE, N_DONE = range(3)
"""The signals of a pool: whether the caller has finished, and two for helper threads (see bits.sweep)."""

Work = Callable[[int], None]
"""Called with the number of its thread; claims work from the pool's claims until none is left."""


class Job:
    """Work for all threads. A thread that starts after it is closed does nothing."""

    def __init__(self, work: Work, signals: Signals) -> None:
        self._work, self._signals = work, signals
        signals[CLOSED * LINE] = False
        self._lock = Lock()
        self._n_started, self._closed = 0, False
        self._errors: list[BaseException | None] = []  # of finished threads: their error, or None
        self._finished: SimpleQueue[None] = SimpleQueue()

    def run(self, thread: int) -> None:
        """Run the work in a thread; the caller's thread raises its error."""
        with self._lock:
            if self._closed:
                return
            self._n_started += 1
        error: BaseException | None = None
        try:
            self._work(thread)
        except BaseException as raised:
            error = raised
        self._errors.append(error)
        self._finished.put(None)

    def finish(self) -> None:
        """Wait until all threads have finished, even after Ctrl-C; raise the first error."""
        interrupt: KeyboardInterrupt | None = None
        while True:
            try:
                self._signals[CLOSED * LINE] = True
                with self._lock:
                    self._closed = True
                while len(self._errors) < self._n_started:
                    self._finished.get()
                break
            except KeyboardInterrupt as raised:
                interrupt = raised
        for error in (interrupt, *self._errors):
            if error is not None:
                raise error


class ThreadPool:
    """Threads numbered from 0, and a ledger for each."""

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self.ledgers = np.zeros((n_jobs, 4), dtype=np.int64)
        self.claims = np.zeros(1, dtype=np.int64)
        self.signals = zero_signals(3)
        self._inboxes: list[SimpleQueue[Job | None]] = []
        self._started_in: int | None = None  # the process

    @property
    def ledger(self) -> NDArray[np.int64]:
        """The totals of all threads."""
        total: NDArray[np.int64] = self.ledgers[0] if self.n_jobs == 1 else self.ledgers.sum(axis=0)
        return total

    def run_on_all(self, first: int, work: Work) -> None:
        """Run work on all threads, which claim items from `first` on."""
        self.claims[0] = first
        if self.n_jobs == 1:
            work(0)
            return
        job = Job(work, self.signals)
        try:
            for inbox in self._started():
                inbox.put(job)
            work(0)
        finally:
            job.finish()

    def _started(self) -> list[SimpleQueue[Job | None]]:
        """Return the queues of the other threads, started once per process: a fork has no threads."""
        if self._started_in != os.getpid():
            inboxes: list[SimpleQueue[Job | None]] = [SimpleQueue() for _ in range(1, self.n_jobs)]
            weakref.finalize(self, _stop, inboxes)
            for thread, inbox in enumerate(inboxes, start=1):
                Thread(target=_run_jobs, args=(inbox, thread), name=f"gatree-{thread}", daemon=True).start()
            self._inboxes, self._started_in = inboxes, os.getpid()
        return self._inboxes

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inboxes": [], "_started_in": None}  # threads cannot be pickled


def _run_jobs(inbox: SimpleQueue[Job | None], thread: int) -> None:
    while (job := inbox.get()) is not None:
        job.run(thread)
        del job  # frees the evaluator that it refers to before the next job arrives


def _stop(inboxes: list[SimpleQueue[Job | None]]) -> None:
    for inbox in inboxes:
        inbox.put(None)
