"""numba without scipy's linear algebra, which numba imports only to learn whether it could.

That takes a third of a second in every process that runs a kernel, and no kernel here does linear algebra.
numba looks again when a function that does is compiled: functions of others find scipy then as ever.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from typing import Any


def import_numba_without_scipy() -> None:
    """Have numba take it for granted, if scipy is installed, that its linear algebra can be imported."""
    from numba.np import linalg

    look = getattr(linalg, "ensure_blas", None)
    if look is None or "numba.np.arraymath" in sys.modules or find_spec("scipy") is None:
        return
    linalg.ensure_blas = _take_for_granted
    try:
        arraymath: Any = importlib.import_module("numba.np.arraymath")
        arraymath.ensure_blas = look
    finally:
        linalg.ensure_blas = look


def _take_for_granted() -> None:
    pass
