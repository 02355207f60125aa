"""Sets of instances as bits: words of 64 bits, and the loops over them.

A large set is worked on block by block, so that all sets on the way down a tree stay in the processor's
nearest cache and only the masks are read from memory, each once. A block is some words of all masks, from
`begin` on; the sets of the levels hold just these words.

The number of set bits in a word is one machine instruction; so is, or nearly so where the processor has
vectors, the outcome of a test for 64 instances in a row.
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

    def _comparing(operator: str) -> Any:
        """Return the code of a comparison of 64 elements of a contiguous array with a number."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type, _, number_type = signature.args
            array = context.make_array(array_type)(context, builder, arguments[0])
            element = array.data.type.pointee
            vector = ir.VectorType(element, WORD)
            place = builder.gep(array.data, [arguments[1]])
            elements = builder.load(builder.bitcast(place, vector.as_pointer()), align=1)
            number = context.cast(builder, arguments[2], number_type, array_type.dtype)
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), WORD), [0] * WORD)
            all_alike = builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)
            passing = builder.icmp_unsigned(operator, elements, all_alike)
            return builder.bitcast(passing, ir.IntType(WORD))

        return emit

    @intrinsic  # type: ignore[untyped-decorator]
    def up_to(typing_context: Any, codes: Any, begin: Any, code: Any) -> Any:  # noqa: ARG001
        """Tell which of the 64 codes from `begin` on are at most a code."""
        return types.uint64(codes, types.int64, code), _comparing("<=")

    @intrinsic  # type: ignore[untyped-decorator]
    def equal_to(typing_context: Any, codes: Any, begin: Any, code: Any) -> Any:  # noqa: ARG001
        """Tell which of the 64 codes from `begin` on are some code."""
        return types.uint64(codes, types.int64, code), _comparing("==")

else:

    def up_to(codes: Any, begin: int, code: int) -> np.uint64:
        """Tell which of the 64 codes from `begin` on are at most a code."""
        return _word(codes[begin : begin + WORD] <= code)

    def equal_to(codes: Any, begin: int, code: int) -> np.uint64:
        """Tell which of the 64 codes from `begin` on are some code."""
        return _word(codes[begin : begin + WORD] == code)

    def _word(passing: Any) -> np.uint64:
        return np.uint64(np.packbits(passing, bitorder="little").view("<u8")[0])


BLOCK_WORDS = 512

Bits = NDArray[np.uint64]


def first_bits(n: int, n_words: int) -> Bits:
    """Return the set of the first n of all bits."""
    bits = np.zeros(n_words * WORD, dtype=np.uint8)
    bits[:n] = 1
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)


@inlined
def fill_first_level(sets: Bits, everything: Bits, begin: int, n: int) -> None:
    """Make level 0 the set of all instances."""
    for word in range(n):
        sets[0, word] = everything[U(begin + word)]


@inlined
def narrow(sets: Bits, bits: Bits, row: int, passes: bool, begin: int, n: int) -> None:
    """Leave in level 0 only the instances that pass a test, or only those that fail it."""
    flip = np.uint64(0) if passes else ~np.uint64(0)
    for word in range(n):
        sets[0, word] &= bits[U(row), U(begin + word)] ^ flip


@inlined
def keep_passing(sets: Bits, level: int, bits: Bits, row: int, begin: int, n: int) -> int:
    """Make the next level's set of the instances that pass a test; return how many do."""
    found = np.uint64(0)
    for word in range(n):
        passing = sets[U(level), word] & bits[U(row), U(begin + word)]
        sets[U(level + 1), word] = passing
        found += popcount(passing)
    return int(found)


@inlined
def keep_failing(sets: Bits, level: int, bits: Bits, row: int, begin: int, n: int) -> None:
    """Make the next level's set of the instances that fail a test."""
    for word in range(n):
        sets[U(level + 1), word] = sets[U(level), word] & ~bits[U(row), U(begin + word)]


@inlined
def count_passing(
    sets: Bits, level: int, bits: Bits, row: int, class_row: int, begin: int, n: int
) -> tuple[int, int]:
    """Count the instances that pass a test, and those of them that have a class."""
    found, correct = np.uint64(0), np.uint64(0)
    for word in range(n):
        passing = sets[U(level), word] & bits[U(row), U(begin + word)]
        found += popcount(passing)
        correct += popcount(passing & bits[U(class_row), U(begin + word)])
    return int(found), int(correct)


@inlined
def count_failing(sets: Bits, level: int, bits: Bits, row: int, class_row: int, begin: int, n: int) -> int:
    """Count the instances that fail a test and have a class."""
    correct = np.uint64(0)
    for word in range(n):
        failing = sets[U(level), word] & ~bits[U(row), U(begin + word)]
        correct += popcount(failing & bits[U(class_row), U(begin + word)])
    return int(correct)


@inlined
def count_class(sets: Bits, level: int, bits: Bits, class_row: int, begin: int, n: int) -> int:
    """Count the instances of a set that have a class."""
    correct = np.uint64(0)
    for word in range(n):
        correct += popcount(sets[U(level), word] & bits[U(class_row), U(begin + word)])
    return int(correct)


@inlined
def keep(sets: Bits, level: int, bits: Bits, row: int, flip: np.uint64, begin: int, n: int) -> int:
    """Make the next level's set of those who pass a test, or fail it if all bits flip; return how many."""
    found = np.uint64(0)
    for word in range(n):
        left = sets[U(level), word] & (bits[U(row), U(begin + word)] ^ flip)
        sets[U(level + 1), word] = left
        found += popcount(left)
    return int(found)


@inlined
def count(sets: Bits, level: int, bits: Bits, row: int, flip: np.uint64, begin: int, n: int) -> int:
    """Count those who pass a test, or fail it."""
    found = np.uint64(0)
    for word in range(n):
        found += popcount(sets[U(level), word] & (bits[U(row), U(begin + word)] ^ flip))
    return int(found)


@inlined
def keep_with_class(
    sets: Bits, level: int, bits: Bits, row: int, flip: np.uint64, class_row: int, begin: int, n: int
) -> tuple[int, int]:
    """Do what `keep` does, and count those who have a class."""
    found, of_class = np.uint64(0), np.uint64(0)
    for word in range(n):
        left = sets[U(level), word] & (bits[U(row), U(begin + word)] ^ flip)
        sets[U(level + 1), word] = left
        found += popcount(left)
        of_class += popcount(left & bits[U(class_row), U(begin + word)])
    return int(found), int(of_class)


@inlined
def count_with_class(
    sets: Bits, level: int, bits: Bits, row: int, flip: np.uint64, class_row: int, begin: int, n: int
) -> tuple[int, int]:
    """Do what `count` does, and count those who have a class."""
    found, of_class = np.uint64(0), np.uint64(0)
    for word in range(n):
        left = sets[U(level), word] & (bits[U(row), U(begin + word)] ^ flip)
        found += popcount(left)
        of_class += popcount(left & bits[U(class_row), U(begin + word)])
    return int(found), int(of_class)
