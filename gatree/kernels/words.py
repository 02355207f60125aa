"""Words of 64 bits, and how many of them are set: one machine instruction."""

from __future__ import annotations

from typing import Any

import numpy as np

from gatree.kernels.decorators import COMPILED, lean

WORD = 64


if COMPILED:
    from numba import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def popcount(typing_context: Any, word: Any) -> Any:  # noqa: ARG001
        """Count the set bits of a word."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), emit

else:

    def popcount(word: np.uint64) -> np.uint64:
        """Count the set bits of a word."""
        return np.uint64(int(word).bit_count())


@lean
def n_set(word: np.uint64) -> int:
    """Count the set bits of a word, as a signed integer."""
    return np.int64(popcount(word))  # type: ignore[return-value]
