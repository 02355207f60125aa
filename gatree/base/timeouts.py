"""Waiting for others, Dask above all, for a time only.

Dask may wait for ever for an answer, and some of its waiting cannot be interrupted. So all that talks to a
scheduler does so in threads of its own, and this one only ever waits for them for a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """Return what the work returns, or raise a TimeoutError after so long; Ctrl-C is heard meanwhile."""
    try:
        result = begun(work).get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if isinstance(result, BaseException):
        raise result
    return result


def begun(work: Callable[[], Any]) -> SimpleQueue[Any]:
    """Do the work in a thread of its own; its result, or what it raises, will be in the queue."""
    results: SimpleQueue[Any] = SimpleQueue()

    def run() -> None:
        try:
            results.put(work())
        except BaseException as error:
            results.put(error)

    threading.Thread(target=run, daemon=True).start()
    return results
