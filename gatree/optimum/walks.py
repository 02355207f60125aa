"""Sets of instances as lists, in the order of every attribute's codes: for many thresholds and for numbers.

The list of a set is selected from that of the set above it, so nothing is sorted twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import U, lean
from gatree.kernels.words import WORD
from gatree.optimum.bits import NONE, ONE, is_mirror
from gatree.optimum.problem import Ints, OptimumProblem
from gatree.optimum.stack import ENTER, Stack, end_of_part
from gatree.trees.genome import passes

_ATTRIBUTE, _VALUE = range(2)
_PLACE, _CLASS, _TARGET = range(3)


class SortedSets(NamedTuple):
    """The instances, for kernels."""

    order: NDArray[np.int32]  # [level, attribute, rank]: the instances of the set by increasing code
    codes: NDArray[np.integer]  # [attribute, instance]
    n_tests: NDArray[np.int32]  # [attribute]
    first: Ints  # [attribute]: its first test
    is_numeric: NDArray[np.bool_]  # [attribute]
    about: NDArray[np.int32]  # [(attribute, value), test]
    instances: Ints  # [(bit, class, number), instance]
    has_target: bool  # whether the target is numeric
    seen: Ints  # [part, column]
    passes: NDArray[np.bool_]  # [instance]


def sorted_sets(problem: OptimumProblem, n_levels: int) -> SortedSets:
    """Return the instances of a data set, with memory for a search."""
    cases, n = problem.cases, len(problem.place)
    order = np.zeros((n_levels, *cases.order.shape), dtype=np.int32)
    order[0] = cases.order
    target = problem.target if problem.has_target else np.zeros(n, dtype=np.int64)
    return SortedSets(
        order=order,
        codes=cases.codes,
        n_tests=cases.n_tests,
        first=np.cumsum(cases.n_tests, dtype=np.int64) - cases.n_tests,
        is_numeric=cases.is_numeric,
        about=np.stack([problem.attribute, problem.value]),
        instances=np.stack([problem.place, cases.classes, target]).astype(np.int64),
        has_target=problem.has_target,
        seen=np.zeros((3, 3 if problem.has_target else len(problem.worth)), dtype=np.int64),
        passes=np.zeros(n, dtype=np.bool_),
    )


@lean
def _count_of(sets: SortedSets, numbers: Ints) -> int:
    """Return the number of instances of a set."""
    if sets.has_target:
        return int(numbers[0])
    total = 0
    for label in range(len(numbers)):
        total += numbers[label]
    return total


@lean
def _weight_and_cost(sets: SortedSets, worth: Ints, numbers: Ints) -> tuple[int, int]:
    """Return the weight of a set, zero for a numeric target, and its cost as a leaf."""
    if sets.has_target:
        if numbers[0] == 0:
            return 0, 0
        total = float(numbers[1])
        return 0, int(numbers[2] - int(total * total / numbers[0]))
    total_weight, most = 0, 0
    for label in range(len(worth)):
        weight = numbers[label] * worth[label]
        total_weight += weight
        most = max(most, weight)
    return total_weight, total_weight - most


@lean
def _add(sets: SortedSets, part: int, instance: int) -> None:
    """Add an instance to the numbers of its part."""
    seen = sets.seen
    if sets.has_target:
        target = sets.instances[U(_TARGET), U(instance)]
        seen[U(part), U(0)] += 1
        seen[U(part), U(1)] += target
        seen[U(part), U(2)] += target * target
    else:
        seen[U(part), U(sets.instances[U(_CLASS), U(instance)])] += 1


@lean
def _clear(seen: Ints) -> None:
    for part in range(seen.shape[0]):
        for column in range(seen.shape[1]):
            seen[part, column] = 0


@lean
def find_tests(sets: SortedSets, stack: Stack, level: int, until: int) -> bool:
    """Find the tests that split the set, in the order of every attribute's codes; return whether it is all.

    Compute the weight of each test's passing instances, and the cost of both branches as leaves.
    """
    frame, n_attributes = stack.frame[level], sets.order.shape[1]
    n_steps = 2 * stack.frame[level - 1]["n"] + 3 * frame["n"]
    begin, end = frame["part"], end_of_part(stack, frame["part"], n_attributes, n_steps, until)
    for attribute in range(begin, end):
        _sort_members(sets, stack, level, attribute)
        _find_tests_of(sets, stack, level, attribute)
    stack.registers[0]["steps"] += (end - begin) * n_steps
    frame["part"] = end
    return bool(end == n_attributes)


@lean
def _sort_members(sets: SortedSets, stack: Stack, level: int, attribute: int) -> None:
    """Select the sorted instances of the set from those of the previous frame."""
    bits, here, found = stack.bits[level], stack.frame[level]["n"], 0
    for rank in range(stack.frame[level - 1]["n"]):
        instance = sets.order[U(level - 1), U(attribute), U(rank)]
        place = sets.instances[U(_PLACE), U(instance)]
        if (bits[U(place // WORD)] >> np.uint64(place % WORD)) & ONE:
            sets.order[U(level), U(attribute), U(found)] = instance
            found += 1
            if found == here:
                break


@lean
def _find_tests_of(sets: SortedSets, stack: Stack, level: int, attribute: int) -> None:
    """Find the tests of an attribute that split the set, and append them to those of the frame."""
    frame, seen, numbers, tests = stack.frame[level], sets.seen, stack.numbers[level], stack.tests[level]
    here, n, least, n_kept = stack.here[level], frame["n"], stack.registers[0]["min_leaf"], frame["n_tests"]
    order, codes = sets.order[level, attribute], sets.codes[attribute]
    n_tests, is_numeric = sets.n_tests[attribute], sets.is_numeric[attribute]
    first, last = n_kept, 0
    _clear(seen)
    for rank in range(n):
        code = codes[order[rank]]
        if code >= n_tests:
            break
        _add(sets, 0, order[rank])
        if rank + 1 < n and codes[order[rank + 1]] == code:
            continue
        passing = _count_of(sets, seen[0])
        mirrors = not is_numeric and is_mirror(last, passing, n)
        last = passing
        if min(passing, n - passing) >= least and not mirrors:
            for column in range(len(here)):
                numbers[n_kept, column] = seen[0, column]
                seen[1, column] = here[column] - seen[0, column]
            weight, cost = _weight_and_cost(sets, stack.worth, seen[0])
            _, other_cost = _weight_and_cost(sets, stack.worth, seen[1])
            stack.known[level, n_kept, 0, 0], stack.known[level, n_kept, 1, 0] = cost, other_cost
            tests[n_kept]["name"], tests[n_kept]["passing"] = sets.first[attribute] + code, weight
            tests[n_kept]["first"] = first if is_numeric else n_kept
            n_kept += 1
        if not is_numeric:
            _clear(seen)
    frame["n_tests"] = n_kept


@lean
def find_stumps(sets: SortedSets, stack: Stack, level: int, until: int) -> bool:
    """Compute the cost of both branches of a test with one more test each; return whether it is computed."""
    frame, n_attributes = stack.frame[level], sets.order.shape[1]
    n_steps = 6 * frame["n"]
    begin, end = frame["part"], end_of_part(stack, frame["part"], n_attributes, n_steps, until)
    if begin == 0:
        _start_stumps(sets, stack, level)
    for attribute in range(begin, end):
        _find_stumps_of(sets, stack, level, attribute)
    stack.registers[0]["steps"] += (end - begin) * n_steps
    frame["part"] = end
    return bool(end == n_attributes)


@lean
def _start_stumps(sets: SortedSets, stack: Stack, level: int) -> None:
    """Note which instances pass the test, and the cost of its branches as leaves."""
    test = stack.frame[level]["asked"]
    known, name = stack.known[level, test], stack.tests[level, test]["name"]
    own, value = sets.about[_ATTRIBUTE, name], sets.about[_VALUE, name]
    for rank in range(stack.frame[level]["n"]):
        instance = sets.order[level, own, rank]
        sets.passes[instance] = passes(sets.codes[own, instance], value, sets.is_numeric[own])
    known[0, 1], known[1, 1] = known[0, 0], known[1, 0]


@lean
def _find_stumps_of(sets: SortedSets, stack: Stack, level: int, attribute: int) -> None:
    """Try the tests of an attribute in both branches of a test."""
    seen, n, least = sets.seen, stack.frame[level]["n"], stack.registers[0]["min_leaf"]
    test = stack.frame[level]["asked"]
    known, here, numbers = stack.known[level, test], stack.here[level], stack.numbers[level, test]
    order, codes = sets.order[level, attribute], sets.codes[attribute]
    n_tests, is_numeric = sets.n_tests[attribute], sets.is_numeric[attribute]
    _clear(seen)
    touched_0, touched_1 = False, False
    for rank in range(n):
        instance = order[U(rank)]
        code = codes[U(instance)]
        if code >= n_tests:
            break
        if sets.passes[U(instance)]:
            _add(sets, 0, instance)
            touched_0 = True
        else:
            _add(sets, 1, instance)
            touched_1 = True
        if rank + 1 < n and codes[U(order[U(rank + 1)])] == code:
            continue
        for side in range(2):
            if touched_1 if side == 1 else touched_0:
                for column in range(len(here)):
                    total = here[column] - numbers[column] if side == 1 else numbers[column]
                    seen[2, column] = total - seen[side, column]
                if min(_count_of(sets, seen[side]), _count_of(sets, seen[2])) >= least:
                    _, cost = _weight_and_cost(sets, stack.worth, seen[side])
                    _, other_cost = _weight_and_cost(sets, stack.worth, seen[2])
                    known[side, 1] = min(known[side, 1], cost + other_cost)
        touched_0, touched_1 = False, False
        if not is_numeric:
            _clear(seen)


@lean
def select(sets: SortedSets, stack: Stack, level: int) -> None:
    """Write the set of the branch that the previous frame asks for."""
    above = stack.frame[level - 1]
    name, side, bits = stack.tests[level - 1, above["asked"]]["name"], above["asked_side"], stack.bits[level]
    n_above, n = above["n"], 0
    attribute, value = sets.about[_ATTRIBUTE, name], sets.about[_VALUE, name]
    for word in range(len(bits)):
        bits[word] = NONE
    for rank in range(n_above):
        instance = sets.order[level - 1, attribute, rank]
        if passes(sets.codes[attribute, instance], value, sets.is_numeric[attribute]) == (side == 0):
            place = sets.instances[_PLACE, instance]
            bits[place // WORD] |= ONE << np.uint64(place % WORD)
            n += 1
    stack.frame[level]["n"], stack.frame[level]["state"] = n, ENTER
    stack.registers[0]["steps"] += n_above
