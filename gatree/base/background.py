"""Work in another thread, so that Ctrl-C interrupts a library that would not return to Python for it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

_POLL_SECONDS = 0.1
"""Poll, because a Ctrl-C that another thread receives does not interrupt a wait."""


def run_in_thread(work: Callable[[], Any]) -> SimpleQueue[Any]:
    """Run a callable in a new thread; its result or its exception is put into the returned queue."""
    results: SimpleQueue[Any] = SimpleQueue()

    def run() -> None:
        try:
            results.put(work())
        except BaseException as error:
            results.put(error)

    threading.Thread(target=run, daemon=True).start()
    return results


def interruptible(work: Callable[[], Any], seconds: float = math.inf) -> Any:
    """Return the result of a callable, or raise a TimeoutError after ``seconds``; Ctrl-C interrupts it."""
    results, end = run_in_thread(work), time.monotonic() + seconds
    while True:
        with suppress(Empty):
            result = results.get(timeout=max(0.0, min(_POLL_SECONDS, end - time.monotonic())))
            break
        if time.monotonic() >= end:
            raise TimeoutError(f"no answer within {seconds:g} s")
    if isinstance(result, BaseException):
        raise result
    return result
