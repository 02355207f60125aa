"""The state of a search: a stack of sets of instances to solve, and a cache of solved sets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import U, lean
from gatree.kernels.words import n_set
from gatree.optimum.problem import IMPOSSIBLE, Ints, Problem, Words, n_columns, spares_weight

(
    STATE,
    K,  # tests
    D,  # depth
    LIMIT,  # only cheaper trees are of interest
    N,  # instances
    WEIGHT,  # of all instances
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
) = range(18)

LEVEL, STEPS, COST, FIRST_TEST, LEFT_TESTS, N_REGISTERS = range(6)

NO_TEST = -1

_SLOT_K, _SLOT_D, _SLOT_COST, _SLOT_LIMIT, _SLOT_TEST, _SLOT_LEFT, _SLOT_FIELDS = range(7)
_MOST_SLOTS, _MOST_BYTES = 2**17, 2**26
_LATELY = 256


class Stack(NamedTuple):
    """The frames, by level, with the tests that split each set; level 0 is the whole data set."""

    rows: NDArray[np.uint64]  # [level, test, word]: instances that pass, packed
    begin: Ints  # [level, class]: words, packed
    order: NDArray[np.int32]  # [level, attribute, rank]: sorted instances
    mask: Words  # [level, word]: the set among the packed instances of the level above
    bits: Words  # [level, word]: the set among all instances
    here: Ints  # [level, column]: the numbers that describe the set
    frame: Ints  # [level, field]
    name: NDArray[np.int32]  # [level, test]: its number in the problem
    first: NDArray[np.int32]  # [level, test]: its attribute's first threshold; for a nominal value, itself
    end: NDArray[np.int32]  # [level, test]
    numbers: Ints  # [level, test, column]: of the instances that pass
    weight: Ints  # [level, test]: of the instances that pass
    known: Ints  # [level, test, side, tests]: lower bound of a branch's cost; side 0 passes
    has_stumps: NDArray[np.bool_]  # [level, test]: whether the cost of its branches with a test each is exact
    ranked: NDArray[np.int32]  # [level, rank]
    seen: Ints  # [part, column]
    passes: NDArray[np.bool_]  # [instance]
    moves: Words
    registers: Ints


class Memory(NamedTuple):
    """The cache of solved sets: by their bits, and the most recent ones for every number of tests."""

    bits: NDArray[np.uint64]  # [slot, word]
    entry: Ints  # [slot, field]
    lately: NDArray[np.uint64]  # [tests, place, word]
    cost: Ints  # [tests, place]
    depth: Ints  # [tests, place]
    n_solved: Ints  # [tests]


def make_stack(problem: Problem, k: int) -> Stack:
    """Return an empty stack for trees of up to k tests."""
    n_attributes, n = problem.codes.shape
    n_levels, k, n_words = max(2, k), max(1, k), int(problem.begin[-1])
    n_tests = min(len(problem.attribute), n_attributes * n)
    columns, n_classes = n_columns(problem), len(problem.worth)
    stack = Stack(
        rows=np.zeros((n_levels, *problem.rows.shape), dtype=np.uint64),
        begin=np.zeros((n_levels, n_classes + 1), dtype=np.int64),
        order=np.zeros((n_levels, *problem.order.shape), dtype=np.int32),
        mask=np.zeros((n_levels, n_words), dtype=np.uint64),
        bits=np.zeros((n_levels, n_words), dtype=np.uint64),
        here=np.zeros((n_levels, columns), dtype=np.int64),
        frame=np.zeros((n_levels, N_FIELDS), dtype=np.int64),
        name=np.zeros((n_levels, n_tests), dtype=np.int32),
        first=np.zeros((n_levels, n_tests), dtype=np.int32),
        end=np.zeros((n_levels, n_tests), dtype=np.int32),
        numbers=np.zeros((n_levels, n_tests, columns), dtype=np.int64),
        weight=np.zeros((n_levels, n_tests), dtype=np.int64),
        known=np.zeros((n_levels, n_tests, 2, k + 1), dtype=np.int64),
        has_stumps=np.zeros((n_levels, n_tests), dtype=np.bool_),
        ranked=np.zeros((n_levels, n_tests), dtype=np.int32),
        seen=np.zeros((4, columns), dtype=np.int64),
        passes=np.zeros(n, dtype=np.bool_),
        moves=np.zeros(6, dtype=np.uint64),
        registers=np.zeros(N_REGISTERS, dtype=np.int64),
    )
    stack.rows[0], stack.begin[0], stack.order[0] = problem.rows, problem.begin, problem.order
    if len(problem.rows):
        stack.name[0], stack.frame[0, N_TESTS] = np.arange(n_tests), n_tests
    return stack


def make_memory(problem: Problem, k: int) -> Memory:
    """Return an empty cache of solved sets."""
    n_words = int(problem.begin[-1])
    n_slots = _MOST_SLOTS if k > 2 else 16
    while n_slots > 16 and n_slots * n_words * 8 > _MOST_BYTES:
        n_slots //= 2
    return Memory(
        bits=np.zeros((n_slots, n_words), dtype=np.uint64),
        entry=np.zeros((n_slots, _SLOT_FIELDS), dtype=np.int64),
        lately=np.zeros((k + 1, _LATELY, n_words), dtype=np.uint64),
        cost=np.zeros((k + 1, _LATELY), dtype=np.int64),
        depth=np.zeros((k + 1, _LATELY), dtype=np.int64),
        n_solved=np.zeros(k + 1, dtype=np.int64),
    )


@lean
def leave(stack: Stack, level: int, cost: int, test: int, n_left: int) -> None:
    """Return a frame's result to the previous frame."""
    registers = stack.registers
    registers[COST], registers[FIRST_TEST], registers[LEFT_TESTS] = cost, test, n_left
    registers[LEVEL] = level - 1


@lean
def _slot_of(memory: Memory, bits: Words, k: int, depth: int) -> int:
    """Return the slot of a set in the cache."""
    found = np.uint64(k * 64 + depth)
    for word in range(len(bits)):
        found ^= bits[word]
        found ^= found << np.uint64(13)
        found ^= found >> np.uint64(7)
        found ^= found << np.uint64(17)
    return np.int64(found & np.uint64(len(memory.bits) - 1))  # type: ignore[return-value]


@lean
def recall(stack: Stack, memory: Memory, level: int) -> bool:
    """Answer a request from the cache if possible; return whether it was."""
    frame, bits = stack.frame[level], stack.bits[level]
    slot = _slot_of(memory, bits, frame[K], frame[D])
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
def finish(problem: Problem, stack: Stack, memory: Memory, level: int) -> None:
    """Cache the result for a frame's set, and return it to the previous frame."""
    frame, bits = stack.frame[level], stack.bits[level]
    k, depth, cost, n_left = frame[K], frame[D], frame[BEST], frame[N_LEFT]
    test = NO_TEST if frame[TEST] == NO_TEST else stack.name[level, frame[TEST]]
    slot = _slot_of(memory, bits, k, depth)
    entry = memory.entry[slot]
    entry[_SLOT_K], entry[_SLOT_D] = k, depth
    entry[_SLOT_COST], entry[_SLOT_LIMIT] = cost, frame[LIMIT]
    entry[_SLOT_TEST], entry[_SLOT_LEFT] = test, n_left
    for word in range(len(bits)):
        memory.bits[U(slot), U(word)] = bits[U(word)]
    if spares_weight(problem) and cost < IMPOSSIBLE:
        place = memory.n_solved[k] % _LATELY
        memory.n_solved[k] += 1
        memory.cost[k, place], memory.depth[k, place] = cost, depth
        for word in range(len(bits)):
            memory.lately[U(k), U(place), U(word)] = bits[U(word)]
    leave(stack, level, cost, test, n_left)


@lean
def similar_bound(problem: Problem, stack: Stack, memory: Memory, level: int) -> int:
    """Return a lower bound for the cost of a frame's set, from the cost of similar sets.

    Removing instances saves at most their weight, and adding instances saves nothing. (Known as similarity
    bound: Angelino and others, "Learning certifiably optimal rule lists for categorical data", 2018.)
    """
    frame, bits, best = stack.frame[level], stack.bits[level], 0
    k, limit = frame[K], frame[LIMIT]
    n_kept = min(memory.n_solved[k], _LATELY)
    for place in range(n_kept):
        bound = memory.cost[k, place]
        if bound < limit or memory.depth[k, place] < frame[D]:
            continue
        for label in range(len(problem.worth)):
            lacking = 0
            for word in range(problem.begin[label], problem.begin[label + 1]):
                lacking += n_set(memory.lately[U(k), U(place), U(word)] & ~bits[U(word)])
            bound -= lacking * problem.worth[label]
            if bound < limit:
                break
        best = max(best, bound)
    stack.registers[STEPS] += n_kept * len(bits) // 4
    return best
