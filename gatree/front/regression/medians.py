"""Find an attribute's best test for absolute errors, with O(1) updates of the error around the median.

The instances of a node are a linked list in the order of the target. Removing one moves the median by at most
one place, so the errors of both branches of all numeric tests take one pass per branch. The instances with
one value of a nominal attribute are removed and put back.
"""

from __future__ import annotations

import math

from gatree.data.cases import Ints
from gatree.front.regression.numbers import Longs, Numbers
from gatree.front.regression.room import Room
from gatree.kernels.decorators import inlined, lean

Middle = tuple[int, int, int, int, int]
"""The size of a set, the place of its median, the number and the sum of those below it, and the total sum."""


@inlined
def absolute_error(target: Longs, order: Ints, row: int, begin: int, end: int) -> int:
    """Return the absolute error around the median of a segment that is sorted by the target."""
    middle, total = target[order[row, (begin + end) // 2]], 0
    for rank in range(begin, end):
        total += abs(target[order[row, rank]] - middle)
    return total


@lean
def _link(numbers: Numbers, room: Room, begin: int, end: int) -> Middle:
    """Link a segment's instances in the order of the target; return the `Middle` of all."""
    n, row, below, total = end - begin, len(room.order) - 1, 0, 0
    for place in range(1, n + 1):
        instance = room.order[row, begin + place - 1]
        room.place[instance] = place
        room.before[place], room.after[place] = place - 1, place + 1
        number = numbers.target[instance]
        total += number
        if place <= n // 2:
            below += number
    room.after[0], room.before[n + 1] = 1, n
    return n, n // 2 + 1, n // 2, below, total


@inlined
def _error(numbers: Numbers, room: Room, begin: int, middle: Middle) -> int:
    n, place, n_below, below, total = middle
    if n == 0:
        return 0
    number = numbers.target[room.order[len(room.order) - 1, begin + place - 1]]
    return int(total - 2 * below + number * (2 * n_below - n))


@inlined
def _take_out(numbers: Numbers, room: Room, begin: int, instance: int, middle: Middle) -> Middle:
    """Remove an instance from the list; return the `Middle` of the others."""
    n, place, n_below, below, total = middle
    members, own, number = len(room.order) - 1, room.place[instance], numbers.target[instance]
    before, after = room.before[own], room.after[own]
    room.after[before], room.before[after] = after, before
    n, total = n - 1, total - number
    if n == 0:
        return 0, 0, 0, 0, 0
    if own < place:
        n_below, below = n_below - 1, below - number
    if n_below > n // 2 or (own == place and n_below == n):
        place = room.before[place]
        n_below -= 1
        below -= numbers.target[room.order[members, begin + place - 1]]
    elif own == place:
        place = after
    elif n - 1 - n_below > n // 2:
        below += numbers.target[room.order[members, begin + place - 1]]
        n_below += 1
        place = room.after[place]
    return n, place, n_below, below, total


@inlined
def _put_back(room: Room, instance: int) -> None:
    """Put back the instance that was removed last."""
    own = room.place[instance]
    before, after = room.before[own], room.after[own]
    room.after[before], room.before[after] = own, own


@lean
def best_by_medians(
    numbers: Numbers, room: Room, segment: tuple[int, int], attribute: int
) -> tuple[float, int, float]:
    """Return the smallest error of an attribute's tests, negated, the test's value, and its margin."""
    cases, (begin, end) = numbers.cases, segment
    numeric, n_tests, least = cases.is_numeric[attribute], cases.n_tests[attribute], numbers.min_leaf
    best, value, margin = -math.inf, -1, 0.0
    whole = _link(numbers, room, begin, end)
    middle = whole
    room.work[0] += 8 * (end - begin)
    if numeric:
        for rank in range(end - 1, begin - 1, -1):  # cost[k]: the error of the first k
            room.cost[rank + 1 - begin] = _error(numbers, room, begin, middle)
            middle = _take_out(numbers, room, begin, room.order[attribute, rank], middle)
        middle = _link(numbers, room, begin, end)
    first = begin
    while first < end:
        code, last = cases.codes[attribute, room.order[attribute, first]], first
        while last < end and cases.codes[attribute, room.order[attribute, last]] == code:
            middle = _take_out(numbers, room, begin, room.order[attribute, last], middle)
            last += 1
        if code == n_tests:
            break
        n_passing = last - (begin if numeric else first)
        if n_passing >= least and end - begin - n_passing >= least:
            rest = _error(numbers, room, begin, middle)
            if numeric:
                error = room.cost[last - begin] + rest
            else:
                error = absolute_error(numbers.target, room.order, attribute, first, last) + rest
            if -error >= best:
                after = cases.codes[attribute, room.order[attribute, last]] if last < end else n_tests
                here = (after - code if numeric else 1) / n_tests
                if -error > best or here > margin:
                    best, value, margin = float(-error), code, here
        if not numeric:
            for rank in range(last - 1, first - 1, -1):
                _put_back(room, room.order[attribute, rank])
            middle = whole
        first = last
    return best, value, margin
