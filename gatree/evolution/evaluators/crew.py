"""A crew of threads that evaluates the births of a generation.

Kernels release the GIL and every child is evaluated on its own, so the result does not depend on the
number of threads. Each member of the crew has its own scratch room and its own ledger. Member 0 is the
thread that asks; the others wait for work, for a generation can be over in less time than it takes to
start a thread.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Work = Callable[[int], None]
"""Called with the member that does it; takes what it does from the crew's claims until nothing is left."""


class Job(NamedTuple):
    """What is put into a member's inbox."""

    work: Work
    ended: SimpleQueue[BaseException | None]


class Crew:
    """Members numbered from 0, one per thread, and a ledger for each."""

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self.ledgers = np.zeros((n_jobs, 4), dtype=np.int64)
        self.claims = np.zeros(1, dtype=np.int64)
        self._inboxes: list[SimpleQueue[Job | None]] = []

    @property
    def ledger(self) -> NDArray[np.int64]:
        """The totals of all members."""
        total: NDArray[np.int64] = self.ledgers[0] if self.n_jobs == 1 else self.ledgers.sum(axis=0)
        return total

    def share(self, first: int, work: Work) -> None:
        """Let every member work in its own thread, claiming what to do from the first on."""
        self.claims[0] = first
        if self.n_jobs == 1:
            work(0)
            return
        self._hire()
        job = Job(work, SimpleQueue())
        for inbox in self._inboxes:
            inbox.put(job)
        try:
            work(0)
        finally:  # nobody may be at work any more when this returns, not even after Ctrl-C
            errors = [job.ended.get() for _ in self._inboxes]
        for error in errors:
            if error is not None:
                raise error

    def _hire(self) -> None:
        if self._inboxes:
            return
        self._inboxes = [SimpleQueue() for _ in range(1, self.n_jobs)]
        for member, inbox in enumerate(self._inboxes, start=1):
            Thread(target=_serve, args=(inbox, member), name=f"gatree-{member}", daemon=True).start()
        weakref.finalize(self, _dismiss, self._inboxes)

    def __getstate__(self) -> dict[str, Any]:
        return {
            **self.__dict__,
            "_inboxes": [],
        }  # threads cannot be pickled; they are hired again when needed


def _serve(inbox: SimpleQueue[Job | None], member: int) -> None:
    while (job := inbox.get()) is not None:
        try:
            job.work(member)
        except BaseException as error:  # it belongs to the thread that asked
            job.ended.put(error)
        else:
            job.ended.put(None)
        del job  # or it would be kept, with the evaluator it works for, until the next one comes


def _dismiss(inboxes: list[SimpleQueue[Job | None]]) -> None:
    for inbox in inboxes:
        inbox.put(None)
