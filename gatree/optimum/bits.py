"""Sets of instances as packed bits: words of 64 bits, with separate words for each class.

So each class count of a set is the number of set bits in a few words, and the counts for two tests together
take one AND per word. The current set is packed: only its instances remain, in as few words as possible.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import U, lean
from gatree.kernels.words import WORD, n_set
from gatree.optimum.problem import Ints, OptimumProblem, Words
from gatree.optimum.stack import ENTER, Records, Stack, end_of_part

ALL, ONE, NONE = np.uint64(2**64 - 1), np.uint64(1), np.uint64(0)

_ATTRIBUTE, _IS_NUMERIC = range(2)
_NO_ATTRIBUTE = -1


class BitSets(NamedTuple):
    """The tests as sets of bits, for kernels."""

    rows: NDArray[np.uint64]  # [level, test, word]: instances of the set that pass, packed
    mask: Words  # [level, word]: the set among the packed instances of the level above
    about: NDArray[np.int32]  # [(attribute, whether it is numeric), test]
    moves: Words


def bit_sets(problem: OptimumProblem, n_levels: int) -> BitSets:
    """Return the tests of a data set, with memory for a search."""
    n_words, n_tests = int(problem.begin[-1]), len(problem.attribute)
    rows = np.zeros((n_levels, n_tests, n_words), dtype=np.uint64)
    word, bit = problem.place // WORD, ONE << (problem.place % WORD).astype(np.uint64)
    first = 0
    for codes, n, is_numeric in zip(
        problem.cases.codes, problem.cases.n_tests.tolist(), problem.cases.is_numeric, strict=True
    ):
        own, tested = rows[0, first : first + n], codes < n
        np.bitwise_or.at(own, (codes[tested], word[tested]), bit[tested])
        if is_numeric:  # what passes a threshold passes the higher ones
            np.bitwise_or.accumulate(own, axis=0, out=own)
        first += n
    return BitSets(
        rows=rows,
        mask=np.zeros((n_levels, n_words), dtype=np.uint64),
        about=np.stack([problem.attribute, problem.cases.is_numeric[problem.attribute]]).astype(np.int32),
        moves=np.zeros(6, dtype=np.uint64),
    )


@lean
def low_bits(n: int) -> np.uint64:
    """Return a word whose lowest ``n`` bits are set, or all bits for 0."""
    return ALL if n == 0 else (ONE << np.uint64(n)) - ONE


@lean
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


@lean
def _moved_together(bits: np.uint64, moves: Words) -> np.uint64:
    for step in range(6):
        moved = bits & moves[step]
        bits = (bits ^ moved) | (moved >> np.uint64(1 << step))
    return bits


@lean
def pack(
    source: tuple[Words, Ints],
    part: tuple[int, int],
    mask: Words,
    target: tuple[Words, Ints],
    moves: Words,
) -> None:
    """Pack the masked instances of some rows; the Ints hold the first word of each class."""
    rows, begin = source
    first_row, end_row = part
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
            for row in range(first_row, end_row):
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


@lean
def find_tests(sets: BitSets, stack: Stack, level: int, until: int) -> bool:
    """Pack the set, and find the tests of the previous frame that split it; return whether all are found.

    Each partition is kept once per attribute, so attributes are not divided.
    """
    above, frame, begin = level - 1, stack.frame[level], stack.frame[level]["part"]
    n_above, n_classes = stack.frame[above]["n_tests"], len(stack.worth)
    n_steps = 3 * stack.begin[above, n_classes] + n_classes
    end = end_of_part(stack, begin, n_above, n_steps, until)
    while 0 < end < n_above and _are_of_one_attribute(sets, stack.tests[above], end - 1, end):
        end += 1
    source, target = (sets.rows[above], stack.begin[above]), (sets.rows[level], stack.begin[level])
    pack(source, (begin, end), sets.mask[level], target, sets.moves)
    _find_tests_in(sets, stack, level, begin, end)
    stack.registers[0]["steps"] += (end - begin) * n_steps
    frame["part"] = end
    return bool(end == n_above)


@lean
def _are_of_one_attribute(sets: BitSets, tests: Records, one: int, other: int) -> bool:
    attributes = sets.about[_ATTRIBUTE]
    return bool(attributes[tests[one]["name"]] == attributes[tests[other]["name"]])


@lean
def _find_tests_in(sets: BitSets, stack: Stack, level: int, begin_row: int, end_row: int) -> None:
    """Keep those of some tests that split the set, in the first rows.

    Compute the weight of each test's passing instances, and the cost of both branches as leaves.
    """
    above, n_classes, frame = level - 1, len(stack.worth), stack.frame[level]
    rows, begin, tests, numbers = (
        sets.rows[level],
        stack.begin[level],
        stack.tests[level],
        stack.numbers[level],
    )
    n, least, n_words = frame["n"], stack.registers[0]["min_leaf"], begin[n_classes]
    n_kept, first, before, last = frame["n_tests"], 0, _NO_ATTRIBUTE, 0
    for row in range(begin_row, end_row):
        name = stack.tests[above, row]["name"]
        attribute, is_numeric = sets.about[_ATTRIBUTE, name], sets.about[_IS_NUMERIC, name]
        if attribute != before:
            first, before, last = n_kept, attribute, 0
        passing, weight, most, most_failing = 0, 0, 0, 0
        for label in range(n_classes):
            found = 0
            for word in range(begin[label], begin[label + 1]):
                found += n_set(rows[U(row), U(word)])
            numbers[n_kept, label] = found
            passing += found
            weight += found * stack.worth[label]
            most = max(most, found * stack.worth[label])
            most_failing = max(most_failing, (stack.here[level, label] - found) * stack.worth[label])
        is_new = passing > last if is_numeric else not is_mirror(last, passing, n)
        last = max(last, passing) if is_numeric or passing == 0 else passing
        if not is_new or min(passing, n - passing) < least:
            continue
        for word in range(n_words if row > n_kept else 0):
            rows[U(n_kept), U(word)] = rows[U(row), U(word)]
        tests[n_kept]["name"], tests[n_kept]["first"] = name, first if is_numeric else n_kept
        tests[n_kept]["passing"] = weight
        stack.known[level, n_kept, 0, 0] = weight - most
        stack.known[level, n_kept, 1, 0] = frame["weight"] - weight - most_failing
        n_kept += 1
    frame["n_tests"] = n_kept


@lean
def is_mirror(last: int, passing: int, n: int) -> bool:
    """Return whether a value is the second of only two in a set, so that its test mirrors the first's."""
    return last > 0 and last + passing == n


@lean
def find_stumps(sets: BitSets, stack: Stack, level: int, until: int) -> bool:
    """Compute the cost of both branches of a test with one more test each; return whether it is computed."""
    frame, test, n_classes = stack.frame[level], stack.frame[level]["asked"], len(stack.worth)
    known = stack.known[level, test]
    n_steps = 2 * stack.begin[level, n_classes] + 6 * n_classes + 10
    begin, end = frame["part"], end_of_part(stack, frame["part"], frame["n_tests"], n_steps, until)
    if begin == 0:
        known[0, 1], known[1, 1] = known[0, 0], known[1, 0]
    _find_stumps_in(sets, stack, level, begin, end)
    stack.registers[0]["steps"] += (end - begin) * n_steps
    frame["part"] = end
    return bool(end == frame["n_tests"])


@lean
def _find_stumps_in(sets: BitSets, stack: Stack, level: int, begin_other: int, end_other: int) -> None:
    """Try some tests in both branches of a test."""
    rows, begin, numbers, frame = (
        sets.rows[level],
        stack.begin[level],
        stack.numbers[level],
        stack.frame[level],
    )
    test, here, worth, min_leaf = (
        frame["asked"],
        stack.here[level],
        stack.worth,
        stack.registers[0]["min_leaf"],
    )
    known, weight = stack.known[level, test], stack.tests[level, test]["passing"]
    n_classes, n, n_mine = len(worth), frame["n"], 0
    # the maximum correct weight so far
    left, right = weight - known[0, 1], frame["weight"] - weight - known[1, 1]
    for label in range(n_classes):
        n_mine += numbers[test, label]
    for other in range(begin_other, end_other):
        n_both, n_other = 0, 0
        most_11, most_10, most_01, most_00 = 0, 0, 0, 0
        for label in range(n_classes):
            both = 0
            for word in range(begin[U(label)], begin[U(label + 1)]):
                both += n_set(rows[U(test), U(word)] & rows[U(other), U(word)])
            mine, others, value = numbers[U(test), U(label)], numbers[U(other), U(label)], worth[U(label)]
            n_both += both
            n_other += others
            most_11 = max(most_11, both * value)
            most_10 = max(most_10, (mine - both) * value)
            most_01 = max(most_01, (others - both) * value)
            most_00 = max(most_00, (here[U(label)] - mine - others + both) * value)
        if most_11 + most_10 > left and min(n_both, n_mine - n_both) >= min_leaf:
            left = most_11 + most_10
        n_only = n_other - n_both
        if most_01 + most_00 > right and min(n_only, n - n_mine - n_only) >= min_leaf:
            right = most_01 + most_00
    known[0, 1], known[1, 1] = weight - left, frame["weight"] - weight - right


@lean
def select(sets: BitSets, stack: Stack, level: int) -> None:
    """Write the set of the branch that the previous frame asks for."""
    above = level - 1
    test, side = stack.frame[above]["asked"], stack.frame[above]["asked_side"]
    begin, mask, name = stack.begin[above], sets.mask[level], stack.tests[above, test]["name"]
    turn, n = NONE if side == 0 else ALL, 0
    for label in range(len(stack.worth)):
        n += stack.here[level, label]
        for word in range(begin[label], begin[label + 1]):
            mask[U(word)] = sets.rows[U(above), U(test), U(word)] ^ turn
        if begin[label + 1] > begin[label]:
            mask[begin[label + 1] - 1] &= low_bits(stack.here[above, label] % WORD)
    for word in range(stack.bits.shape[1]):
        passing = sets.rows[U(0), U(name), U(word)] ^ turn
        stack.bits[U(level), U(word)] = stack.bits[U(above), U(word)] & passing
    stack.frame[level]["n"], stack.frame[level]["state"] = n, ENTER
    stack.registers[0]["steps"] += begin[len(begin) - 1] + 2 * stack.bits.shape[1]
