"""A callback for compilations: on a cold cache a command waits for them, and says for what.

Light to import, so that the command line can set the callback at once; `decorators`, which imports numba
anyway, then has numba report.
"""

from __future__ import annotations

import time
from collections.abc import Callable

_CAUSES = {  # by the package of a kernel: what is compiled, and for how long
    "front": ("the search for trees of all sizes", "ten seconds or so"),
    "evolution": ("the genetic algorithm", "ten seconds or so"),
    "j48": ("J48", "five seconds or so"),
    "optimum": ("the search for the optimum", "ten seconds or so"),
}
_OTHERS = "predictions", "a second or two"

_callback: Callable[[str], None] | None = None
_reported: set[str] = set()
_n_compilations = 0
_seconds = 0.0


def waiting_for(package: str) -> str:
    """Return the message that the kernels of a package are compiled."""
    what, how_long = _CAUSES.get(package, _OTHERS)
    return (
        f"compiling {what}: once after an installation or an update, for {how_long} "
        "(gatree warm-up compiles everything ahead)"
    )


def on_compilation(callback: Callable[[str], None]) -> None:
    """Call this callback, and no earlier one, with a message, once for every part that is compiled."""
    global _callback
    _callback = callback


def n_compilations() -> int:
    """Return how many kernels this process has compiled so far; those from the cache do not count."""
    return _n_compilations


def seconds_compiling() -> float:
    """Return how long this process has compiled so far."""
    return _seconds


def compiling(module: str) -> None:
    """Report that a kernel of a module is compiled, unless another one of its part was before."""
    package = module.removeprefix("gatree.").partition(".")[0]
    message = waiting_for(package)
    if _callback is not None and message not in _reported:
        _reported.add(message)
        _callback(message)


def report_compilations() -> None:
    """Have numba report what it compiles, if it can; it does not report what comes from the cache."""
    try:
        from numba.core import event
    except ImportError:
        return

    class Reporter(event.Listener):  # type: ignore[misc]
        depth = 0  # kernels that a kernel calls are compiled with it
        begun = 0.0

        def on_start(self, started: event.Event) -> None:
            global _n_compilations
            _n_compilations += 1
            if self.depth == 0:
                self.begun = time.perf_counter()
                compiling(started.data["dispatcher"].py_func.__module__)
            self.depth += 1

        def on_end(self, _: event.Event) -> None:
            global _seconds
            self.depth -= 1
            if self.depth == 0:
                _seconds += time.perf_counter() - self.begun

    event.register("numba:compile", Reporter())
