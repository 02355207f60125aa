"""How processes of ours are started: spawned, deaf to Ctrl-C, and gone as soon as their owner is.

They are spawned since forking a process that has threads and compiled code is not safe. They end with their
owner, however it ends: what computes on would spoil the timings of the next run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

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
