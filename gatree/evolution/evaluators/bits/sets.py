"""Sets of instances as bits, and the loops over their words.

A large set is worked on block by block, so that all sets on the way down a tree stay in the processor's
nearest cache and only the masks are read from memory, each once. A block is some words of all masks, from
`begin` on; the sets of the levels hold just these words.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.evaluators.bits.popcount import WORD, popcount
from gatree.kernels.decorators import U, inlined

BLOCK_WORDS = 512

Bits = NDArray[np.uint64]


def first_bits(n: int, n_words: int) -> Bits:
    """Return the set of the first n of all bits."""
    bits = np.zeros(n_words * WORD, dtype=np.uint8)
    bits[:n] = 1
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)


@inlined
def begin_with(sets: Bits, everything: Bits, begin: int, n: int) -> None:
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
