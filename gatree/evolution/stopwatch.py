"""Where the time of an evolution goes, read inside compiled code: a call into Python costs more than a phase.

A stopwatch is an array of nanoseconds: what each phase has taken so far, and when it was last read.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import COMPILED, lean

BREED, EVALUATE, REPLACE, LAST_READ = range(4)

Stopwatch = NDArray[np.int64]


if COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def now(typing_context: Any) -> Any:  # noqa: ARG001
        """Return the nanoseconds of the clock that `time.monotonic_ns` reads."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            int32, int64 = ir.IntType(32), ir.IntType(64)
            timespec = cgutils.alloca_once(builder, ir.ArrayType(int64, 2))
            signature = ir.FunctionType(int32, [int32, timespec.type])
            read = cgutils.get_or_insert_function(builder.module, signature, "clock_gettime")
            builder.call(read, [int32(time.CLOCK_MONOTONIC), timespec])
            seconds = builder.extract_value(builder.load(timespec), 0)
            nanoseconds = builder.extract_value(builder.load(timespec), 1)
            return builder.add(builder.mul(seconds, int64(10**9)), nanoseconds)

        return types.int64(), emit

else:
    now = time.monotonic_ns


@lean
def restart(stopwatch: Stopwatch) -> int:
    """Begin a phase now, which is returned; what has passed since the last reading is nobody's."""
    stopwatch[LAST_READ] = now()
    return int(stopwatch[LAST_READ])


@lean
def lap(stopwatch: Stopwatch, phase: int) -> None:
    """Book the time since the last reading to a phase."""
    read = now()
    stopwatch[phase] += read - stopwatch[LAST_READ]
    stopwatch[LAST_READ] = read
