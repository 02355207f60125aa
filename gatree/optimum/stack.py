"""The state of a search: a stack of sets of instances to solve, and a cache of solved sets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.coding import CodedData
from gatree.kernels.decorators import U, lean
from gatree.kernels.words import WORD, n_set
from gatree.optimum.problem import IMPOSSIBLE, Ints, OptimumProblem, Words


def _record(*fields: str) -> np.dtype[np.void]:
    return np.dtype([(field, np.int64) for field in fields])


FRAME = _record(
    "state",
    "k",  # tests
    "depth",
    "limit",  # only cheaper trees are of interest
    "n",  # instances
    "weight",  # of all instances
    "leaf_cost",
    "n_tests",  # that split the set
    "part",  # where the current pass over attributes or tests continues
    "asked",  # the test whose stumps or branch are being solved
    "asked_side",
    "at",  # the rank of the current test
    "j",  # tests of the trees that are searched for; 2 also for fewer
    "share",  # the current distribution of tests over the branches
    "side",  # the number of its branches that are solved
    "best",  # cost
    "test",  # first test of the best tree
    "n_left",  # the tests below its left branch
    "n_right",
    "stump",  # cost of the best tree of one test
    "pair",  # of two
)

TEST = _record(
    "name",  # its number in the problem
    "first",  # its attribute's first threshold; for a nominal value, itself
    "end",  # where the attribute's thresholds end
    "ranked",  # by rank, not by test: a test
    "merged",  # the same, while tests are sorted
    "passing",  # weight of the instances that pass
    "has_stumps",  # whether the cost of its branches with a test each is exact
)

REGISTERS = _record(
    "level",
    "steps",
    "cost",
    "first_test",
    "left_tests",
    "min_leaf",
    "spares_weight",  # whether removing instances saves at most their weight
)

_SOLVED = _record("k", "depth", "cost", "limit", "test", "n_left")

Records = NDArray[np.void]

SELECT, ENTER, FIND, LOOK, STUMPS, RANK, SHARES, AWAIT = range(8)
"""What a frame does next: select its set, look for a known answer, find its tests, look for a test to try as
the first of two, compute the stumps below it, rank the tests, distribute tests, wait for a branch."""

NO_TEST = -1

_MOST_SLOTS, _MOST_BYTES = 2**17, 2**26
_LATELY = 256


class Stack(NamedTuple):
    """The frames, by level, with the tests that split each set; level 0 is the whole data set."""

    frame: Records  # [level]
    here: Ints  # [level, column]: the numbers that describe the set
    bits: Words  # [level, word]: the set
    begin: Ints  # [level, class]: its first word, where sets are packed; level 0 is for `bits`
    tests: Records  # [level, test]
    numbers: Ints  # [level, test, column]: of the instances that pass
    known: Ints  # [level, test, side, tests]: lower bound of a branch's cost; side 0 passes
    worth: Ints  # [class]: the cost of an error
    registers: Records  # one


class Memory(NamedTuple):
    """The cache of solved sets: by their bits, and the most recent ones for every number of tests."""

    bits: NDArray[np.uint64]  # [slot, word]
    entry: Records  # [slot]
    lately: NDArray[np.uint64]  # [tests, place, word]
    solved: Ints  # [(cost, depth), tests, place]
    n_solved: Ints  # [tests]


def bytes_of_search(cases: CodedData, n_instances: int, n_columns: int, k: int, as_bits: bool) -> int:
    """Return the memory of what grows with the number of tests in a search for trees of up to k tests."""
    words_of_sets = n_instances // WORD if as_bits else 0
    words = len(TEST.names or ()) + n_columns + 2 * (k + 1) + words_of_sets
    return 8 * max(2, k) * int(cases.n_tests.sum()) * words


def make_stack(problem: OptimumProblem, k: int) -> Stack:
    """Return an empty stack for trees of up to k tests."""
    n_attributes, n = problem.cases.codes.shape
    n_levels, k, n_words = max(2, k), max(1, k), int(problem.begin[-1])
    n_tests = len(problem.attribute)
    if not problem.as_bits:
        n_tests = min(n_tests, n_attributes * n)
    columns, n_classes = 3 if problem.has_target else len(problem.worth), len(problem.worth)
    stack = Stack(
        frame=np.zeros(n_levels, dtype=FRAME),
        here=np.zeros((n_levels, columns), dtype=np.int64),
        bits=np.zeros((n_levels, n_words), dtype=np.uint64),
        begin=np.zeros((n_levels, n_classes + 1), dtype=np.int64),
        tests=np.zeros((n_levels, n_tests), dtype=TEST),
        numbers=np.zeros((n_levels, n_tests, columns), dtype=np.int64),
        known=np.zeros((n_levels, n_tests, 2, k + 1), dtype=np.int64),
        worth=problem.worth,
        registers=np.zeros(1, dtype=REGISTERS),
    )
    stack.begin[0], stack.frame[0]["n"] = problem.begin, n
    if problem.as_bits:
        stack.tests["name"][0], stack.frame[0]["n_tests"] = np.arange(n_tests), n_tests
    stack.registers["min_leaf"] = problem.min_leaf
    stack.registers["spares_weight"] = problem.min_leaf == 1 and not problem.has_target
    return stack


def make_memory(problem: OptimumProblem, k: int) -> Memory:
    """Return an empty cache of solved sets."""
    n_words = int(problem.begin[-1])
    n_slots = _MOST_SLOTS if k > 2 else 16
    while n_slots > 16 and n_slots * n_words * 8 > _MOST_BYTES:
        n_slots //= 2
    return Memory(
        bits=np.zeros((n_slots, n_words), dtype=np.uint64),
        entry=np.zeros(n_slots, dtype=_SOLVED),
        lately=np.zeros((k + 1, _LATELY, n_words), dtype=np.uint64),
        solved=np.zeros((2, k + 1, _LATELY), dtype=np.int64),
        n_solved=np.zeros(k + 1, dtype=np.int64),
    )


@lean
def end_of_part(stack: Stack, begin: int, n: int, n_steps: int, until: int) -> int:
    """Return where to stop a loop up to n with ``n_steps`` steps each, at least one further on."""
    return int(min(n, begin + max(1, (until - stack.registers[0]["steps"]) // max(1, n_steps))))


@lean
def leave(stack: Stack, level: int, cost: int, test: int, n_left: int) -> None:
    """Return a frame's result to the previous frame."""
    registers = stack.registers[0]
    registers["cost"], registers["first_test"], registers["left_tests"] = cost, test, n_left
    registers["level"] = level - 1


@lean
def _slot_of(stack: Stack, level: int, n_slots: int) -> int:
    """Return the slot of a frame's set in the cache."""
    found = np.uint64(stack.frame[level]["k"] * 64 + stack.frame[level]["depth"])
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
    if entry["k"] != frame["k"] or entry["depth"] != frame["depth"]:
        return False
    for word in range(len(bits)):
        if memory.bits[U(slot), U(word)] != bits[U(word)]:
            return False
    cost = entry["cost"]
    if cost >= entry["limit"] and cost < frame["limit"]:
        return False  # only a bound, and too low
    leave(stack, level, cost, entry["test"], entry["n_left"])
    return True


@lean
def finish(stack: Stack, memory: Memory, level: int) -> None:
    """Cache the result for a frame's set, and return it to the previous frame."""
    frame, bits = stack.frame[level], stack.bits[level]
    k, depth, cost, n_left = frame["k"], frame["depth"], frame["best"], frame["n_left"]
    test = NO_TEST if frame["test"] == NO_TEST else stack.tests[level, frame["test"]]["name"]
    slot = _slot_of(stack, level, len(memory.bits))
    entry = memory.entry[slot]
    entry["k"], entry["depth"] = k, depth
    entry["cost"], entry["limit"] = cost, frame["limit"]
    entry["test"], entry["n_left"] = test, n_left
    is_recent = stack.registers[0]["spares_weight"] and cost < IMPOSSIBLE
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
    k, limit = frame["k"], frame["limit"]
    n_kept = min(memory.n_solved[k], _LATELY)
    for place in range(n_kept):
        bound = memory.solved[0, k, place]
        if bound < limit or memory.solved[1, k, place] < frame["depth"]:
            continue
        for label in range(len(stack.worth)):
            lacking = 0
            for word in range(begin[label], begin[label + 1]):
                lacking += n_set(memory.lately[U(k), U(place), U(word)] & ~bits[U(word)])
            bound -= lacking * stack.worth[label]
            if bound < limit:
                break
        best = max(best, bound)
    stack.registers[0]["steps"] += n_kept * len(bits) // 4
    return best
