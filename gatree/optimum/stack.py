"""The state of a search: a stack of sets of instances to solve, and a cache of solved sets.

A stack has few arrays, each with several fields: every array that kernels pass to each other takes about as
long to compile as a statement.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import U, lean
from gatree.kernels.words import n_set
from gatree.optimum.problem import IMPOSSIBLE, Ints, OptimumProblem, Words

(
    STATE,
    K,  # tests
    D,  # depth
    LIMIT,  # only cheaper trees are of interest
    N,  # instances
    WEIGHT,  # of all instances
    LEAF_COST,
    N_TESTS,  # that split the set
    AT,  # the rank of the current test
    J,  # tests of the trees that are searched for
    SHARE,  # the current distribution of tests over the branches
    SIDE,  # the number of its branches that are solved
    BEST,  # cost
    TEST,  # first test of the best tree
    N_LEFT,  # the tests below its left branch
    N_RIGHT,
    STUMP,  # cost of the best tree of one test
    PAIR,  # of two
    N_FIELDS,
) = range(19)

(
    NAME,  # its number in the problem
    FIRST,  # its attribute's first threshold; for a nominal value, itself
    END,  # where the attribute's thresholds end
    RANKED,  # [rank]: a test
    PASSING,  # weight of the instances that pass
    HAS_STUMPS,  # whether the cost of its branches with a test each is exact
    N_OF_TEST,
) = range(7)

(
    LEVEL,
    STEPS,
    COST,
    FIRST_TEST,
    LEFT_TESTS,
    MIN_LEAF,
    SPARES_WEIGHT,  # whether removing instances saves at most their weight
    N_REGISTERS,
) = range(8)

NO_TEST = -1

_SLOT_K, _SLOT_D, _SLOT_COST, _SLOT_LIMIT, _SLOT_TEST, _SLOT_LEFT, _SLOT_FIELDS = range(7)
_MOST_SLOTS, _MOST_BYTES = 2**17, 2**26
_LATELY = 256


class Stack(NamedTuple):
    """The frames, by level, with the tests that split each set; level 0 is the whole data set."""

    frame: Ints  # [level, field]
    here: Ints  # [level, column]: the numbers that describe the set
    bits: Words  # [level, word]: the set
    begin: Ints  # [level, class]: its first word, where sets are packed; level 0 is for `bits`
    tests: Ints  # [level, field, test]
    numbers: Ints  # [level, test, column]: of the instances that pass
    known: Ints  # [level, test, side, tests]: lower bound of a branch's cost; side 0 passes
    worth: Ints  # [class]: the cost of an error
    registers: Ints


class Memory(NamedTuple):
    """The cache of solved sets: by their bits, and the most recent ones for every number of tests."""

    bits: NDArray[np.uint64]  # [slot, word]
    entry: Ints  # [slot, field]
    lately: NDArray[np.uint64]  # [tests, place, word]
    solved: Ints  # [(cost, depth), tests, place]
    n_solved: Ints  # [tests]


def bytes_of_stack(n_tests: int, n_columns: int, k: int) -> int:
    """Return the size of what grows with the number of tests in a stack for trees of up to k tests."""
    return 8 * max(2, k) * n_tests * (N_OF_TEST + n_columns + 2 * (k + 1))


def make_stack(problem: OptimumProblem, k: int) -> Stack:
    """Return an empty stack for trees of up to k tests."""
    n_attributes, n = problem.cases.codes.shape
    n_levels, k, n_words = max(2, k), max(1, k), int(problem.begin[-1])
    n_tests = len(problem.attribute)
    if not problem.as_bits:
        n_tests = min(n_tests, n_attributes * n)
    columns, n_classes = 3 if problem.has_target else len(problem.worth), len(problem.worth)
    stack = Stack(
        frame=np.zeros((n_levels, N_FIELDS), dtype=np.int64),
        here=np.zeros((n_levels, columns), dtype=np.int64),
        bits=np.zeros((n_levels, n_words), dtype=np.uint64),
        begin=np.zeros((n_levels, n_classes + 1), dtype=np.int64),
        tests=np.zeros((n_levels, N_OF_TEST, n_tests), dtype=np.int64),
        numbers=np.zeros((n_levels, n_tests, columns), dtype=np.int64),
        known=np.zeros((n_levels, n_tests, 2, k + 1), dtype=np.int64),
        worth=problem.worth,
        registers=np.zeros(N_REGISTERS, dtype=np.int64),
    )
    stack.begin[0], stack.frame[0, N] = problem.begin, n
    if problem.as_bits:
        stack.tests[0, NAME], stack.frame[0, N_TESTS] = np.arange(n_tests), n_tests
    spares_weight = problem.min_leaf == 1 and not problem.has_target
    stack.registers[[MIN_LEAF, SPARES_WEIGHT]] = problem.min_leaf, spares_weight
    return stack


def make_memory(problem: OptimumProblem, k: int) -> Memory:
    """Return an empty cache of solved sets."""
    n_words = int(problem.begin[-1])
    n_slots = _MOST_SLOTS if k > 2 else 16
    while n_slots > 16 and n_slots * n_words * 8 > _MOST_BYTES:
        n_slots //= 2
    return Memory(
        bits=np.zeros((n_slots, n_words), dtype=np.uint64),
        entry=np.zeros((n_slots, _SLOT_FIELDS), dtype=np.int64),
        lately=np.zeros((k + 1, _LATELY, n_words), dtype=np.uint64),
        solved=np.zeros((2, k + 1, _LATELY), dtype=np.int64),
        n_solved=np.zeros(k + 1, dtype=np.int64),
    )


@lean
def leave(stack: Stack, level: int, cost: int, test: int, n_left: int) -> None:
    """Return a frame's result to the previous frame."""
    registers = stack.registers
    registers[COST], registers[FIRST_TEST], registers[LEFT_TESTS] = cost, test, n_left
    registers[LEVEL] = level - 1


@lean
def _slot_of(stack: Stack, level: int, n_slots: int) -> int:
    """Return the slot of a frame's set in the cache."""
    found = np.uint64(stack.frame[level, K] * 64 + stack.frame[level, D])
    for word in range(stack.bits.shape[1]):
        found ^= stack.bits[U(level), U(word)]
        found ^= found << np.uint64(13)
        found ^= found >> np.uint64(7)
        found ^= found << np.uint64(17)
    return np.int64(found & np.uint64(n_slots - 1))  # type: ignore[return-value]


@lean
def recall(stack: Stack, memory: Memory, level: int) -> bool:
    """Answer a request from the cache if possible; return whether it was."""
    frame, bits = stack.frame[level], stack.bits[level]
    slot = _slot_of(stack, level, len(memory.bits))
    entry = memory.entry[slot]
    if entry[_SLOT_K] != frame[K] or entry[_SLOT_D] != frame[D]:
        return False
    for word in range(len(bits)):
        if memory.bits[U(slot), U(word)] != bits[U(word)]:
            return False
    cost = entry[_SLOT_COST]
    if cost >= entry[_SLOT_LIMIT] and cost < frame[LIMIT]:
        return False  # only a bound, and too low
    leave(stack, level, cost, entry[_SLOT_TEST], entry[_SLOT_LEFT])
    return True


@lean
def finish(stack: Stack, memory: Memory, level: int) -> None:
    """Cache the result for a frame's set, and return it to the previous frame."""
    frame, bits = stack.frame[level], stack.bits[level]
    k, depth, cost, n_left = frame[K], frame[D], frame[BEST], frame[N_LEFT]
    test = NO_TEST if frame[TEST] == NO_TEST else stack.tests[level, NAME, frame[TEST]]
    slot = _slot_of(stack, level, len(memory.bits))
    entry = memory.entry[slot]
    entry[_SLOT_K], entry[_SLOT_D] = k, depth
    entry[_SLOT_COST], entry[_SLOT_LIMIT] = cost, frame[LIMIT]
    entry[_SLOT_TEST], entry[_SLOT_LEFT] = test, n_left
    is_recent = stack.registers[SPARES_WEIGHT] and cost < IMPOSSIBLE
    place = memory.n_solved[k] % _LATELY
    for word in range(len(bits)):
        memory.bits[U(slot), U(word)] = bits[U(word)]
        if is_recent:
            memory.lately[U(k), U(place), U(word)] = bits[U(word)]
    if is_recent:
        memory.n_solved[k] += 1
        memory.solved[0, k, place], memory.solved[1, k, place] = cost, depth
    leave(stack, level, cost, test, n_left)


@lean
def similar_bound(stack: Stack, memory: Memory, level: int) -> int:
    """Return a lower bound for the cost of a frame's set, from the cost of similar sets.

    Removing instances saves at most their weight, and adding instances saves nothing. (Known as similarity
    bound: Angelino and others, "Learning certifiably optimal rule lists for categorical data", 2018.)
    """
    frame, bits, begin, best = stack.frame[level], stack.bits[level], stack.begin[0], 0
    k, limit = frame[K], frame[LIMIT]
    n_kept = min(memory.n_solved[k], _LATELY)
    for place in range(n_kept):
        bound = memory.solved[0, k, place]
        if bound < limit or memory.solved[1, k, place] < frame[D]:
            continue
        for label in range(len(stack.worth)):
            lacking = 0
            for word in range(begin[label], begin[label + 1]):
                lacking += n_set(memory.lately[U(k), U(place), U(word)] & ~bits[U(word)])
            bound -= lacking * stack.worth[label]
            if bound < limit:
                break
        best = max(best, bound)
    stack.registers[STEPS] += n_kept * len(bits) // 4
    return best
