"""Grow greedy regression trees on codes, as in CART, by the test that lowers the error most."""

from __future__ import annotations

import math

from gatree.front.draft import ATTRIBUTE, VALUE, Draft, push
from gatree.front.regression.medians import absolute_error, best_by_medians
from gatree.front.regression.numbers import Numbers
from gatree.front.regression.room import Room, part
from gatree.kernels.decorators import inlined, lean
from gatree.trees.genome import LEAF

_NO_TEST = (LEAF, 0)
_SCANNED = 2  # steps to read a value


@inlined
def total_of(numbers: Numbers, room: Room, begin: int, end: int) -> int:
    """Return the sum of a segment's numbers."""
    row, total = len(room.order) - 1, 0
    for rank in range(begin, end):
        total += numbers.target[room.order[row, rank]]
    return total


@inlined
def _best_by_means(
    numbers: Numbers, room: Room, segment: tuple[int, int], total: int, attribute: int
) -> tuple[float, int, float]:
    """Return the maximum that a test of an attribute explains, the test's value, and its margin.

    A test explains the sum of both branches' squared sums divided by their sizes. Of equal tests the one with
    the widest margin is taken: the share of the attribute's tests that would split the instances in the same
    way.
    """
    cases, (begin, end) = numbers.cases, segment
    best, value, margin = -math.inf, -1, 0.0
    numeric, n_tests, least = cases.is_numeric[attribute], cases.n_tests[attribute], numbers.min_leaf
    rank, first, passing = begin, begin, 0
    instance = room.order[attribute, begin]
    code = cases.codes[attribute, instance]
    while rank < end and code < n_tests:
        if not numeric:
            first, passing = rank, 0
        code_here = code
        while code == code_here:
            passing += numbers.target[instance]
            rank += 1
            if rank == end:
                code = n_tests
                break
            instance = room.order[attribute, rank]
            code = cases.codes[attribute, instance]
        n_passing = rank - first
        n_failing = end - begin - n_passing
        if n_passing >= least and n_failing >= least:
            explained = explained_by(passing, n_passing) + explained_by(total - passing, n_failing)
            if explained >= best:
                here = (code - code_here if numeric else 1) / n_tests
                if explained > best or here > margin:
                    best, value, margin = explained, code_here, here
    return best, value, margin


@inlined
def explained_by(total: int, n: int) -> float:
    """Return the square of a sum of ``n`` numbers, divided by ``n``."""
    return float(total) * float(total) / float(n)


@lean
def best_test(numbers: Numbers, room: Room, begin: int, end: int, only: int = LEAF) -> tuple[int, int]:
    """Return attribute and value of the test that explains most of a segment, or LEAF if none improves it.

    ``only`` is the only attribute to test, or LEAF for all.
    """
    cases = numbers.cases
    total, members = 0, len(room.order) - 1
    if numbers.absolute:
        best = float(-absolute_error(numbers.target, room.order, members, begin, end))
    else:
        total = total_of(numbers, room, begin, end)
        best = explained_by(total, end - begin)
    widest, choice = math.inf, _NO_TEST  # ignore tests that explain no more than a leaf
    room.work[0] += _SCANNED * (end - begin) * len(cases.codes)
    for attribute in range(len(cases.codes)):
        first, last = room.order[attribute, begin], room.order[attribute, end - 1]
        is_constant = cases.codes[attribute, first] == cases.codes[attribute, last]
        if is_constant or only not in (LEAF, attribute):
            continue
        if numbers.absolute:
            found, value, margin = best_by_medians(numbers, room, (begin, end), attribute)
        else:
            found, value, margin = _best_by_means(numbers, room, (begin, end), total, attribute)
        if value >= 0 and (found > best or (found == best and margin > widest)):
            best, widest, choice = found, margin, (attribute, value)
    return choice


@lean
def grow(
    numbers: Numbers, room: Room, segment: tuple[int, int], depth: int, draft: Draft, at: int, n_open: int
) -> int:
    """Grow a tree on a segment of ``room.order`` into a draft from node ``at`` on; return where it ends.

    The first ``n_open`` entries of the stack are kept. Spans are not set.
    """
    stack, floor, node, members = room.stack, n_open, at, len(room.order) - 1
    push(stack, n_open, segment[0], segment[1], 0, depth)
    n_open += 1
    while n_open > floor:
        n_open -= 1
        begin, end, level = stack[n_open, 0], stack[n_open, 1], stack[n_open, 3]
        attribute, value = _NO_TEST
        lowest, highest = room.order[members, begin], room.order[members, end - 1]
        has_room = end - begin >= 2 * numbers.min_leaf and level < numbers.max_depth
        has_room = has_room and node + 2 * (n_open + 2) < draft.shape[1]
        if has_room and numbers.target[lowest] < numbers.target[highest]:
            only = numbers.first if level == 0 else LEAF
            attribute, value = best_test(numbers, room, begin, end, only)
        draft[ATTRIBUTE, node], draft[VALUE, node] = attribute, value
        node += 1
        if attribute != LEAF:
            middle = part(numbers, room, (begin, end), attribute, value)
            push(stack, n_open, middle, end, 0, level + 1)
            push(stack, n_open + 1, begin, middle, 0, level + 1)
            n_open += 2
    return node
