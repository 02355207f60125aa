"""Child processes that ignore Ctrl-C and end with their parent, and a call in such a process.

They are spawned, because forking a process with threads and compiled code is not safe. They end with their
parent, however it ends: a process that goes on computing would distort the timings of the next run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

_spawning = multiprocessing.get_context("spawn")


def spawn(work: Callable[..., None], *arguments: Any) -> tuple[BaseProcess, Connection]:
    """Start a process that runs a function with a connection and arguments; return it and our connection."""
    ours, theirs = _spawning.Pipe()
    process = _spawning.Process(target=_working, args=(work, theirs, arguments), daemon=True)
    with _shielded_from_ctrl_c():
        process.start()
    theirs.close()  # so that its end is noticed
    return process, ours


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


def _working(work: Callable[..., None], connection: Connection, arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_owner, daemon=True).start()
    work(connection, *arguments)


def _end_with_the_owner() -> None:
    """End this process as soon as its parent has ended, even in the middle of its work."""
    owner = multiprocessing.parent_process()
    if owner is not None:
        owner.join()
        os._exit(1)


Result = TypeVar("Result")


class BackgroundCall(Generic[Result]):
    """Call a function of a module in a second process, which ends with the ``with`` block.

    The function is found by its name, as pickles are, so it is no lambda.
    """

    def __init__(self, function: Callable[..., Result], *arguments: Any) -> None:
        self._function, self._arguments = function, arguments
        self._process, self._connection = spawn(_call, function, arguments)

    def __enter__(self) -> BackgroundCall[Result]:
        return self

    def result(self) -> Result:
        """Wait for the result; if the second process failed, make the call in this process."""
        try:
            result: Result = self._connection.recv()
        except (EOFError, OSError):
            return self._function(*self._arguments)
        return result

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()


def _call(connection: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    with suppress(Exception):  # the parent then makes the call itself and gets the error
        connection.send(function(*arguments))
