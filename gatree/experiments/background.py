"""Processes of our own: spawned, deaf to Ctrl-C, gone as soon as their owner is; and a call made in one.

They are spawned since forking a process that has threads and compiled code is not safe. They end with their
owner, however it ends: what computes on would spoil the timings of the next run.
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
from types import TracebackType
from typing import Any, Generic, TypeVar

_spawning = multiprocessing.get_context("spawn")


def spawn(work: Callable[..., None], *arguments: Any) -> tuple[BaseProcess, Connection]:
    """Start a process that does some work with a connection and arguments; return it and our end."""
    ours, theirs = _spawning.Pipe()
    process = _spawning.Process(target=_working, args=(work, theirs, arguments), daemon=True)
    with _shielded_from_ctrl_c():
        process.start()
    theirs.close()  # so that its end is noticed
    return process, ours


@contextmanager
def _shielded_from_ctrl_c() -> Iterator[None]:
    """Let a process started here inherit that Ctrl-C is not for it: the owner will stop it."""
    resource_tracker.ensure_running()  # or starting it would lift the shield
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _working(work: Callable[..., None], connection: Connection, arguments: tuple[Any, ...]) -> None:
    threading.Thread(target=_end_with_the_owner, daemon=True).start()
    work(connection, *arguments)


def _end_with_the_owner() -> None:
    """End this process as soon as the one that started it has ended, in the middle of its work too."""
    owner = multiprocessing.parent_process()
    if owner is not None:
        owner.join()
        os._exit(1)


Result = TypeVar("Result")


class BackgroundCall(Generic[Result]):
    """Calls a function of a module in a second process, which is gone at the end of the ``with`` block.

    Parameters
    ----------
    function : callable
        Found by its name, as pickles are, so no lambda.
    *arguments
        Sent over, as the result is sent back.
    """

    def __init__(self, function: Callable[..., Result], *arguments: Any) -> None:
        self._function, self._arguments = function, arguments
        self._process, self._connection = spawn(_call, function, arguments)

    def __enter__(self) -> BackgroundCall[Result]:
        return self

    def result(self) -> Result:
        """Wait for the result; if the second process had none, make the call here: we may, or say why."""
        try:
            result: Result = self._connection.recv()
        except (EOFError, OSError):
            return self._function(*self._arguments)
        return result

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()


def _call(connection: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    with suppress(Exception):  # whoever waits makes the call once more, and meets it
        connection.send(function(*arguments))
