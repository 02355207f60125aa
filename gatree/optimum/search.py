"""Search for the cheapest tree of at most k tests and a maximum depth, in one kernel.

A frame of the stack is a set of instances and a number of tests. First, every test is tried as the first of
two: that solves all trees of depth two, and bounds the branches of all others. Then trees of 3, 4, ... tests
are searched for: every first test with every distribution of the other tests over its branches, unless bounds
rule it out. Branches with two or more tests are separate frames.

The whole state is in arrays, so the search can stop after some steps and resume. The kernel exists twice:
for sets of bits (bits.py), and for sorted instances (walks.py).
"""

from __future__ import annotations

from typing import Any

from gatree.kernels.decorators import inlined, lean, specialised
from gatree.optimum import bits, walks
from gatree.optimum.problem import IMPOSSIBLE, Ints
from gatree.optimum.stack import (
    AT,
    BEST,
    COST,
    END,
    FIRST,
    HAS_STUMPS,
    LEAF_COST,
    LEVEL,
    LIMIT,
    MIN_LEAF,
    N_LEFT,
    N_RIGHT,
    N_TESTS,
    NO_TEST,
    PAIR,
    PASSING,
    RANKED,
    SHARE,
    SIDE,
    SPARES_WEIGHT,
    STATE,
    STEPS,
    STUMP,
    TEST,
    WEIGHT,
    D,
    J,
    K,
    Memory,
    N,
    Stack,
    finish,
    leave,
    recall,
    similar_bound,
)

ENTER, LOOK, SHARES, AWAIT = range(4)  # states of a frame


def find_tests(sets: Any, stack: Stack, level: int) -> None:
    """Stand for the kernel that finds the tests that split a frame's set, and the cost of their leaves."""


def find_stumps(sets: Any, stack: Stack, level: int, test: int) -> None:
    """Stand for the kernel that computes the cost of both branches of a test with one more test each."""


def select(sets: Any, stack: Stack, level: int, test: int, side: int) -> None:
    """Stand for the kernel that writes the set of a test's branch to the next level."""


def _run(sets: Any, stack: Stack, memory: Memory, until: int) -> bool:
    """Resume the search up to a number of steps; return whether it is finished."""
    registers = stack.registers
    while registers[LEVEL] > 0:
        if registers[STEPS] >= until:
            return False
        level = registers[LEVEL]
        state = stack.frame[level, STATE]
        if state == ENTER:
            if not _answer(stack, memory, level):
                find_tests(sets, stack, level)
                _bound_tests(stack, level)
        elif state == LOOK:
            test = _next_first_test(stack, memory, level)
            if test != NO_TEST:
                find_stumps(sets, stack, level, test)
                _take_pairs(stack, level, test)
        elif state == SHARES:
            test, side, n = _next_branch(stack, memory, level)
            while n == 1:
                find_stumps(sets, stack, level, test)
                test, side, n = _next_branch(stack, memory, level)
            if n > 1:
                _request(stack, level, test, side, n)
                select(sets, stack, level, test, side)
        else:
            _note_answer(stack, level)
    return True


@lean
def _answer(stack: Stack, memory: Memory, level: int) -> bool:
    """Answer a request immediately if possible, else prepare its frame; return whether it was answered."""
    frame = stack.frame[level]
    n, leaf, k, depth, limit = frame[N], frame[LEAF_COST], frame[K], frame[D], frame[LIMIT]
    if leaf == 0 or k == 0 or n < 2 * stack.registers[MIN_LEAF]:
        leave(stack, level, leaf, NO_TEST, 0)
        return True
    if recall(stack, memory, level):
        return True
    bound = similar_bound(stack, memory, level)
    if bound >= limit:
        leave(stack, level, bound, NO_TEST, 0)
        return True
    frame[AT], frame[STATE] = 0, LOOK
    frame[BEST] = leaf if k > 3 and depth > 2 else min(leaf, limit)  # smaller trees are all solved exactly
    frame[TEST], frame[N_LEFT], frame[N_RIGHT], frame[STUMP] = NO_TEST, 0, 0, leaf
    return False


@lean
def _bound_tests(stack: Stack, level: int) -> None:
    """Find the best first test alone, bound the branches of all, and rank the tests."""
    frame, known, tests = stack.frame[level], stack.known[level], stack.tests[level]
    n_tests = frame[N_TESTS]
    for test in range(n_tests - 1, -1, -1):
        is_last = test == n_tests - 1 or tests[FIRST, test + 1] != tests[FIRST, test]
        tests[END, test] = test + 1 if is_last else tests[END, test + 1]
        tests[HAS_STUMPS, test] = 0
    for test in range(n_tests):
        cost = known[test, 0, 0] + known[test, 1, 0]
        frame[STUMP] = min(frame[STUMP], cost)
        _take_if_better(frame, test, 0, 0, cost)
    frame[PAIR] = frame[STUMP]
    spare = frame[STUMP] if stack.registers[SPARES_WEIGHT] else 0
    for test in range(n_tests):
        weight = tests[PASSING, test]
        known[test, 0, 1] = max(0, spare - (frame[WEIGHT] - weight))
        known[test, 1, 1] = max(0, spare - weight)
        for more in range(2, frame[K]):
            known[test, 0, more], known[test, 1, more] = 0, 0
    _middle_first(tests, n_tests)


@lean
def _middle_first(tests: Ints, n_tests: int) -> None:
    """Rank the tests, thresholds from the middle outwards, so that bounds rule out most of the others."""
    n_ranked, test = 0, 0
    while test < n_tests:
        n = tests[END, test] - tests[FIRST, test]
        step = 1
        while 2 * step <= n:
            step *= 2
        while step > 0:
            for place in range(step, n + 1, 2 * step):
                tests[RANKED, n_ranked] = test + place - 1
                n_ranked += 1
            step //= 2
        test += n


@lean
def _next_first_test(stack: Stack, memory: Memory, level: int) -> int:
    """Return the next first test of two, or of three in depth two, to try.

    After the last one, finish or continue with more tests, and return NO_TEST.
    """
    frame, k, depth = stack.frame[level], stack.frame[level, K], stack.frame[level, D]
    while frame[AT] < frame[N_TESTS] and k > 1:
        test = stack.tests[level, RANKED, frame[AT]]
        frame[AT] += 1
        branch = stack.known[level, test]
        pair = min(branch[0, 1] + branch[1, 0], branch[0, 0] + branch[1, 1])
        is_pair = pair < frame[PAIR] if depth > 2 else k == 2 and pair < frame[BEST]
        if is_pair or (k != 2 and branch[0, 1] + branch[1, 1] < frame[BEST]):
            return int(test)
    if depth <= 2 or frame[BEST] == 0:
        finish(stack, memory, level)
    else:
        _rank(stack.tests[level, RANKED], stack.known[level], frame[N_TESTS])
        frame[STATE] = SHARES
        _begin_shares(stack, level, 3, frame[PAIR])
    return NO_TEST


@lean
def _take_pairs(stack: Stack, level: int, test: int) -> None:
    """Compare the best trees with a first test and one or two others, whose costs are known now."""
    frame, branch = stack.frame[level], stack.known[level, test]
    _spread(stack, level, test, 1)
    frame[PAIR] = min(frame[PAIR], branch[0, 1] + branch[1, 0], branch[0, 0] + branch[1, 1])
    _take_if_better(frame, test, 1, 0, branch[0, 1] + branch[1, 0])
    _take_if_better(frame, test, 0, 1, branch[0, 0] + branch[1, 1])
    if frame[K] > 2:
        _take_if_better(frame, test, 1, 1, branch[0, 1] + branch[1, 1])


@lean
def _take_if_better(frame: Ints, test: int, n_left: int, n_right: int, cost: int) -> None:
    if cost < frame[BEST]:
        frame[BEST], frame[TEST], frame[N_LEFT], frame[N_RIGHT] = cost, test, n_left, n_right


@lean
def _rank(ranked: Ints, known: Ints, n_tests: int) -> None:
    """Sort the tests by the known cost of their branches with one test each."""
    for rank in range(1, n_tests):
        test = ranked[rank]
        cost, at = known[test, 0, 1] + known[test, 1, 1], rank
        while at > 0 and known[ranked[at - 1], 0, 1] + known[ranked[at - 1], 1, 1] > cost:
            ranked[at] = ranked[at - 1]
            at -= 1
        ranked[at] = test


@lean
def _begin_shares(stack: Stack, level: int, j: int, fewer: int) -> None:
    """Start the search for trees of j tests; the best tree with fewer tests costs ``fewer``."""
    frame, known = stack.frame[level], stack.known[level]
    if stack.registers[SPARES_WEIGHT]:
        for test in range(frame[N_TESTS]):
            passing = stack.tests[level, PASSING, test]
            known[test, 0, j - 1] = max(known[test, 0, j - 1], fewer - (frame[WEIGHT] - passing))
            known[test, 1, j - 1] = max(known[test, 1, j - 1], fewer - passing)
    frame[J], frame[AT], frame[SHARE], frame[SIDE] = j, 0, 0, 0
    if j == frame[K] and frame[BEST] > frame[LIMIT]:
        frame[BEST], frame[TEST] = frame[LIMIT], NO_TEST


@inlined
def _least_cost(branch: Ints, j: int, most: int) -> int:
    """Return a lower bound for a first test and j - 1 others, at most ``most`` of them in a branch."""
    least = IMPOSSIBLE
    for n_left in range(max(0, j - 1 - most), min(most, j - 1) + 1):
        least = min(least, branch[0, n_left] + branch[1, j - 1 - n_left])
    return least


@lean
def _share(frame: Ints) -> tuple[int, int, int]:
    """Return the numbers of tests of both branches, and the branch to solve next.

    Even distributions come first, and the branch with fewer tests.
    """
    j, share = frame[J], frame[SHARE]
    n_left = (j - 1) // 2 + ((share + 1) // 2 if share % 2 == 1 else -(share // 2))
    n_right = j - 1 - n_left
    return n_left, n_right, frame[SIDE] if n_left <= n_right else 1 - frame[SIDE]


@lean
def _next_branch(stack: Stack, memory: Memory, level: int) -> tuple[int, int, int]:
    """Return the test, side and number of tests of the next branch that has to be solved.

    After the last one, finish or continue with more tests, and return no tests.
    """
    frame = stack.frame[level]
    j, most = frame[J], (1 << min(30, frame[D] - 1)) - 1
    while frame[AT] < frame[N_TESTS] and frame[BEST] > 0:
        test = stack.tests[level, RANKED, frame[AT]]
        branch = stack.known[level, test]
        if frame[SHARE] == j or (frame[SHARE] == 0 and _least_cost(branch, j, most) >= frame[BEST]):
            for more in range(2, j):
                _spread(stack, level, test, more)
            stack.registers[STEPS] += j * (stack.tests[level, END, test] - stack.tests[level, FIRST, test])
            frame[AT], frame[SHARE], frame[SIDE] = frame[AT] + 1, 0, 0
            continue
        n_left, n_right, side = _share(frame)
        cost = branch[0, n_left] + branch[1, n_right]
        if max(n_left, n_right) > most or cost >= frame[BEST] or frame[SIDE] == 2:
            if max(n_left, n_right) <= most:
                _take_if_better(frame, test, n_left, n_right, cost)
            frame[SHARE], frame[SIDE] = frame[SHARE] + 1, 0
            continue
        n = n_left if side == 0 else n_right
        if n > 1 or (n == 1 and not stack.tests[level, HAS_STUMPS, test]):
            return test, side, n
        frame[SIDE] += 1
    if j == frame[K] or frame[BEST] == 0:
        finish(stack, memory, level)
    else:
        _begin_shares(stack, level, j + 1, frame[BEST])
    return 0, 0, 0


@lean
def _request(stack: Stack, level: int, test: int, side: int, n: int) -> None:
    """Push a branch of a test, with ``n`` tests, onto the stack."""
    frame, below, passing = stack.frame[level], stack.frame[level + 1], stack.tests[level, PASSING, test]
    below[STATE], below[K], below[D] = ENTER, n, min(n, frame[D] - 1)
    below[LIMIT] = frame[BEST] - stack.known[level, test, 1 - side, frame[J] - 1 - n]
    below[LEAF_COST] = stack.known[level, test, side, 0]
    below[WEIGHT] = passing if side == 0 else frame[WEIGHT] - passing
    for column in range(stack.here.shape[1]):
        number = stack.numbers[level, test, column]
        stack.here[level + 1, column] = number if side == 0 else stack.here[level, column] - number
    frame[STATE], stack.registers[LEVEL] = AWAIT, level + 1


@lean
def _note_answer(stack: Stack, level: int) -> None:
    """Store the cost of a requested branch, which is also a lower bound for fewer tests."""
    frame, cost = stack.frame[level], stack.registers[COST]
    n_left, n_right, side = _share(frame)
    branch = stack.known[level, stack.tests[level, RANKED, frame[AT]], side]
    for fewer in range((n_left if side == 0 else n_right) + 1):
        branch[fewer] = max(branch[fewer], cost)
    frame[STATE], frame[SIDE] = SHARES, frame[SIDE] + 1


@lean
def _spread(stack: Stack, level: int, test: int, more: int) -> None:
    """Bound the branches of an attribute's other thresholds by those of one threshold.

    The cost only grows with the set: the instances that pass a lower threshold also pass a higher one. And
    moving a threshold over some instances saves at most their weight. (Both as in Brita, van
    der Linden and Demirovic, "Optimal classification trees for continuous feature data using dynamic
    programming with branch-and-bound", 2025.)
    """
    if stack.registers[MIN_LEAF] > 1:
        return
    known, tests, has_weight = stack.known[level], stack.tests[level], stack.registers[SPARES_WEIGHT]
    left, right, mine = known[test, 0, more], known[test, 1, more], tests[PASSING, test]
    for other in range(tests[FIRST, test], test):
        known[other, 1, more] = max(known[other, 1, more], right)
        if has_weight:
            known[other, 0, more] = max(known[other, 0, more], left - (mine - tests[PASSING, other]))
    for other in range(test + 1, tests[END, test]):
        known[other, 0, more] = max(known[other, 0, more], left)
        if has_weight:
            known[other, 1, more] = max(known[other, 1, more], right - (tests[PASSING, other] - mine))


run_bits = lean(
    specialised(
        _run, "run_bits", find_tests=bits.find_tests, find_stumps=bits.find_stumps, select=bits.select
    )
)
run_walks = lean(
    specialised(
        _run, "run_walks", find_tests=walks.find_tests, find_stumps=walks.find_stumps, select=walks.select
    )
)
