"""Bit masks of tests: one bit per instance, set if the instance passes the test.

A mask is made when a tree first needs its test, and kept while memory is left. Then masks that no tree of the
current batch needs are evicted. The class is one more column; its masks mark the instances of a class.

A batch is a range of branches whose masks fit into the memory: rows are reserved for all of them first, then
the missing masks are made, and then the branches are counted.

With vector instructions, the outcome of a test for 64 consecutive instances is nearly one instruction.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import Trees, first_above
from gatree.evolution.problem import Alphabet, Instances
from gatree.kernels.decorators import COMPILED, U, inlined, lean
from gatree.kernels.words import WORD
from gatree.trees.genome import Ints

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


MASK_BUDGET_BYTES = 256 * 2**20
"""Memory for the masks; when it is full, masks that have not been used for a while are evicted."""

MASKS_PER_CODES = 1
"""On larger data the masks may take this many times the memory of the codes."""

NOT_KEPT = -1

NEXT_ROW, BATCH, N_PENDING, N_KEPT = range(4)  # the columns of `state`

PATIENCE = 8
"""The number of batches without use after which a mask is evicted first."""


class Masks(NamedTuple):
    """The cached masks, in the form that kernels take. Tests are numbered across all attributes."""

    bits: NDArray[np.uint64]  # [row, word]
    first_test: NDArray[np.int64]  # [attribute], the class last
    row_of: Ints  # [test]: its row, or NOT_KEPT
    test_of: NDArray[np.int64]  # [row]: its test, or NOT_KEPT
    needed: NDArray[np.int64]  # [row]: the last batch that used it
    pending: NDArray[np.int64]  # rows whose masks have not been made yet
    state: NDArray[np.int64]  # the next row to reuse, the batch, and the numbers of pending and of kept masks


def empty_masks(alphabet: Alphabet, instances: Instances, n_least: int) -> Masks:
    """Allocate as many masks as there are tests, or as fit into the budget, which has room for the least."""
    n_tests = np.append(alphabet.n_tests.astype(np.int64), alphabet.n_classes)
    n_words = -(-len(instances.classes) // WORD)
    budget = max(MASK_BUDGET_BYTES, MASKS_PER_CODES * instances.codes.nbytes)
    n_rows = min(int(n_tests.sum()), max(n_least, budget // max(1, 8 * n_words)))
    return Masks(
        bits=np.zeros((n_rows, n_words), dtype=np.uint64),
        first_test=np.concatenate(([0], np.cumsum(n_tests)[:-1])),
        row_of=np.full(int(n_tests.sum()), NOT_KEPT, dtype=np.int32),
        test_of=np.full(n_rows, NOT_KEPT, dtype=np.int64),
        needed=np.full(n_rows, -PATIENCE, dtype=np.int64),
        pending=np.zeros(n_rows, dtype=np.int64),
        state=np.zeros(4, dtype=np.int64),
    )


@inlined
def require(masks: Masks, test: int) -> bool:
    """Reserve a row for a test's mask in the current batch; return False if no row is left.

    A missing mask becomes pending.
    """
    row = masks.row_of[test]
    if row == NOT_KEPT:
        row = _free_row(masks)
        if row == NOT_KEPT:
            return False
        masks.row_of[test] = row
        masks.test_of[row] = test
        masks.state[N_KEPT] += 1
        masks.pending[masks.state[N_PENDING]] = row
        masks.state[N_PENDING] += 1
    masks.needed[row] = masks.state[BATCH]
    return True


@inlined
def reserved(masks: Masks) -> bool:
    """Begin a batch; return whether the masks of all tests are kept, so that nothing is left to reserve."""
    n_tests = len(masks.row_of)
    masks.state[BATCH] += 1
    drop_pending(masks)
    n_kept = masks.state[N_KEPT]
    if len(masks.test_of) == n_tests and n_kept < n_tests and 10 * n_kept > 9 * n_tests:
        for test in range(n_tests):  # the last tenth
            require(masks, test)
    return bool(masks.state[N_KEPT] == n_tests)


@inlined
def test_at(masks: Masks, trees: Trees, slot: int, node: int) -> int:
    """Return the number of a node's test, or of a leaf's class: LEAF is the last column."""
    first = masks.first_test[trees.attribute[U(slot), U(node)]]
    return int(first + trees.value[U(slot), U(node)])


@inlined
def drop_pending(masks: Masks) -> None:
    """Release the rows whose masks were never made because of an interruption."""
    for k in range(masks.state[N_PENDING]):
        row = masks.pending[k]
        masks.row_of[masks.test_of[row]] = NOT_KEPT
        masks.test_of[row] = NOT_KEPT
        masks.state[N_KEPT] -= 1
    masks.state[N_PENDING] = 0


@inlined
def _free_row(masks: Masks) -> int:
    """Return a row that the current batch does not need, in round-robin order; NOT_KEPT if there is none.

    Rows that no batch has used for a while come first: tests of trees in the population will be used again.
    """
    n_rows = len(masks.test_of)
    for k in range(2 * n_rows):
        row = masks.state[NEXT_ROW]
        masks.state[NEXT_ROW] = (row + 1) % n_rows
        latest = masks.state[BATCH] - (PATIENCE if k < n_rows else 1)
        if masks.needed[row] <= latest:
            if masks.test_of[row] != NOT_KEPT:
                masks.row_of[masks.test_of[row]] = NOT_KEPT
                masks.state[N_KEPT] -= 1
            return int(row)
    return NOT_KEPT


@inlined
def _last_word(codes: Any, low: int, width: int, begin: int) -> np.uint64:
    """Return a word with the outcomes of a test for the instances from `begin` on, fewer than 64."""
    word = np.uint64(0)
    for i in range(len(codes) - begin):
        word |= np.uint64(low <= codes[U(begin + i)] <= low + width) << np.uint64(i)
    return word


@inlined
def _compare(codes: Any, low: int, width: int, bits: Any, first_word: int, last_word: int) -> None:
    """Compute some words of a mask: of the instances whose codes are in ``low .. low + width``."""
    last_whole = min(last_word, len(codes) // WORD)
    for word in range(first_word, last_whole):
        bits[U(word)] = within(codes, WORD * word, low, width)
    if last_whole < last_word:
        bits[U(last_whole)] = _last_word(codes, low, width, WORD * last_whole)


@inlined
def make_words(instances: Instances, masks: Masks, row: int, first_word: int, last_word: int) -> None:
    """Compute some words of the mask in a row."""
    test, bits = masks.test_of[row], masks.bits[row]
    column = first_above(masks.first_test, len(masks.first_test), test) - 1
    value = test - masks.first_test[column]
    if column == len(instances.codes):
        _compare(instances.classes, value, 0, bits, first_word, last_word)
    else:
        is_numeric = instances.is_numeric[column]
        low, width = (0 if is_numeric else value), (value if is_numeric else 0)
        _compare(instances.codes[column], low, width, bits, first_word, last_word)


@lean
def make_pending(instances: Instances, masks: Masks, first_word: int, last_word: int) -> None:
    """Compute some words of all masks that are missing."""
    if first_word < last_word:
        for k in range(masks.state[N_PENDING]):
            make_words(instances, masks, masks.pending[k], first_word, last_word)
