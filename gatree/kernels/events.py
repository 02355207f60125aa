"""A callback for the first compilation of a process: on a cold cache, a first command waits for it.

Light to import, so that the command line can set the callback at once; `decorators`, which imports numba
anyway, then has numba report.
"""

from __future__ import annotations

from collections.abc import Callable

WAITING = (
    "compiling the kernels: once after an installation or an update, for ten seconds or so "
    "(gatree warm-up does it ahead)"
)

_callbacks: list[Callable[[str], None]] = []
_n_compilations = 0


def on_next_compilation(callback: Callable[[str], None]) -> None:
    """Call this callback, and no earlier one, once, with a message, when a kernel is compiled next."""
    _callbacks[:] = [callback]


def n_compilations() -> int:
    """Return how many kernels this process has compiled so far; those from the cache do not count."""
    return _n_compilations


def report_compilations() -> None:
    """Have numba report what it compiles, if it can; it does not report what comes from the cache."""
    try:
        from numba.core import event
    except ImportError:
        return

    class Reporter(event.Listener):  # type: ignore[misc]
        def on_start(self, _: event.Event) -> None:
            global _n_compilations
            _n_compilations += 1
            while _callbacks:
                _callbacks.pop()(WAITING)

        def on_end(self, _: event.Event) -> None:
            pass

    event.register("numba:compile", Reporter())
