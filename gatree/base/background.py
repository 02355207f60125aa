"""Work in other threads, so that Ctrl-C interrupts what would not return to Python for it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


class Interrupted(KeyboardInterrupt):
    """Ctrl-C after there was a result, which is in ``found``."""

    def __init__(self, found: Any) -> None:
        super().__init__()
        self.found = found


_POLL_SECONDS = 0.1
"""Poll, because a Ctrl-C that another thread receives does not interrupt a wait."""


def run_in_thread(work: Callable[[], Result]) -> SimpleQueue[Result | BaseException]:
    """Run a callable in a new thread; its result or its exception is put into the returned queue."""
    results: SimpleQueue[Result | BaseException] = SimpleQueue()
    threading.Thread(target=_run, args=(work, results), daemon=True).start()
    return results


def interruptible(work: Callable[[], Result], seconds: float = math.inf) -> Result:
    """Return the result of a callable, or raise a TimeoutError after ``seconds``; Ctrl-C interrupts it."""
    return _result_in(run_in_thread(work), seconds)


def in_threads(function: Callable[[Job], Result], jobs: Iterable[Job], n_threads: int) -> Iterator[Result]:
    """Yield the results of a function in order, computed in threads; Ctrl-C does not wait for them."""
    given = [(job, SimpleQueue[Result | BaseException]()) for job in jobs]
    waiting: SimpleQueue[tuple[Job, SimpleQueue[Result | BaseException]]] = SimpleQueue()
    for each in given:
        waiting.put(each)

    def work() -> None:
        with suppress(Empty):
            while True:
                job, results = waiting.get_nowait()
                _run(partial(function, job), results)

    try:
        for _ in range(min(max(1, n_threads), len(given))):
            threading.Thread(target=work, daemon=True).start()
        for _, results in given:
            yield _result_in(results)
    finally:
        with suppress(Empty):
            while True:
                waiting.get_nowait()


def _run(work: Callable[[], Result], results: SimpleQueue[Result | BaseException]) -> None:
    try:
        results.put(work())
    except BaseException as error:
        results.put(error)


def _result_in(results: SimpleQueue[Result | BaseException], seconds: float = math.inf) -> Result:
    """Wait for a result, and return it; an exception is raised."""
    end = time.monotonic() + seconds
    while True:
        with suppress(Empty):
            result = results.get(timeout=max(0.0, min(_POLL_SECONDS, end - time.monotonic())))
            break
        if time.monotonic() >= end:
            raise TimeoutError(f"no answer within {seconds:g} s")
    if isinstance(result, BaseException):
        raise result
    return result
