"""Choose the compiler of kernels: our own (compiler.py) where it is known to work, otherwise plain numba.

Our own compiler uses numba's internals. It is used only if numba's version is in the tested range, and if a
canary, small kernels that it compiles once per cache, returns the right result. Otherwise kernels are
compiled by ``numba.njit(cache=True)``: the results are the same, and a first command compiles three times as
long. So gatree lives without its compiler; nothing outside of this folder knows which one is used.

``GATREE_PLAIN_NUMBA=1`` selects plain numba.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
from pathlib import Path
from types import ModuleType

import numba

from gatree.base.files import write_whole

_log = logging.getLogger(__name__)

TESTED = ("0.61", "0.68")
"""The first and the last minor version of numba that the compiler was tested with (`make versions`)."""

_PASSED = "passed"
_FAILED = "the canary "


def choose_compiler(folder: Path | None) -> ModuleType | None:
    """Return `gatree.kernels.compiler` if it can be used, else None; the cache stores the canary's result."""
    if os.environ.get("GATREE_PLAIN_NUMBA", "0") not in ("", "0"):
        _log.info("kernels are compiled by plain numba: GATREE_PLAIN_NUMBA is set")
        return None
    reason = _untested_version() or _failure(folder)
    if reason is None:
        from gatree.kernels import compiler

        return compiler
    _log.warning("kernels are compiled by plain numba, which takes about three times as long: %s", reason)
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
    try:
        from gatree.kernels import canary

        found = canary.run()
    except Exception as error:  # a numba without these internals may raise anything
        return f"{_FAILED}raised {type(error).__name__}: {error}".splitlines()[0]
    return _PASSED if found == canary.EXPECTED else f"{_FAILED}returned {found}, not {canary.EXPECTED}"
