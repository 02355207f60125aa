"""Bit masks of tests: one bit per instance, set where the instance passes the test.

A mask is made when a tree first asks for its test and is kept while there is room; then the masks
that no tree of the current batch needs make way. The classes are one more column, whose masks tell
which instances have a class.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.evaluators.bits.popcount import WORD
from gatree.evolution.evaluators.bits.sets import BLOCK_WORDS
from gatree.evolution.evaluators.claim import Claims, claim
from gatree.evolution.problem import Alphabet, Instances
from gatree.evolution.rank import first_above
from gatree.jit import U, inlined, lean
from gatree.trees.genome import Ints

NOT_KEPT = -1

_PACK = np.uint64(0x0102040810204080)  # multiplying by it gathers the low bits of 8 bytes in the top byte

NEXT_ROW, STAMP, N_PENDING = range(3)  # the columns of `state`

PATIENCE = 8
"""Batches after which a mask that none of them has needed is the first to give way."""


class Masks(NamedTuple):
    """The masks that are kept, as kernels take them. Tests are numbered through all attributes."""

    bits: NDArray[np.uint64]  # [row, word]
    first_test: NDArray[np.int64]  # [attribute], and the class as the last
    row_of: Ints  # [test]: its row, or NOT_KEPT
    test_of: NDArray[np.int64]  # [row]: its test, or NOT_KEPT
    needed: NDArray[np.int64]  # [row]: the last batch that needed it
    pending: NDArray[np.int64]  # rows whose masks are still to be made
    state: NDArray[np.int64]


def make_masks(alphabet: Alphabet, n_instances: int, budget_bytes: int) -> Masks:
    """Return room for as many masks as there are tests, or as fit into the budget."""
    n_tests = np.append(alphabet.n_tests.astype(np.int64), alphabet.n_classes)
    n_words = -(-n_instances // WORD)
    n_rows = min(int(n_tests.sum()), max(1, budget_bytes // max(1, 8 * n_words)))
    return Masks(
        bits=np.zeros((n_rows, n_words), dtype=np.uint64),
        first_test=np.concatenate(([0], np.cumsum(n_tests)[:-1])),
        row_of=np.full(int(n_tests.sum()), NOT_KEPT, dtype=np.int32),
        test_of=np.full(n_rows, NOT_KEPT, dtype=np.int64),
        needed=np.full(n_rows, -PATIENCE, dtype=np.int64),
        pending=np.zeros(n_rows, dtype=np.int64),
        state=np.zeros(3, dtype=np.int64),
    )


def with_more_rows(masks: Masks) -> Masks:
    """Return the masks with room for twice as many, all of them to be made again."""
    n_rows, n_words = masks.bits.shape
    masks.row_of[:] = NOT_KEPT
    masks.state[:] = 0
    return masks._replace(
        bits=np.zeros((2 * n_rows, n_words), dtype=np.uint64),
        test_of=np.full(2 * n_rows, NOT_KEPT, dtype=np.int64),
        needed=np.full(2 * n_rows, -PATIENCE, dtype=np.int64),
        pending=np.zeros(2 * n_rows, dtype=np.int64),
    )


def plan_all(masks: Masks) -> None:
    """Give every test its row, to be made."""
    tests = np.arange(len(masks.row_of))
    for rows in (masks.row_of, masks.test_of, masks.pending):
        rows[:] = tests
    masks.state[N_PENDING] = len(tests)


@inlined
def require(masks: Masks, column: int, value: int) -> bool:
    """See to it that the current batch has a row for a test's mask; tell whether there was room.

    A mask that is not there yet is left pending: `make_pending` makes it. The column behind the last
    attribute is the class.
    """
    test = masks.first_test[column] + value
    row = masks.row_of[test]
    if row == NOT_KEPT:
        row = _free_row(masks)
        if row == NOT_KEPT:
            return False
        masks.row_of[test] = row
        masks.test_of[row] = test
        masks.pending[masks.state[N_PENDING]] = row
        masks.state[N_PENDING] += 1
    masks.needed[row] = masks.state[STAMP]
    return True


@inlined
def forget_pending(masks: Masks) -> None:
    """Take back the rows whose masks were never made, since something came in between."""
    for k in range(masks.state[N_PENDING]):
        row = masks.pending[k]
        masks.row_of[masks.test_of[row]] = NOT_KEPT
        masks.test_of[row] = NOT_KEPT
    masks.state[N_PENDING] = 0


@lean
def make_pending(instances: Instances, masks: Masks, claims: Claims, passed: NDArray[np.uint8]) -> None:
    """Make the masks that are pending."""
    instances, masks = Instances(*instances), Masks(*masks)
    k = claim(claims)
    while k < masks.state[N_PENDING]:
        _make(instances, masks, masks.pending[k], passed)
        k = claim(claims)


@inlined
def _free_row(masks: Masks) -> int:
    """Return a row that the current batch does not need, going round; NOT_KEPT if there is none.

    First those are asked that no batch has needed for a while: what a living tree tests will be needed again.
    """
    n_rows = len(masks.test_of)
    for k in range(2 * n_rows):
        row = masks.state[NEXT_ROW]
        masks.state[NEXT_ROW] = (row + 1) % n_rows
        latest = masks.state[STAMP] - (PATIENCE if k < n_rows else 1)
        if masks.needed[row] <= latest:
            if masks.test_of[row] != NOT_KEPT:
                masks.row_of[masks.test_of[row]] = NOT_KEPT
            return int(row)
    return NOT_KEPT


@inlined
def _mark_passing(
    instances: Instances, column: int, value: int, begin: int, n: int, passed: NDArray[np.uint8]
) -> None:
    """Write a byte per instance of a block: 1 where it passes the test.

    Simple loops over values of one type, so that they are vectorized.
    """
    codes, classes = instances.codes, instances.classes
    code = codes.dtype.type(value)
    if column == len(codes):
        label = classes.dtype.type(value)
        for i in range(n):
            passed[i] = classes[U(begin + i)] == label
    elif instances.is_numeric[column]:
        for i in range(n):
            passed[i] = codes[U(column), U(begin + i)] <= code
    else:
        for i in range(n):
            passed[i] = codes[U(column), U(begin + i)] == code


@inlined
def _pack(passed: Any, bits: NDArray[np.uint64], row: int, first_word: int, n_words: int) -> None:
    """Gather the bytes of a block, eight at a time, into the bits of a mask."""
    eights = passed.view(np.uint64)
    for word in range(n_words):
        packed = np.uint64(0)
        for k in range(8):
            byte = (eights[U(8 * word + k)] * _PACK) >> np.uint64(56)
            packed |= byte << np.uint64(8 * k)
        bits[U(row), U(first_word + word)] = packed


@inlined
def _make(instances: Instances, masks: Masks, row: int, passed: NDArray[np.uint8]) -> None:
    """Make the mask of a row, in blocks that stay in the nearest cache."""
    test, n_instances, n_words = masks.test_of[row], len(instances.classes), masks.bits.shape[1]
    column = first_above(masks.first_test, len(masks.first_test), test) - 1
    for word in range(0, n_words, BLOCK_WORDS):
        n = min(BLOCK_WORDS, n_words - word)
        begin, marked = WORD * word, min(WORD * n, n_instances - WORD * word)
        _mark_passing(instances, column, test - masks.first_test[column], begin, marked, passed)
        for i in range(marked, WORD * n):  # the last word's bits behind the last instance
            passed[i] = 0
        _pack(passed, masks.bits, row, word, n)
