"""Choose the compiler of kernels: our own (compiler.py) where it is known to work, otherwise plain numba.

Our own compiler uses numba's internals. It is used only if numba's version is in the tested range, and if a
canary, a small kernel that it compiles once per cache, returns the right result. Otherwise kernels are
compiled by ``numba.njit(cache=True)``: the results are the same, and a first command compiles twice as long.

``GATREE_PLAIN_NUMBA=1`` selects plain numba.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numba
import numpy as np

from gatree.base.files import write_whole

_log = logging.getLogger(__name__)

TESTED = ("0.61", "0.68")
"""The first and the last minor version of numba that the compiler was tested with (`make versions`)."""

_PASSED = "passed"
_FAILED = "the canary "


def choose_compiler(folder: Path | None) -> Any:
    """Return `gatree.kernels.compiler` if it can be used, else None; the cache stores the canary's result."""
    if os.environ.get("GATREE_PLAIN_NUMBA", "0") not in ("", "0"):
        _log.info("kernels are compiled by plain numba: GATREE_PLAIN_NUMBA is set")
        return None
    reason = _untested_version() or _failure(folder)
    if reason is None:
        from gatree.kernels import compiler

        return compiler
    _log.warning("kernels are compiled by plain numba, which takes about twice as long: %s", reason)
    return None


def _untested_version() -> str | None:
    first, last, installed = map(_minor, (*TESTED, numba.__version__))
    if first <= installed <= last:
        return None
    return f"numba {numba.__version__} is outside the tested versions {TESTED[0]} to {TESTED[1]}"


def _minor(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:2]))


def _failure(folder: Path | None) -> str | None:
    """Return why the canary failed, now or when this cache was new; None if it passed."""
    verdict = folder / "canary" if folder else None
    found = _read_verdict(verdict)
    if not found:
        found = _run_canary()
        if verdict is not None:
            with contextlib.suppress(OSError):  # a full disk, which leaves no file
                write_whole(verdict, found)
    return None if found == _PASSED else found


def _read_verdict(verdict: Path | None) -> str:
    """Return the stored result of the canary, or nothing if there is none or its file is damaged."""
    try:
        found = verdict.read_text(encoding="utf-8") if verdict is not None else ""
    except (OSError, UnicodeDecodeError):
        return ""
    return found if found == _PASSED or found.startswith(_FAILED) else ""


def _run_canary() -> str:
    numbers, weights = np.arange(-4, 5, dtype=np.int32), np.array([3, 5], dtype=np.uint8)
    try:
        found = _compiled_canary()((numbers, weights), np.int32(9))
    except Exception as error:  # a numba without these internals may raise anything
        return f"{_FAILED}raised {type(error).__name__}: {error}".splitlines()[0]
    expected = _canary((numbers, weights), 9)
    return _PASSED if found == expected else f"{_FAILED}returned {found}, not {expected}"


class _Pair(NamedTuple):
    numbers: Any
    weights: Any


def _weighed(pair: _Pair, k: int) -> Any:
    return pair.numbers[k] * np.int64(pair.weights[k & 1])


def _weighed_sum(pair: _Pair, end: int) -> Any:
    total = np.int64(0)
    for k in range(end):
        total += _weighed(pair, k) - _weighed(pair, pair.weights[0])
    return total


def _canary(pair: Any, end: int) -> int:
    """Call other kernels with tuples of arrays and integers of several types, as kernels do."""
    pair = _Pair(*pair)
    return int(_weighed_sum(pair, end) + 1000 * _weighed_sum(pair, pair.weights[1]))


def _compiled_canary() -> Any:
    from gatree.kernels.compiler import compiled

    def calling(function: Any, **kernels: Any) -> Any:
        return FunctionType(function.__code__, {**function.__globals__, **kernels}, function.__name__)

    weighed = compiled(_weighed, forceinline=True, _nrt=False)
    weighed_sum = compiled(calling(_weighed_sum, _weighed=weighed), _nrt=False)
    return compiled(calling(_canary, _weighed_sum=weighed_sum), branching=True, _nrt=False)
