"""Search for the cheapest tree of at most k tests and a maximum depth, in one kernel.

A frame of the stack is a set of instances and a number of tests. First, every test is tried as the first of
two: that solves all trees of depth two, and bounds the branches of all others. Then trees of 3, 4, ... tests
are searched for: every first test with every distribution of the other tests over its branches, unless bounds
rule it out. Branches with two or more tests are separate frames.

The whole state is in arrays, so the search can stop after some steps and resume.
"""

from __future__ import annotations

import numpy as np

from gatree.kernels.decorators import U, inlined, lean
from gatree.kernels.words import WORD
from gatree.optimum.bits import ALL, NONE, low_bits
from gatree.optimum.problem import (
    IMPOSSIBLE,
    Ints,
    Problem,
    Words,
    count_of,
    in_bits,
    leaf_cost,
    spares_weight,
    weight_of,
)
from gatree.optimum.stack import (
    AT,
    BEST,
    COST,
    LEVEL,
    LIMIT,
    N_LEFT,
    N_RIGHT,
    N_TESTS,
    NO_TEST,
    PAIR,
    SHARE,
    SIDE,
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
from gatree.optimum.stumps import find_stumps, find_tests, spread

ENTER, LOOK, SHARES, AWAIT = range(4)  # states of a frame


def begin_search(stack: Stack, bits: Words, numbers: Ints, tests: tuple[int, int], limit: int) -> None:
    """Push the frame of a set of instances onto an empty stack, with its number of tests and depth."""
    stack.mask[1], stack.bits[1], stack.here[1] = bits, bits, numbers
    stack.frame[1, [STATE, K, D, LIMIT]] = ENTER, *tests, limit
    stack.registers[LEVEL] = 1


@lean
def run(problem: Problem, stack: Stack, memory: Memory, until: int) -> bool:
    """Resume the search up to a number of steps; return whether it is finished."""
    registers = stack.registers
    while registers[LEVEL] > 0:
        if registers[STEPS] >= until:
            return False
        level = registers[LEVEL]
        state = stack.frame[level, STATE]
        if state == ENTER:
            _enter(problem, stack, memory, level)
        elif state == LOOK:
            _look_around(problem, stack, memory, level)
        elif state == SHARES:
            _next_branch(problem, stack, memory, level)
        else:
            _note_answer(stack, level)
    return True


@lean
def _enter(problem: Problem, stack: Stack, memory: Memory, level: int) -> None:
    """Answer a request immediately if possible, else find the tests that split the set."""
    frame, here = stack.frame[level], stack.here[level]
    n, leaf = count_of(problem, here), leaf_cost(problem, here)
    if leaf == 0 or frame[K] == 0 or n < 2 * problem.min_leaf:
        leave(stack, level, leaf, NO_TEST, 0)
        return
    if recall(stack, memory, level):
        return
    k, depth, limit = frame[K], frame[D], frame[LIMIT]
    bound = similar_bound(problem, stack, memory, level)
    if bound >= limit:
        leave(stack, level, bound, NO_TEST, 0)
        return
    frame[N], frame[WEIGHT], frame[AT] = n, weight_of(problem, here), 0
    frame[BEST] = leaf if k > 3 and depth > 2 else min(leaf, limit)  # smaller trees are all solved exactly
    frame[TEST], frame[N_LEFT], frame[N_RIGHT], frame[STUMP] = NO_TEST, 0, 0, leaf
    find_tests(problem, stack, level)
    frame[STATE] = LOOK


@lean
def _look_around(problem: Problem, stack: Stack, memory: Memory, level: int) -> None:
    """Try the next first test of two, or of three in depth two; after the last, continue with more tests."""
    frame, k, depth = stack.frame[level], stack.frame[level, K], stack.frame[level, D]
    while frame[AT] < frame[N_TESTS] and k > 1:
        test = stack.ranked[level, frame[AT]]
        frame[AT] += 1
        branch = stack.known[level, test]
        pair = min(branch[0, 1] + branch[1, 0], branch[0, 0] + branch[1, 1])
        is_pair = pair < frame[PAIR] if depth > 2 else k == 2 and pair < frame[BEST]
        if not is_pair and (k == 2 or branch[0, 1] + branch[1, 1] >= frame[BEST]):
            continue
        find_stumps(problem, stack, level, test)
        spread(problem, stack, level, test, 1)
        frame[PAIR] = min(frame[PAIR], branch[0, 1] + branch[1, 0], branch[0, 0] + branch[1, 1])
        _take_if_better(frame, test, (1, 0), branch[0, 1] + branch[1, 0])
        _take_if_better(frame, test, (0, 1), branch[0, 0] + branch[1, 1])
        if k > 2:
            _take_if_better(frame, test, (1, 1), branch[0, 1] + branch[1, 1])
        return
    if depth <= 2 or frame[BEST] == 0:
        finish(problem, stack, memory, level)
        return
    _rank(stack, level)
    frame[STATE] = SHARES
    _begin_shares(problem, stack, level, 3, frame[PAIR])


@inlined
def _take_if_better(frame: Ints, test: int, shares: tuple[int, int], cost: int) -> None:
    if cost < frame[BEST]:
        frame[BEST], frame[TEST], frame[N_LEFT], frame[N_RIGHT] = cost, test, shares[0], shares[1]


@lean
def _rank(stack: Stack, level: int) -> None:
    """Sort the tests by the known cost of their branches with one test each."""
    ranked, known = stack.ranked[level], stack.known[level]
    for rank in range(1, stack.frame[level, N_TESTS]):
        test = ranked[rank]
        cost, at = known[test, 0, 1] + known[test, 1, 1], rank
        while at > 0 and known[ranked[at - 1], 0, 1] + known[ranked[at - 1], 1, 1] > cost:
            ranked[at] = ranked[at - 1]
            at -= 1
        ranked[at] = test


@lean
def _begin_shares(problem: Problem, stack: Stack, level: int, j: int, fewer: int) -> None:
    """Start the search for trees of j tests; the best tree with fewer tests costs ``fewer``."""
    frame, known = stack.frame[level], stack.known[level]
    if spares_weight(problem):
        for test in range(frame[N_TESTS]):
            passing = stack.weight[level, test]
            known[test, 0, j - 1] = max(known[test, 0, j - 1], fewer - (frame[WEIGHT] - passing))
            known[test, 1, j - 1] = max(known[test, 1, j - 1], fewer - passing)
    frame[J], frame[AT], frame[SHARE], frame[SIDE] = j, 0, 0, 0
    if j == frame[K] and frame[BEST] > frame[LIMIT]:
        frame[BEST], frame[TEST] = frame[LIMIT], NO_TEST


@inlined
def least_cost(branch: Ints, j: int, most: int) -> int:
    """Return a lower bound for a first test and j - 1 others, at most ``most`` of them in a branch."""
    least = IMPOSSIBLE
    for n_left in range(max(0, j - 1 - most), min(most, j - 1) + 1):
        least = min(least, branch[0, n_left] + branch[1, j - 1 - n_left])
    return least


@inlined
def _left_share(j: int, share: int) -> int:
    """Return the left branch's number of the j - 1 tests in a distribution; even ones come first."""
    return (j - 1) // 2 + ((share + 1) // 2 if share % 2 == 1 else -(share // 2))


@lean
def _next_branch(problem: Problem, stack: Stack, memory: Memory, level: int) -> None:
    """Continue with the next branch that has to be solved."""
    frame = stack.frame[level]
    j, most = frame[J], (1 << min(30, frame[D] - 1)) - 1
    while frame[AT] < frame[N_TESTS] and frame[BEST] > 0:
        test, share = stack.ranked[level, frame[AT]], frame[SHARE]
        branch = stack.known[level, test]
        if share == j or (share == 0 and least_cost(branch, j, most) >= frame[BEST]):
            for more in range(2, j):
                spread(problem, stack, level, test, more)
            stack.registers[STEPS] += j * (stack.end[level, test] - stack.first[level, test])
            frame[AT], frame[SHARE], frame[SIDE] = frame[AT] + 1, 0, 0
            continue
        n_left = _left_share(j, share)
        n_right = j - 1 - n_left
        cost = branch[0, n_left] + branch[1, n_right]
        if max(n_left, n_right) > most or cost >= frame[BEST] or frame[SIDE] == 2:
            if max(n_left, n_right) <= most:
                _take_if_better(frame, test, (n_left, n_right), cost)
            frame[SHARE], frame[SIDE] = share + 1, 0
            continue
        side = frame[SIDE] if n_left <= n_right else 1 - frame[SIDE]  # the cheaper branch first
        n = n_left if side == 0 else n_right
        if n > 1:
            _request(problem, stack, level, test, side, n)
            return
        if n == 1 and not stack.has_stumps[level, test]:
            find_stumps(problem, stack, level, test)
        frame[SIDE] += 1
    if j == frame[K] or frame[BEST] == 0:
        finish(problem, stack, memory, level)
    else:
        _begin_shares(problem, stack, level, j + 1, frame[BEST])


@lean
def _request(problem: Problem, stack: Stack, level: int, test: int, side: int, n: int) -> None:
    """Push a branch of a test, with ``n`` tests, onto the stack."""
    frame, below = stack.frame[level], stack.frame[level + 1]
    below[STATE], below[K], below[D] = ENTER, n, min(n, frame[D] - 1)
    below[LIMIT] = frame[BEST] - stack.known[level, test, 1 - side, frame[J] - 1 - n]
    passing, here = stack.numbers[level, test], stack.here[level]
    for column in range(len(here)):
        stack.here[level + 1, column] = passing[column] if side == 0 else here[column] - passing[column]
    name = stack.name[level, test]
    if in_bits(problem):
        _part_bits(problem, stack, level, test, NONE if side == 0 else ALL)
    else:
        attribute, value = problem.attribute[name], problem.value[name]
        bits = stack.bits[level + 1]
        for word in range(len(bits)):
            bits[word] = NONE
        for rank in range(frame[N]):
            instance = stack.order[level, attribute, rank]
            code = problem.codes[attribute, instance]
            passes = code <= value if problem.is_numeric[attribute] else code == value
            if passes == (side == 0):
                place = problem.place[instance]
                bits[place // WORD] |= np.uint64(1) << np.uint64(place % WORD)
        stack.registers[STEPS] += frame[N]
    frame[STATE], stack.registers[LEVEL] = AWAIT, level + 1


@lean
def _part_bits(problem: Problem, stack: Stack, level: int, test: int, turn: np.uint64) -> None:
    """Write the set that passes a test or, with ``turn`` set, the others, to the next level."""
    begin, mask, name = stack.begin[level], stack.mask[level + 1], stack.name[level, test]
    for label in range(len(problem.worth)):
        for word in range(begin[label], begin[label + 1]):
            mask[U(word)] = stack.rows[U(level), U(test), U(word)] ^ turn
        if begin[label + 1] > begin[label]:
            mask[begin[label + 1] - 1] &= low_bits(stack.here[level, label] % WORD)
    for word in range(stack.bits.shape[1]):
        passing = problem.rows[U(name), U(word)] ^ turn
        stack.bits[U(level + 1), U(word)] = stack.bits[U(level), U(word)] & passing


@lean
def _note_answer(stack: Stack, level: int) -> None:
    """Store the cost of a requested branch, which is also a lower bound for fewer tests."""
    frame, cost = stack.frame[level], stack.registers[COST]
    test, n_left = stack.ranked[level, frame[AT]], _left_share(frame[J], frame[SHARE])
    n_right = frame[J] - 1 - n_left
    side = frame[SIDE] if n_left <= n_right else 1 - frame[SIDE]
    branch = stack.known[level, test, side]
    for fewer in range((n_left if side == 0 else n_right) + 1):
        branch[fewer] = max(branch[fewer], cost)
    frame[STATE], frame[SIDE] = SHARES, frame[SIDE] + 1
