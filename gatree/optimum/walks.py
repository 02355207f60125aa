"""Sets of instances as lists, in the order of every attribute's codes: for many thresholds and for numbers.

The list of a set is selected from that of the set above it, so nothing is sorted twice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import U, inlined, lean
from gatree.kernels.words import WORD
from gatree.optimum.bits import NONE, ONE, is_mirror
from gatree.optimum.problem import Ints, OptimumProblem
from gatree.optimum.stack import Stack
from gatree.trees.genome import passes

_ATTRIBUTE, _VALUE = range(2)
_PLACE, _CLASS, _TARGET = range(3)


class SortedSets(NamedTuple):
    """The instances, for kernels."""

    order: NDArray[np.int32]  # [level, attribute, rank]: the instances of the set by increasing code
    codes: Any  # [attribute, instance]
    n_tests: NDArray[np.int32]  # [attribute]
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
        is_numeric=cases.is_numeric,
        about=np.stack([problem.attribute, problem.value]),
        instances=np.stack([problem.place, cases.classes, target]).astype(np.int64),
        has_target=problem.has_target,
        seen=np.zeros((3, 3 if problem.has_target else len(problem.worth)), dtype=np.int64),
        passes=np.zeros(n, dtype=np.bool_),
    )


@inlined
def _count_of(sets: SortedSets, numbers: Ints) -> int:
    """Return the number of instances of a set."""
    if sets.has_target:
        return int(numbers[0])
    total = 0
    for label in range(len(numbers)):
        total += numbers[label]
    return total


@inlined
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


@inlined
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
def _sort_members(sets: SortedSets, stack: Stack, level: int) -> None:
    """Select the sorted instances of the set from those of the previous frame."""
    bits, here, n_above = stack.bits[level], stack.frame[level]["n"], stack.frame[level - 1]["n"]
    for attribute in range(sets.order.shape[1]):
        found = 0
        for rank in range(n_above):
            instance = sets.order[U(level - 1), U(attribute), U(rank)]
            place = sets.instances[U(_PLACE), U(instance)]
            if (bits[U(place // WORD)] >> np.uint64(place % WORD)) & ONE:
                sets.order[U(level), U(attribute), U(found)] = instance
                found += 1
                if found == here:
                    break
    stack.registers[0]["steps"] += 2 * sets.order.shape[1] * n_above


@lean
def find_tests(sets: SortedSets, stack: Stack, level: int) -> None:
    """Find the tests that split the set, in the order of every attribute's codes.

    Compute the weight of each test's passing instances, and the cost of both branches as leaves.
    """
    _sort_members(sets, stack, level)
    frame, seen, numbers, tests = stack.frame[level], sets.seen, stack.numbers[level], stack.tests[level]
    here, n, least, n_kept, firsts = stack.here[level], frame["n"], stack.registers[0]["min_leaf"], 0, 0
    for attribute in range(sets.order.shape[1]):
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
                tests[n_kept]["name"], tests[n_kept]["passing"] = firsts + code, weight
                tests[n_kept]["first"] = first if is_numeric else n_kept
                n_kept += 1
            if not is_numeric:
                _clear(seen)
        firsts += n_tests
    frame["n_tests"] = n_kept
    stack.registers[0]["steps"] += 3 * sets.order.shape[1] * n


@lean
def find_stumps(sets: SortedSets, stack: Stack, level: int, test: int) -> None:
    """Compute the cost of both branches of a test with one more test each."""
    seen, known, n, least = (
        sets.seen,
        stack.known[level, test],
        stack.frame[level]["n"],
        stack.registers[0]["min_leaf"],
    )
    here, numbers, name = stack.here[level], stack.numbers[level, test], stack.tests[level, test]["name"]
    own, value = sets.about[_ATTRIBUTE, name], sets.about[_VALUE, name]
    for rank in range(n):
        instance = sets.order[level, own, rank]
        sets.passes[instance] = passes(sets.codes[own, instance], value, sets.is_numeric[own])
    known[0, 1], known[1, 1] = known[0, 0], known[1, 0]
    for attribute in range(sets.order.shape[1]):
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
    stack.tests[level, test]["has_stumps"] = 1
    stack.registers[0]["steps"] += 6 * sets.order.shape[1] * n


@lean
def select(sets: SortedSets, stack: Stack, level: int, test: int, side: int) -> None:
    """Write the set that passes a test or, for side 1, the others, to the next level."""
    name, bits = stack.tests[level, test]["name"], stack.bits[level + 1]
    n_here, n = stack.frame[level]["n"], 0
    attribute, value = sets.about[_ATTRIBUTE, name], sets.about[_VALUE, name]
    for word in range(len(bits)):
        bits[word] = NONE
    for rank in range(n_here):
        instance = sets.order[level, attribute, rank]
        if passes(sets.codes[attribute, instance], value, sets.is_numeric[attribute]) == (side == 0):
            place = sets.instances[_PLACE, instance]
            bits[place // WORD] |= ONE << np.uint64(place % WORD)
            n += 1
    stack.frame[level + 1]["n"] = n
    stack.registers[0]["steps"] += n_here
