"""Who is told when kernels are compiled: on a cold cache that is what the first command waits for.

Light to import, so that the command line can say at once whom to tell; `decorators`, which needs numba
anyway, then has numba report.
"""

from __future__ import annotations

from collections.abc import Callable

WAITING = (
    "compiling the kernels: once after an installation or an update, for ten seconds or so "
    "(gatree warm-up does it ahead)"
)

_listeners: list[Callable[[str], None]] = []
_n_compilations = 0


def tell(listener: Callable[[str], None]) -> None:
    """Call this one, and nobody else, with what there is to wait for when a kernel is compiled next: once."""
    _listeners[:] = [listener]


def n_compilations() -> int:
    """Return how many kernels this process has compiled so far; those from the cache do not count."""
    return _n_compilations


def report_compilations() -> None:
    """Have numba report what it compiles. What comes from the cache it does not report."""
    from numba.core import event

    class Reporter(event.Listener):  # type: ignore[misc]
        def on_start(self, _: event.Event) -> None:
            global _n_compilations
            _n_compilations += 1
            while _listeners:
                _listeners.pop()(WAITING)

        def on_end(self, _: event.Event) -> None:
            pass

    event.register("numba:compile", Reporter())
