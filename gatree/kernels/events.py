"""What this process has compiled, and the report that it waits for that.

Importing this module does not import numba, so the command line can set the callback at once. `decorators`,
which imports numba anyway, connects it to numba's events.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator

COMPILING = (
    "compiling: once after an installation or an update, for up to half a minute "
    "(gatree warm-up compiles everything ahead)"
)

_log = logging.getLogger(__name__)
_callback: Callable[[str], None] = _log.warning
_is_reported = False
_n_compilations = 0
_seconds = 0.0


def on_compilation(callback: Callable[[str], None]) -> None:
    """Set the callback that is called once, with a message, when this process has to compile.

    By default it is a logged warning: unless a program configures logging, a line on stderr.
    """
    global _callback
    _callback = callback


def n_compilations() -> int:
    """Return the number of kernels that this process has compiled; cached ones do not count."""
    return _n_compilations


def seconds_compiling() -> float:
    """Return the seconds that this process has spent compiling, or waiting for another one that compiles."""
    return _seconds


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """Report, once, that this process waits for compiled code, and count the seconds inside the block."""
    global _is_reported, _seconds
    if not _is_reported:
        _is_reported = True
        _callback(COMPILING)
    started = time.perf_counter()
    yield
    _seconds += time.perf_counter() - started


def report_compilations() -> None:
    """Subscribe to numba's compile events, if this numba has them; cached kernels raise none."""
    try:
        from numba.core import event
    except ImportError:
        return

    class Reporter(event.Listener):  # type: ignore[misc]
        depth = 0  # kernels that a kernel calls are compiled with it
        block: contextlib.AbstractContextManager[None] = contextlib.nullcontext()

        def on_start(self, started: event.Event) -> None:
            global _n_compilations
            _n_compilations += 1
            if self.depth == 0:
                is_own = started.data["dispatcher"].py_func.__module__.startswith("gatree.")
                self.block = waiting() if is_own else contextlib.nullcontext()
                self.block.__enter__()
            self.depth += 1

        def on_end(self, _: event.Event) -> None:
            self.depth -= 1
            if self.depth == 0:
                self.block.__exit__(None, None, None)

    event.register("numba:compile", Reporter())
