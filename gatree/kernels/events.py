"""A callback for compilations, with which a command reports what it waits for on a cold cache.

Importing this module does not import numba, so the command line can set the callback at once. `decorators`,
which imports numba anyway, connects it to numba's events.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

_CAUSES = {  # by the package of a kernel: what is compiled, and for how long
    "front": ("the search for trees of all sizes", "half a minute or so"),
    "evolution": ("the genetic algorithm", "ten seconds or so"),
    "j48": ("J48", "five seconds or so"),
    "weka": ("the folds of large data", "a second or so"),
    "optimum": ("the search for the optimum", "ten seconds or so"),
}
_OTHERS = "predictions", "a second or two"

_log = logging.getLogger(__name__)
_callback: Callable[[str], None] | None = None
_wait_for: Callable[[str], bool] | None = None
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
    """Set the callback for compilations: it is called with a message, once per compiled package."""
    global _callback
    _callback = callback


def wait_with(wait_for: Callable[[str], bool]) -> None:
    """Set what waits for another process that compiles the kernels of a module, if there is one."""
    global _wait_for
    _wait_for = wait_for


def wait_for_other_process(module: str) -> None:
    """Wait for another process that compiles the kernels of a module; this counts as compiling."""
    global _seconds
    if _wait_for is None:
        return
    started = time.perf_counter()
    if _wait_for(module):
        _seconds += time.perf_counter() - started


def n_compilations() -> int:
    """Return the number of kernels that this process has compiled; cached ones do not count."""
    return _n_compilations


def seconds_compiling() -> float:
    """Return the seconds that this process has spent compiling."""
    return _seconds


def compiling(module: str) -> None:
    """Report that a kernel of a module is compiled, once per package; without a callback, log the first one.

    Unless a program configures logging, a logged warning is a line on stderr.
    """
    message = waiting_for(_package_of(module))
    is_own = module.startswith("gatree.")
    if not is_own or message in _reported or (_callback is None and _reported):
        return
    _reported.add(message)
    (_callback or _log.warning)(message)


def _package_of(module: str) -> str:
    return module.removeprefix("gatree.").partition(".")[0]


def report_compilations() -> None:
    """Subscribe to numba's compile events, if this numba has them; cached kernels raise none."""
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
