"""A counter from which threads claim children to evaluate, each child once.

Children cost differently. A thread that claims the next one when it has done one needs no plan, and one
call of compiled code per generation instead of one for every part.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import COMPILED

Claims = NDArray[np.int64]
"""One number: the next child that nobody has claimed."""


if COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def claim(typing_context: Any, claims: Any) -> Any:  # noqa: ARG001
        """Return the next number, and nobody else will get it."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            return builder.atomic_rmw("add", array.data, ir.IntType(64)(1), "monotonic")

        return types.int64(claims), emit

else:
    _one_at_a_time = Lock()

    def claim(claims: Claims) -> int:
        """Return the next number, and nobody else will get it."""
        with _one_at_a_time:
            claims[0] += 1
            return int(claims[0]) - 1
