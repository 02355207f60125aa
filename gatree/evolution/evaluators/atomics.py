"""Atomic operations in compiled code: claims of work, and signals between threads.

Waking a thread often takes longer than its work. So the helper threads of a compiled call poll for work until
the call ends, and yield the processor while there is none.
"""

from __future__ import annotations

import time
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import COMPILED

Claims = NDArray[np.int64]
"""One integer: the next child that no thread has claimed."""


Signals = NDArray[np.int64]
"""Integers that threads share, each in its own cache line."""

LINE = 16  # integers, two cache lines of 64 bytes: processors fetch them in pairs


if COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def claim(typing_context: Any, claims: Any) -> Any:  # noqa: ARG001
        """Return the next number, atomically: no other thread gets it."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            return builder.atomic_rmw("add", array.data, ir.IntType(64)(1), "monotonic")

        return types.int64(claims), emit

    def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Return the address of a signal, given its index."""
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.gep(array.data, [builder.mul(arguments[1], ir.IntType(64)(LINE))])

    @intrinsic  # type: ignore[untyped-decorator]
    def load_signal(typing_context: Any, signals: Any, which: Any) -> Any:  # noqa: ARG001
        """Return a signal (acquire): everything written before it was stored is visible."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, signature, arguments)
            return builder.load_atomic(place, "acquire", 8)

        return types.int64(signals, types.int64), emit

    @intrinsic  # type: ignore[untyped-decorator]
    def store_signal(typing_context: Any, signals: Any, which: Any, value: Any) -> Any:  # noqa: ARG001
        """Store a signal (release): everything written before is visible to a thread that loads it."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, signature, arguments)
            builder.store_atomic(arguments[2], place, "release", 8)
            return context.get_dummy_value()

        return types.void(signals, types.int64, types.int64), emit

    @intrinsic  # type: ignore[untyped-decorator]
    def increment_signal(typing_context: Any, signals: Any, which: Any) -> Any:  # noqa: ARG001
        """Increment a signal atomically; return its previous value."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, signature, arguments)
            return builder.atomic_rmw("add", place, ir.IntType(64)(1), "acq_rel")

        return types.int64(signals, types.int64), emit

    @intrinsic  # type: ignore[untyped-decorator]
    def yield_processor(typing_context: Any) -> Any:  # noqa: ARG001
        """Yield the processor to another thread."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            function = ir.FunctionType(ir.IntType(32), [])
            builder.call(cgutils.get_or_insert_function(builder.module, function, "sched_yield"), [])
            return context.get_dummy_value()

        return types.void(), emit

else:
    _lock = Lock()
    _YIELD_SECONDS = 1e-4

    def claim(claims: Claims) -> int:
        """Return the next number, atomically: no other thread gets it."""
        with _lock:
            claims[0] += 1
            return int(claims[0]) - 1

    def load_signal(signals: Signals, which: int) -> int:
        """Return a signal."""
        return int(signals[which * LINE])

    def store_signal(signals: Signals, which: int, value: int) -> None:
        """Store a signal."""
        signals[which * LINE] = value

    def increment_signal(signals: Signals, which: int) -> int:
        """Increment a signal atomically; return its previous value."""
        with _lock:
            signals[which * LINE] += 1
            return int(signals[which * LINE]) - 1

    def yield_processor() -> None:
        """Yield the processor to another thread."""
        time.sleep(_YIELD_SECONDS)


def zero_signals(n: int) -> Signals:
    """Return ``n`` signals, all zero."""
    return np.zeros(n * LINE, dtype=np.int64)
