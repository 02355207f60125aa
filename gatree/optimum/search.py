"""Search for the cheapest tree of at most k tests and a maximum depth, step by step.

A frame of the stack is a set of instances and a number of tests. First, every test is tried as the first of
two: that solves all trees of depth two, and bounds the branches of all others. Then trees of 3, 4, ... tests
are searched for: every first test with every distribution of the other tests over its branches, unless bounds
rule it out. Branches with two or more tests are separate frames.

The whole state is in arrays, so the search can stop after some steps and resume. All loops over tests and
instances count their steps; those that may be long are divided into parts, and stop between them. The loops
over the states exist twice: for sets of bits (bits.py), and for sorted instances (walks.py).
"""

from __future__ import annotations

import numpy as np

from gatree.kernels.decorators import lean
from gatree.optimum.bits import BitSets
from gatree.optimum.bits import find_stumps as find_stumps_in_bits
from gatree.optimum.bits import find_tests as find_tests_in_bits
from gatree.optimum.bits import select as select_bits
from gatree.optimum.problem import IMPOSSIBLE, Ints
from gatree.optimum.stack import (
    AWAIT,
    ENTER,
    FIND,
    LOOK,
    NO_TEST,
    RANK,
    SELECT,
    SHARES,
    STUMPS,
    Memory,
    Records,
    Stack,
    finish,
    leave,
    recall,
    similar_bound,
)
from gatree.optimum.walks import SortedSets
from gatree.optimum.walks import find_stumps as find_stumps_in_walks
from gatree.optimum.walks import find_tests as find_tests_in_walks
from gatree.optimum.walks import select as select_walks

_BOUNDED, _MERGED = 8, 6  # steps to bound and rank a test, and to merge one


@lean
def run_bits(sets: BitSets, stack: Stack, memory: Memory, until: int) -> bool:
    """Resume a search on sets of bits up to a number of steps; return whether it is finished."""
    registers = stack.registers[0]
    while registers["level"] > 0:
        if registers["steps"] >= until:
            return False
        level = registers["level"]
        state = stack.frame[level]["state"]
        if state == SELECT:
            select_bits(sets, stack, level)
        elif state == FIND:
            if find_tests_in_bits(sets, stack, level, until):
                _bound_tests(stack, level)
        elif state == STUMPS:
            if find_stumps_in_bits(sets, stack, level, until):
                _take_stumps(stack, level)
        else:
            _advance(stack, memory, level, until)
    return True


@lean
def run_walks(sets: SortedSets, stack: Stack, memory: Memory, until: int) -> bool:
    """Resume a search on sorted instances up to a number of steps; return whether it is finished."""
    registers = stack.registers[0]
    while registers["level"] > 0:
        if registers["steps"] >= until:
            return False
        level = registers["level"]
        state = stack.frame[level]["state"]
        if state == SELECT:
            select_walks(sets, stack, level)
        elif state == FIND:
            if find_tests_in_walks(sets, stack, level, until):
                _bound_tests(stack, level)
        elif state == STUMPS:
            if find_stumps_in_walks(sets, stack, level, until):
                _take_stumps(stack, level)
        else:
            _advance(stack, memory, level, until)
    return True


@lean
def _advance(stack: Stack, memory: Memory, level: int, until: int) -> None:
    """Continue with a frame in a state that does not look at its instances."""
    state = stack.frame[level]["state"]
    if state == ENTER:
        _answer(stack, memory, level)
    elif state == LOOK:
        _next_first_test(stack, memory, level, until)
    elif state == RANK:
        if _rank(stack, level):
            stack.frame[level]["state"] = SHARES
            _begin_shares(stack, level, 3, stack.frame[level]["pair"])
    elif state == SHARES:
        _next_branch(stack, memory, level, until)
    else:
        _note_answer(stack, level)


@lean
def _answer(stack: Stack, memory: Memory, level: int) -> None:
    """Answer a request immediately if possible, else prepare its frame."""
    frame = stack.frame[level]
    n, leaf, k, depth, limit = frame["n"], frame["leaf_cost"], frame["k"], frame["depth"], frame["limit"]
    stack.registers[0]["steps"] += stack.bits.shape[1]
    if leaf == 0 or k == 0 or n < 2 * stack.registers[0]["min_leaf"]:
        leave(stack, level, leaf, NO_TEST, 0)
        return
    if recall(stack, memory, level):
        return
    bound = similar_bound(stack, memory, level)
    if bound >= limit:
        leave(stack, level, bound, NO_TEST, 0)
        return
    frame["state"], frame["part"], frame["n_tests"], frame["at"], frame["j"] = FIND, 0, 0, 0, 2
    frame["best"] = leaf if k > 3 and depth > 2 else min(leaf, limit)  # smaller trees are all solved exactly
    frame["test"], frame["n_left"], frame["n_right"], frame["stump"] = NO_TEST, 0, 0, leaf


@lean
def _bound_tests(stack: Stack, level: int) -> None:
    """Find the best first test alone, bound the branches of all, and rank the tests."""
    frame, known, tests = stack.frame[level], stack.known[level], stack.tests[level]
    n_tests = frame["n_tests"]
    stack.registers[0]["steps"] += n_tests * (frame["k"] + _BOUNDED)
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
    frame["state"] = LOOK


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
def _next_first_test(stack: Stack, memory: Memory, level: int, until: int) -> None:
    """Find the next first test of two, or of three in depth two, to try; after the last one, continue."""
    registers, frame = stack.registers[0], stack.frame[level]
    k, depth = frame["k"], frame["depth"]
    while frame["at"] < frame["n_tests"] and k > 1:
        if registers["steps"] >= until:
            return
        registers["steps"] += 2
        test = stack.tests[level, frame["at"]]["ranked"]
        frame["at"] += 1
        branch = stack.known[level, test]
        pair = min(branch[0, 1] + branch[1, 0], branch[0, 0] + branch[1, 1])
        is_pair = pair < frame["pair"] if depth > 2 else k == 2 and pair < frame["best"]
        if is_pair or (k != 2 and branch[0, 1] + branch[1, 1] < frame["best"]):
            frame["state"], frame["asked"], frame["part"] = STUMPS, test, 0
            return
    if depth <= 2 or frame["best"] == 0:
        finish(stack, memory, level)
    else:
        frame["state"], frame["part"] = RANK, 1


@lean
def _take_stumps(stack: Stack, level: int) -> None:
    """Compare the best trees with a first test and one or two others, whose costs are known now."""
    frame, test = stack.frame[level], stack.frame[level]["asked"]
    stack.tests[level, test]["has_stumps"] = 1
    if frame["j"] > 2:
        frame["state"] = SHARES
        return
    branch = stack.known[level, test]
    _spread(stack, level, test, 1)
    frame["pair"] = min(frame["pair"], branch[0, 1] + branch[1, 0], branch[0, 0] + branch[1, 1])
    _take_if_better(frame, test, 1, 0, branch[0, 1] + branch[1, 0])
    _take_if_better(frame, test, 0, 1, branch[0, 0] + branch[1, 1])
    if frame["k"] > 2:
        _take_if_better(frame, test, 1, 1, branch[0, 1] + branch[1, 1])
    frame["state"] = LOOK


@lean
def _take_if_better(frame: np.void, test: int, n_left: int, n_right: int, cost: int) -> None:
    if cost < frame["best"]:
        frame["best"], frame["test"], frame["n_left"], frame["n_right"] = cost, test, n_left, n_right


@lean
def _rank(stack: Stack, level: int) -> bool:
    """Merge the runs of tests that are sorted by the known cost of their branches with one test each.

    ``part`` is the length of the runs; tests of equal cost keep their order. Return whether one run is left.
    """
    frame, tests, known = stack.frame[level], stack.tests[level], stack.known[level]
    n_tests, length = frame["n_tests"], frame["part"]
    for begin in range(0, n_tests - length, 2 * length):
        left, middle, end = begin, begin + length, min(begin + 2 * length, n_tests)
        right = middle
        for rank in range(begin, end):
            one = tests[min(left, n_tests - 1)]["ranked"]
            other = tests[min(right, n_tests - 1)]["ranked"]
            is_left = right == end or (
                left < middle
                and known[one, 0, 1] + known[one, 1, 1] <= known[other, 0, 1] + known[other, 1, 1]
            )
            tests[rank]["merged"] = one if is_left else other
            left, right = left + is_left, right + (not is_left)
        for rank in range(begin, end):
            tests[rank]["ranked"] = tests[rank]["merged"]
    stack.registers[0]["steps"] += _MERGED * n_tests
    frame["part"] = 2 * length
    return bool(frame["part"] >= n_tests)


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
    stack.registers[0]["steps"] += frame["n_tests"]


@lean
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
def _next_branch(stack: Stack, memory: Memory, level: int, until: int) -> None:
    """Request the next branch that has to be solved; after the last one, finish, or allow another test."""
    registers, frame = stack.registers[0], stack.frame[level]
    j, most = frame["j"], (1 << min(30, frame["depth"] - 1)) - 1
    while frame["at"] < frame["n_tests"] and frame["best"] > 0:
        if registers["steps"] >= until:
            return
        registers["steps"] += j
        test = stack.tests[level, frame["at"]]["ranked"]
        branch = stack.known[level, test]
        if frame["share"] == j or (frame["share"] == 0 and _least_cost(branch, j, most) >= frame["best"]):
            for more in range(2, j):
                _spread(stack, level, test, more)
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
        if n > 1:
            _request(stack, level, test, side, n)
            return
        if n == 1 and not stack.tests[level, test]["has_stumps"]:
            frame["state"], frame["asked"], frame["part"] = STUMPS, test, 0
            return
        frame["side"] += 1
    if j == frame["k"] or frame["best"] == 0:
        finish(stack, memory, level)
    else:
        _begin_shares(stack, level, j + 1, frame["best"])


@lean
def _request(stack: Stack, level: int, test: int, side: int, n: int) -> None:
    """Push a branch of a test, with ``n`` tests, onto the stack."""
    frame, below, passing = stack.frame[level], stack.frame[level + 1], stack.tests[level, test]["passing"]
    below["state"], below["k"], below["depth"] = SELECT, n, min(n, frame["depth"] - 1)
    below["limit"] = frame["best"] - stack.known[level, test, 1 - side, frame["j"] - 1 - n]
    below["leaf_cost"] = stack.known[level, test, side, 0]
    below["weight"] = passing if side == 0 else frame["weight"] - passing
    for column in range(stack.here.shape[1]):
        number = stack.numbers[level, test, column]
        stack.here[level + 1, column] = number if side == 0 else stack.here[level, column] - number
    frame["state"], frame["asked"], frame["asked_side"] = AWAIT, test, side
    stack.registers[0]["level"] = level + 1


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
    programming with branch-and-bound", 2025.) So the bounds of an attribute's thresholds are always in order:
    where one of them is no weaker, those beyond it are not either.
    """
    if stack.registers[0]["min_leaf"] > 1:
        return
    known, tests, has_weight = stack.known[level], stack.tests[level], stack.registers[0]["spares_weight"]
    left, right, mine = known[test, 0, more], known[test, 1, more], tests[test]["passing"]
    n_reached = 1
    for other in range(test - 1, tests[test]["first"] - 1, -1):
        least = left - (mine - tests[other]["passing"]) if has_weight else 0
        if known[other, 1, more] >= right and known[other, 0, more] >= least:
            break
        known[other, 1, more] = max(known[other, 1, more], right)
        known[other, 0, more] = max(known[other, 0, more], least)
        n_reached += 1
    for other in range(test + 1, tests[test]["end"]):
        least = right - (tests[other]["passing"] - mine) if has_weight else 0
        if known[other, 0, more] >= left and known[other, 1, more] >= least:
            break
        known[other, 0, more] = max(known[other, 0, more], left)
        known[other, 1, more] = max(known[other, 1, more], least)
        n_reached += 1
    stack.registers[0]["steps"] += 2 * n_reached
