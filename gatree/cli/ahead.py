"""Compile kernels in another process, while this one compiles and runs those that it needs first.

On a cold cache `gatree evolve` would compile one part after the other: search, trials, exact solver, J48. If
there is a second core, a quiet process compiles what is needed later, and this process loads it from the
cache. If that process fails, this one compiles everything. It ends with this one. J48 on small data does not
wait: it is interpreted until it is compiled. A thread imports scikit-learn in the meantime, since machine
code is generated without Python's lock.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from gatree.base.machine import n_cores
from gatree.kernels.events import wait_with

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset

_START = (
    "import sys; sys.path[:] = {path!r}; from gatree.cli.ahead import compile_steps; compile_steps({steps!r})"
)

# With little memory, libraries that start threads wait for them forever, and the process would not end.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

_ENOUGH = 10_000  # rows to see whether a column has many values


def compile_ahead(dataset: Dataset, n_folds: int | None, compare: bool) -> None:
    """Start to compile what a search on a data set needs after its first kernel."""
    from gatree.explore.cross_validation import Folds
    from gatree.front.kinds import for_kind
    from gatree.front.trial import try_out
    from gatree.j48.build import build
    from gatree.optimum.problem import MOST_THRESHOLDS
    from gatree.optimum.search import run_bits, run_walks

    if n_cores() == 1:
        return
    if compare:
        threading.Thread(target=import_module, args=("sklearn.tree",), daemon=True).start()
    is_of_numbers = dataset.target is not None
    steps, of_numbers = {}, " of numbers" if is_of_numbers else ""
    numeric = [c for a, c in zip(dataset.attributes, dataset.columns, strict=True) if not a.is_nominal]
    n_tests = sum(len(np.unique(column[:_ENOUGH])) for column in numeric)
    few = not is_of_numbers and n_tests <= MOST_THRESHOLDS * dataset.n_attributes
    if not _is_cached(for_kind(try_out, not is_of_numbers)):
        steps["gatree.front.trial"] = "trials" + of_numbers
    if not _is_cached(run_bits if few else run_walks):
        steps["gatree.optimum."] = "optimum" if few else "optimum of numbers"
    compares = compare and not is_of_numbers and len(Folds.of(dataset.n_instances, n_folds)) > 0
    if compares and not _is_cached(build):
        steps["gatree.j48."] = "J48, confidence" if numeric else "J48, confidence, no numbers"
    if steps:
        with contextlib.suppress(OSError):  # no memory or no process left: everything is compiled here
            wait_with(Compiling(steps).wait_for)


def _is_cached(kernel: Any) -> bool:
    """Tell whether a kernel needs no compilation, or cannot be passed on through the cache."""
    return bool(getattr(getattr(kernel, "_cache", None), "has_code", True))


class Compiling:
    """A process that compiles steps of `gatree warm-up` for some modules, and reports each."""

    def __init__(self, steps: dict[str, str]) -> None:  # by how the modules' names begin
        self._waiting_for, self._lock = set(steps), threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START.format(path=sys.path, steps=steps)],
            stdin=subprocess.PIPE,  # closed when this process ends, in whatever way
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # without Ctrl-C
            text=True,
            env=os.environ | _ONE_THREAD,
        )
        atexit.register(self._end)

    def wait_for(self, module: str) -> bool:
        """Wait until the kernels of a module are compiled, or the process has ended; False: no need to."""
        part = next((part for part in self._waiting_for if module.startswith(part)), None)
        if part is None:
            return False
        with self._lock:
            while part in self._waiting_for:
                assert self.process.stdout is not None
                if report := self.process.stdout.readline():
                    self._waiting_for.discard(report.strip())
                else:
                    self._waiting_for.clear()
        return True

    def _end(self) -> None:
        self.process.kill()
        self.process.communicate()


def compile_steps(steps: dict[str, str]) -> None:
    """Compile the steps of some modules, in the process that was started for it."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from gatree.cli.warm_up import kernels_to_compile

    known = {step.name: step for family in kernels_to_compile() for step in family}
    for part, name in steps.items():
        known[name].compile()
        print(part, flush=True)


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)
