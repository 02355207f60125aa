"""Uniform random numbers for compiled code, bit for bit those of numpy's ``default_rng(seed).random()``.

A generation needs a few numbers per child. Drawing them with numpy took a fifth of an evolution on small
data. numpy's generator is PCG64, a linear congruential generator with 128 bits of state and 64 bits of
output. This module runs it inside kernels, starting from the state of a numpy generator.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import COMPILED, inlined, lean

_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645  # PCG's, for 128 bits
_LOW = 2**64 - 1

HIGH, LOW, INCREMENT_HIGH, INCREMENT_LOW = range(4)  # the columns of a stream

Stream = NDArray[np.uint64]


def stream_of(rng: np.random.Generator) -> Stream:
    """Return the stream that continues the numbers of a generator made by `default_rng`."""
    state = rng.bit_generator.state
    assert state["bit_generator"] == "PCG64"
    counter, increment = state["state"]["state"], state["state"]["inc"]
    parts = (counter >> 64, counter & _LOW, increment >> 64, increment & _LOW)
    return np.array(parts, dtype=np.uint64)


if COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def stepped(typing_context: Any, high: Any, low: Any, plus_high: Any, plus_low: Any) -> Any:  # noqa: ARG001
        """Return the two halves of the state after one step."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            int128 = ir.IntType(128)
            high, low, plus_high, plus_low = (builder.zext(part, int128) for part in arguments)
            counter = builder.or_(builder.shl(high, int128(64)), low)
            increment = builder.or_(builder.shl(plus_high, int128(64)), plus_low)
            counter = builder.add(builder.mul(counter, int128(_MULTIPLIER)), increment)
            halves = (builder.lshr(counter, int128(64)), counter)
            words = [builder.trunc(half, ir.IntType(64)) for half in halves]
            return cgutils.pack_array(builder, words)

        word = types.uint64
        return types.UniTuple(word, 2)(word, word, word, word), emit

else:

    def stepped(
        high: np.uint64, low: np.uint64, plus_high: np.uint64, plus_low: np.uint64
    ) -> tuple[np.uint64, np.uint64]:
        """Return the two halves of the state after one step."""
        counter = (int(high) << 64 | int(low)) * _MULTIPLIER + (int(plus_high) << 64 | int(plus_low))
        return np.uint64(counter >> 64 & _LOW), np.uint64(counter & _LOW)


@inlined
def output_of(high: np.uint64, low: np.uint64) -> np.uint64:
    """Return the 64 output bits of a state: the XOR of its halves, rotated by its highest bits."""
    word, turn = high ^ low, high >> np.uint64(58)
    return (word >> turn) | (word << ((np.uint64(64) - turn) & np.uint64(63)))


@lean
def draw(stream: Stream, draws: NDArray[np.float64]) -> None:
    """Fill rows with uniform numbers in [0, 1) and advance the stream."""
    high, low = stream[HIGH], stream[LOW]
    for row in range(draws.shape[0]):
        for column in range(draws.shape[1]):
            high, low = stepped(high, low, stream[INCREMENT_HIGH], stream[INCREMENT_LOW])
            draws[row, column] = np.float64(output_of(high, low) >> np.uint64(11)) * 2.0**-53
    stream[HIGH], stream[LOW] = high, low
