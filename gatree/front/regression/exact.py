"""Find the best trees of one and two tests by squared error, and of three in two levels, by trying all.

Every first test is tried. One pass over an attribute's sorted instances then finds the best second test on
both sides of it.
"""

from __future__ import annotations

import math

from gatree.front.draft import ATTRIBUTE, VALUE, Draft, set_spans
from gatree.front.regression.grow import explained_by
from gatree.front.regression.numbers import Numbers
from gatree.front.regression.room import Bench, Room
from gatree.kernels.decorators import inlined, lean
from gatree.trees.genome import LEAF

MOST_TESTS = 2
"""Trees of up to this number of tests are proven to be optimal if `two_levels` was called."""

Side = tuple[float, int, int]
"""The maximum that a second test explains on one side of the first, its attribute and its value."""


def steps_of(numbers: Numbers) -> int:
    """Return an estimate of the number of steps that `two_levels` takes."""
    return 2 * int(numbers.cases.n_tests.sum()) * int(numbers.cases.codes.size)


@inlined
def _side(numbers: Numbers, n: int, total: int, n_passing: int, passing: int, best: Side, test: Side) -> Side:
    """Return the better of two second tests, given the number and sum of those that pass the new one."""
    n_failing = n - n_passing
    if n_passing < numbers.min_leaf or n_failing < numbers.min_leaf:
        return best
    explained = explained_by(passing, n_passing) + explained_by(total - passing, n_failing)
    return (explained, test[1], test[2]) if explained > best[0] else best


@lean
def second_tests(
    numbers: Numbers, room: Room, n_left: int, left: int, n_right: int, right: int
) -> tuple[Side, Side]:
    """Return the best second tests on both sides of the first one, given who passes it (``room.passes``).

    ``left`` and ``right`` are the sums of both sides.
    """
    cases, n = numbers.cases, len(numbers.target)
    best_left, best_right = (-math.inf, LEAF, 0), (-math.inf, LEAF, 0)
    for attribute in range(len(cases.codes)):
        numeric, n_tests = cases.is_numeric[attribute], cases.n_tests[attribute]
        n_seen_left, seen_left, n_seen_right, seen_right = 0, 0, 0, 0
        for rank in range(n):
            instance = cases.order[attribute, rank]
            code, number = cases.codes[attribute, instance], numbers.target[instance]
            if code == n_tests:
                break
            if room.passes[instance]:
                n_seen_left, seen_left = n_seen_left + 1, seen_left + number
            else:
                n_seen_right, seen_right = n_seen_right + 1, seen_right + number
            if rank + 1 < n and cases.codes[attribute, cases.order[attribute, rank + 1]] == code:
                continue
            test = (0.0, attribute, code)
            best_left = _side(numbers, n_left, left, n_seen_left, seen_left, best_left, test)
            best_right = _side(numbers, n_right, right, n_seen_right, seen_right, best_right, test)
            if not numeric:
                n_seen_left, seen_left, n_seen_right, seen_right = 0, 0, 0, 0
    return best_left, best_right


@lean
def _write(draft: Draft, at: int, attribute: int, value: int) -> int:
    """Write a leaf, or a test with two leaves; return where it ends."""
    draft[ATTRIBUTE, at], draft[VALUE, at] = attribute, value if attribute != LEAF else 0
    if attribute != LEAF:
        for leaf in (at + 1, at + 2):
            draft[ATTRIBUTE, leaf], draft[VALUE, leaf] = LEAF, 0
        return at + 3
    return at + 1


@lean
def two_levels(bench: Bench) -> tuple[bool, bool]:
    """Write the best trees of two tests, and of three in two levels, into the first two drafts.

    Return whether there are such trees.
    """
    numbers, room, cases = bench.numbers, bench.room, bench.numbers.cases
    n, total = len(numbers.target), 0
    for instance in range(n):
        total += numbers.target[instance]
    of_two, of_three = -math.inf, -math.inf
    for attribute in range(len(cases.codes)):
        numeric, n_tests = cases.is_numeric[attribute], cases.n_tests[attribute]
        for instance in range(n):
            room.passes[instance] = False
        n_left, left, rank = 0, 0, 0
        while rank < n:
            code = cases.codes[attribute, cases.order[attribute, rank]]
            if code == n_tests:
                break
            first = rank
            while rank < n and cases.codes[attribute, cases.order[attribute, rank]] == code:
                instance = cases.order[attribute, rank]
                room.passes[instance] = True
                n_left, left, rank = n_left + 1, left + numbers.target[instance], rank + 1
            n_right, right = n - n_left, total - left
            if n_left >= numbers.min_leaf and n_right >= numbers.min_leaf:
                below, above = second_tests(numbers, room, n_left, left, n_right, right)
                one, other = explained_by(left, n_left), explained_by(right, n_right)
                if max(below[0] + other, one + above[0]) > of_two:
                    of_two = max(below[0] + other, one + above[0])
                    is_left = below[0] + other >= one + above[0]
                    at = _root(bench.one, attribute, code)
                    at = _write(bench.one, at, below[1] if is_left else LEAF, below[2])
                    at = _write(bench.one, at, LEAF if is_left else above[1], above[2])
                if below[0] + above[0] > of_three:
                    of_three = below[0] + above[0]
                    at = _write(bench.other, _root(bench.other, attribute, code), below[1], below[2])
                    at = _write(bench.other, at, above[1], above[2])
            if not numeric:
                for place in range(first, rank):
                    room.passes[cases.order[attribute, place]] = False
                n_left, left = 0, 0
    set_spans(bench.one, 5 if of_two > -math.inf else 0)
    set_spans(bench.other, 7 if of_three > -math.inf else 0)
    return of_two > -math.inf, of_three > -math.inf


@lean
def _root(draft: Draft, attribute: int, value: int) -> int:
    draft[ATTRIBUTE, 0], draft[VALUE, 0] = attribute, value
    return 1
