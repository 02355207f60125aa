"""Work in another thread, so that Ctrl-C interrupts a library that would not return to Python for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any


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


def interruptible(work: Callable[[], Any], seconds: float | None = None) -> Any:
    """Return the result of a callable, or raise a TimeoutError after ``seconds``; Ctrl-C interrupts it."""
    try:
        result = run_in_thread(work).get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if isinstance(result, BaseException):
        raise result
    return result
