"""Sets of instances as packed bits: words of 64 bits, with separate words for each class.

So each class count of a set is the number of set bits in a few words, and the counts for two tests together
take one AND per word. The current set is packed: only its instances remain, in as few words as possible.
"""

from __future__ import annotations

import numpy as np

from gatree.kernels.decorators import U, inlined, lean
from gatree.kernels.words import WORD, n_set
from gatree.optimum.problem import Ints, Words

ALL, ONE, NONE = np.uint64(2**64 - 1), np.uint64(1), np.uint64(0)


@inlined
def low_bits(n: int) -> np.uint64:
    """Return a word whose lowest ``n`` bits are set, or all bits for 0."""
    return ALL if n == 0 else (ONE << np.uint64(n)) - ONE


@inlined
def _find_moves(wanted: np.uint64, moves: Words) -> None:
    """Find the bits that move by 1, 2, 4, ... places to bring the wanted bits together.

    (By parallel suffixes: Warren, "Hacker's Delight", 7-4.)
    """
    unwanted_below = ~wanted << ONE
    for step in range(6):
        parity = unwanted_below
        for power in range(6):
            parity ^= parity << np.uint64(1 << power)
        moved = parity & wanted
        moves[step] = moved
        wanted = (wanted ^ moved) | (moved >> np.uint64(1 << step))
        unwanted_below &= ~parity


@inlined
def _moved_together(bits: np.uint64, moves: Words) -> np.uint64:
    for step in range(6):
        moved = bits & moves[step]
        bits = (bits ^ moved) | (moved >> np.uint64(1 << step))
    return bits


@lean
def pack(
    source: tuple[Words, Ints], n_rows: int, mask: Words, target: tuple[Words, Ints], moves: Words
) -> None:
    """Pack the masked instances of the first ``n_rows`` rows; the Ints hold the first word of each class."""
    rows, begin = source
    target_rows, target_begin = target
    at = 0
    for label in range(len(begin) - 1):
        target_begin[label] = at
        n_bits = 0
        for word in range(begin[label], begin[label + 1]):
            wanted = mask[word]
            if wanted == NONE:
                continue
            n_moved = n_set(wanted)
            _find_moves(wanted, moves)
            to, shift = at + n_bits // WORD, n_bits % WORD
            for row in range(n_rows):
                bits = _moved_together(rows[U(row), U(word)] & wanted, moves)
                if shift == 0:
                    target_rows[U(row), U(to)] = bits
                    continue
                target_rows[U(row), U(to)] |= bits << np.uint64(shift)
                if shift + n_moved > WORD:
                    target_rows[U(row), U(to + 1)] = bits >> np.uint64(WORD - shift)
            n_bits += n_moved
        at += -(-n_bits // WORD)
    target_begin[len(begin) - 1] = at
