"""Bit sets of instances: words of 64 bits, and the loops over them.

A large set is processed block by block, so that all sets on the path down a tree stay in the nearest cache
and only the masks are read from memory. A block is a range of words of all masks, from `begin` on; the sets
of the levels hold only these words.

Counting the set bits of a word is one machine instruction. With vector instructions, so is nearly the
outcome of a test for 64 consecutive instances.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import COMPILED, U, inlined
from gatree.kernels.words import WORD, popcount

if COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def within(typing_context: Any, codes: Any, begin: Any, low: Any, width: Any) -> Any:  # noqa: ARG001
        """Return a word with a bit for each of the 64 codes from `begin` on in ``low .. low + width``."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type, _, *number_types = signature.args
            array = context.make_array(array_type)(context, builder, arguments[0])
            vector = ir.VectorType(array.data.type.pointee, WORD)
            place = builder.gep(array.data, [arguments[1]])
            elements = builder.load(builder.bitcast(place, vector.as_pointer()), align=1)
            lowest, widest = (
                _in_all_elements(builder, vector, context.cast(builder, number, its_type, array_type.dtype))
                for number, its_type in zip(arguments[2:], number_types, strict=True)
            )
            passing = builder.icmp_unsigned("<=", builder.sub(elements, lowest), widest)
            return builder.bitcast(passing, ir.IntType(WORD))

        return types.uint64(codes, types.int64, low, width), emit

    def _in_all_elements(builder: Any, vector: Any, number: Any) -> Any:
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.IntType(32)(0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), WORD), [0] * WORD)
        return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)

else:

    def within(codes: Any, begin: int, low: int, width: int) -> np.uint64:
        """Return a word with a bit for each of the 64 codes from `begin` on in ``low .. low + width``."""
        some = codes[begin : begin + WORD]
        passing = (some >= low) & (some <= low + width)
        return np.uint64(np.packbits(passing, bitorder="little").view("<u8")[0])


BLOCK_WORDS = 512

Bits = NDArray[np.uint64]


@inlined
def start_with_all(sets: Bits, n_instances: int, begin: int, n: int) -> None:
    """Fill level 0 with a block of the set of all instances."""
    for word in range(n):
        sets[0, word] = ~np.uint64(0)
    n_left = n_instances - WORD * (begin + n - 1)  # in the last word
    if n_left < WORD:
        sets[0, n - 1] = (np.uint64(1) << np.uint64(n_left)) - np.uint64(1)


@inlined
def narrow(sets: Bits, level: int, bits: Bits, row: int, fails: bool, begin: int, n: int) -> None:
    """Store the instances that pass, or fail, a test in the next level."""
    flip = ~np.uint64(0) if fails else np.uint64(0)
    for word in range(n):
        sets[U(level + 1), word] = sets[U(level), word] & (bits[U(row), U(begin + word)] ^ flip)


@inlined
def keep_passing(sets: Bits, level: int, bits: Bits, row: int, begin: int, n: int) -> int:
    """Store the instances that pass a test in the next level; return their number."""
    found = np.uint64(0)
    for word in range(n):
        passing = sets[U(level), word] & bits[U(row), U(begin + word)]
        sets[U(level + 1), word] = passing
        found += popcount(passing)
    return int(found)


@inlined
def count_of_class(sets: Bits, level: int, bits: Bits, class_row: int, begin: int, n: int) -> int:
    """Count the instances of a set that are of a class."""
    correct = np.uint64(0)
    for word in range(n):
        correct += popcount(sets[U(level), word] & bits[U(class_row), U(begin + word)])
    return int(correct)
