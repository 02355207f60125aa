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

import numpy as np

from gatree.kernels.decorators import inlined, lean, specialised
from gatree.optimum import bits, walks
from gatree.optimum.problem import IMPOSSIBLE, Ints
from gatree.optimum.stack import NO_TEST, Memory, Records, Stack, finish, leave, recall, similar_bound

ENTER, LOOK, SHARES, AWAIT = range(4)  # states of a frame


def find_tests(sets: Any, stack: Stack, level: int) -> None:
    """Stand for the kernel that finds the tests that split a frame's set, and the cost of their leaves."""


def find_stumps(sets: Any, stack: Stack, level: int, test: int) -> None:
    """Stand for the kernel that computes the cost of both branches of a test with one more test each."""


def select(sets: Any, stack: Stack, level: int, test: int, side: int) -> None:
    """Stand for the kernel that writes the set of a test's branch to the next level."""


def _run(sets: Any, stack: Stack, memory: Memory, until: int) -> bool:
    """Resume the search up to a number of steps; return whether it is finished."""
    registers = stack.registers[0]
    while registers["level"] > 0:
        if registers["steps"] >= until:
            return False
        level = registers["level"]
        state = stack.frame[level]["state"]
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
    n, leaf, k, depth, limit = frame["n"], frame["leaf_cost"], frame["k"], frame["depth"], frame["limit"]
    if leaf == 0 or k == 0 or n < 2 * stack.registers[0]["min_leaf"]:
        leave(stack, level, leaf, NO_TEST, 0)
        return True
    if recall(stack, memory, level):
        return True
    bound = similar_bound(stack, memory, level)
    if bound >= limit:
        leave(stack, level, bound, NO_TEST, 0)
        return True
    frame["at"], frame["state"] = 0, LOOK
    frame["best"] = leaf if k > 3 and depth > 2 else min(leaf, limit)  # smaller trees are all solved exactly
    frame["test"], frame["n_left"], frame["n_right"], frame["stump"] = NO_TEST, 0, 0, leaf
    return False


@lean
def _bound_tests(stack: Stack, level: int) -> None:
    """Find the best first test alone, bound the branches of all, and rank the tests."""
    frame, known, tests = stack.frame[level], stack.known[level], stack.tests[level]
    n_tests = frame["n_tests"]
    for test in range(n_tests - 1, -1, -1):
        is_last = test == n_tests - 1 or tests[test + 1]["first"] != tests[test]["first"]
        tests[test]["end"] = test + 1 if is_last else tests[test + 1]["end"]
        tests[test]["has_stumps"] = 0
    for test in range(n_tests):
        cost = known[test, 0, 0] + known[test, 1, 0]
        frame["stump"] = min(frame["stump"], cost)
        _take_if_better(frame, test, 0, 0, cost)
    frame["pair"] = frame["stump"]
    spare = frame["stump"] if stack.registers[0]["spares_weight"] else 0
    for test in range(n_tests):
        weight = tests[test]["passing"]
        known[test, 0, 1] = max(0, spare - (frame["weight"] - weight))
        known[test, 1, 1] = max(0, spare - weight)
        for more in range(2, frame["k"]):
            known[test, 0, more], known[test, 1, more] = 0, 0
    _middle_first(tests, n_tests)


@lean
def _middle_first(tests: Records, n_tests: int) -> None:
    """Rank the tests, thresholds from the middle outwards, so that bounds rule out most of the others."""
    n_ranked, test = 0, 0
    while test < n_tests:
        n = tests[test]["end"] - tests[test]["first"]
        step = 1
        while 2 * step <= n:
            step *= 2
        while step > 0:
            for place in range(step, n + 1, 2 * step):
                tests[n_ranked]["ranked"] = test + place - 1
                n_ranked += 1
            step //= 2
        test += n


@lean
def _next_first_test(stack: Stack, memory: Memory, level: int) -> int:
    """Return the next first test of two, or of three in depth two, to try.

    After the last one, finish or continue with more tests, and return NO_TEST.
    """
    frame, k, depth = stack.frame[level], stack.frame[level]["k"], stack.frame[level]["depth"]
    while frame["at"] < frame["n_tests"] and k > 1:
        test = stack.tests[level, frame["at"]]["ranked"]
        frame["at"] += 1
        branch = stack.known[level, test]
        pair = min(branch[0, 1] + branch[1, 0], branch[0, 0] + branch[1, 1])
        is_pair = pair < frame["pair"] if depth > 2 else k == 2 and pair < frame["best"]
        if is_pair or (k != 2 and branch[0, 1] + branch[1, 1] < frame["best"]):
            return int(test)
    if depth <= 2 or frame["best"] == 0:
        finish(stack, memory, level)
    else:
        _rank(stack.tests[level], stack.known[level], frame["n_tests"])
        frame["state"] = SHARES
        _begin_shares(stack, level, 3, frame["pair"])
    return NO_TEST


@lean
def _take_pairs(stack: Stack, level: int, test: int) -> None:
    """Compare the best trees with a first test and one or two others, whose costs are known now."""
    frame, branch = stack.frame[level], stack.known[level, test]
    _spread(stack, level, test, 1)
    frame["pair"] = min(frame["pair"], branch[0, 1] + branch[1, 0], branch[0, 0] + branch[1, 1])
    _take_if_better(frame, test, 1, 0, branch[0, 1] + branch[1, 0])
    _take_if_better(frame, test, 0, 1, branch[0, 0] + branch[1, 1])
    if frame["k"] > 2:
        _take_if_better(frame, test, 1, 1, branch[0, 1] + branch[1, 1])


@lean
def _take_if_better(frame: np.void, test: int, n_left: int, n_right: int, cost: int) -> None:
    if cost < frame["best"]:
        frame["best"], frame["test"], frame["n_left"], frame["n_right"] = cost, test, n_left, n_right


@lean
def _rank(tests: Records, known: Ints, n_tests: int) -> None:
    """Sort the tests by the known cost of their branches with one test each."""
    for rank in range(1, n_tests):
        test = tests[rank]["ranked"]
        cost, at = known[test, 0, 1] + known[test, 1, 1], rank
        while at > 0:
            other = tests[at - 1]["ranked"]
            if known[other, 0, 1] + known[other, 1, 1] <= cost:
                break
            tests[at]["ranked"] = other
            at -= 1
        tests[at]["ranked"] = test


@lean
def _begin_shares(stack: Stack, level: int, j: int, fewer: int) -> None:
    """Start the search for trees of j tests; the best tree with fewer tests costs ``fewer``."""
    frame, known = stack.frame[level], stack.known[level]
    if stack.registers[0]["spares_weight"]:
        for test in range(frame["n_tests"]):
            passing = stack.tests[level, test]["passing"]
            known[test, 0, j - 1] = max(known[test, 0, j - 1], fewer - (frame["weight"] - passing))
            known[test, 1, j - 1] = max(known[test, 1, j - 1], fewer - passing)
    frame["j"], frame["at"], frame["share"], frame["side"] = j, 0, 0, 0
    if j == frame["k"] and frame["best"] > frame["limit"]:
        frame["best"], frame["test"] = frame["limit"], NO_TEST


@inlined
def _least_cost(branch: Ints, j: int, most: int) -> int:
    """Return a lower bound for a first test and j - 1 others, at most ``most`` of them in a branch."""
    least = IMPOSSIBLE
    for n_left in range(max(0, j - 1 - most), min(most, j - 1) + 1):
        least = min(least, branch[0, n_left] + branch[1, j - 1 - n_left])
    return least


@lean
def _share(frame: np.void) -> tuple[int, int, int]:
    """Return the numbers of tests of both branches, and the branch to solve next.

    Even distributions come first, and the branch with fewer tests.
    """
    j, share = frame["j"], frame["share"]
    n_left = (j - 1) // 2 + ((share + 1) // 2 if share % 2 == 1 else -(share // 2))
    n_right = j - 1 - n_left
    return n_left, n_right, frame["side"] if n_left <= n_right else 1 - frame["side"]


@lean
def _next_branch(stack: Stack, memory: Memory, level: int) -> tuple[int, int, int]:
    """Return the test, side and number of tests of the next branch that has to be solved.

    After the last one, finish or continue with more tests, and return no tests.
    """
    frame = stack.frame[level]
    j, most = frame["j"], (1 << min(30, frame["depth"] - 1)) - 1
    while frame["at"] < frame["n_tests"] and frame["best"] > 0:
        test = stack.tests[level, frame["at"]]["ranked"]
        branch = stack.known[level, test]
        if frame["share"] == j or (frame["share"] == 0 and _least_cost(branch, j, most) >= frame["best"]):
            for more in range(2, j):
                _spread(stack, level, test, more)
            tests = stack.tests[level]
            stack.registers[0]["steps"] += j * (tests[test]["end"] - tests[test]["first"])
            frame["at"], frame["share"], frame["side"] = frame["at"] + 1, 0, 0
            continue
        n_left, n_right, side = _share(frame)
        cost = branch[0, n_left] + branch[1, n_right]
        if max(n_left, n_right) > most or cost >= frame["best"] or frame["side"] == 2:
            if max(n_left, n_right) <= most:
                _take_if_better(frame, test, n_left, n_right, cost)
            frame["share"], frame["side"] = frame["share"] + 1, 0
            continue
        n = n_left if side == 0 else n_right
        if n > 1 or (n == 1 and not stack.tests[level, test]["has_stumps"]):
            return test, side, n
        frame["side"] += 1
    if j == frame["k"] or frame["best"] == 0:
        finish(stack, memory, level)
    else:
        _begin_shares(stack, level, j + 1, frame["best"])
    return 0, 0, 0


@lean
def _request(stack: Stack, level: int, test: int, side: int, n: int) -> None:
    """Push a branch of a test, with ``n`` tests, onto the stack."""
    frame, below, passing = stack.frame[level], stack.frame[level + 1], stack.tests[level, test]["passing"]
    below["state"], below["k"], below["depth"] = ENTER, n, min(n, frame["depth"] - 1)
    below["limit"] = frame["best"] - stack.known[level, test, 1 - side, frame["j"] - 1 - n]
    below["leaf_cost"] = stack.known[level, test, side, 0]
    below["weight"] = passing if side == 0 else frame["weight"] - passing
    for column in range(stack.here.shape[1]):
        number = stack.numbers[level, test, column]
        stack.here[level + 1, column] = number if side == 0 else stack.here[level, column] - number
    frame["state"], stack.registers[0]["level"] = AWAIT, level + 1


@lean
def _note_answer(stack: Stack, level: int) -> None:
    """Store the cost of a requested branch, which is also a lower bound for fewer tests."""
    frame, cost = stack.frame[level], stack.registers[0]["cost"]
    n_left, n_right, side = _share(frame)
    branch = stack.known[level, stack.tests[level, frame["at"]]["ranked"], side]
    for fewer in range((n_left if side == 0 else n_right) + 1):
        branch[fewer] = max(branch[fewer], cost)
    frame["state"], frame["side"] = SHARES, frame["side"] + 1


@lean
def _spread(stack: Stack, level: int, test: int, more: int) -> None:
    """Bound the branches of an attribute's other thresholds by those of one threshold.

    The cost only grows with the set: the instances that pass a lower threshold also pass a higher one. And
    moving a threshold over some instances saves at most their weight. (Both as in Brita, van
    der Linden and Demirovic, "Optimal classification trees for continuous feature data using dynamic
    programming with branch-and-bound", 2025.)
    """
    if stack.registers[0]["min_leaf"] > 1:
        return
    known, tests, has_weight = stack.known[level], stack.tests[level], stack.registers[0]["spares_weight"]
    left, right, mine = known[test, 0, more], known[test, 1, more], tests[test]["passing"]
    for other in range(tests[test]["first"], test):
        known[other, 1, more] = max(known[other, 1, more], right)
        if has_weight:
            known[other, 0, more] = max(known[other, 0, more], left - (mine - tests[other]["passing"]))
    for other in range(test + 1, tests[test]["end"]):
        known[other, 0, more] = max(known[other, 0, more], left)
        if has_weight:
            known[other, 1, more] = max(known[other, 1, more], right - (tests[other]["passing"] - mine))


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
