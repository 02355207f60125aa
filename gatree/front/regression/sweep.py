"""Local search: from the root down, replace every test by the best one for its current subtrees.

By passing a test, an instance saves its error in the right branch minus that in the left one. With everything
else unchanged, the best test of a node is the one whose passing instances save most. A test that is no better
than none is replaced by one of its branches. A sweep never raises the error. (Tree alternating optimization:
Carreira-Perpinan and Tavallali, 2018; for regression Zharmagambetov and Carreira-Perpinan, 2020.)
"""

from __future__ import annotations

import math

from gatree.front.draft import ATTRIBUTE, SPAN, VALUE, Draft, fill_rows, leaf_of, passes_test, push
from gatree.front.regression.grow import grow
from gatree.front.regression.numbers import Numbers
from gatree.front.regression.room import Bench, Room, part
from gatree.kernels.decorators import inlined, lean
from gatree.trees.genome import LEAF

_ROUTED = 12  # steps to route an instance through both branches
_SCANNED = 2  # steps to read a value


@inlined
def predicted(numbers: Numbers, room: Room, draft: Draft, node: int, instance: int) -> float:
    """Return the prediction of a node's subtree for an instance."""
    return float(room.value[leaf_of(numbers.cases, draft, node, instance)])


@inlined
def saved(numbers: Numbers, number: int, passing: float, failing: float) -> int:
    """Return what an instance saves by passing a test, given the predictions of both branches."""
    if numbers.absolute:
        return abs(number - int(failing)) - abs(number - int(passing))
    off, other = number - failing, number - passing
    return int((off * off - other * other) * numbers.error_unit)


@lean
def _weigh_branches(
    numbers: Numbers, room: Room, draft: Draft, node: int, segment: tuple[int, int]
) -> tuple[int, int, int]:
    """Record what every instance saves by passing.

    Return the sum over all instances, the sum over those that pass the test, and the number of these.
    """
    cases, members = numbers.cases, len(room.order) - 1
    left = node + 1
    right = left + draft[SPAN, left]
    attribute, value = draft[ATTRIBUTE, node], draft[VALUE, node]
    total, won, n_passing = 0, 0, 0
    for rank in range(segment[0], segment[1]):
        instance = room.order[members, rank]
        passing = predicted(numbers, room, draft, left, instance)
        failing = predicted(numbers, room, draft, right, instance)
        gain = saved(numbers, numbers.target[instance], passing, failing)
        room.won[instance] = gain
        total += gain
        if passes_test(cases, attribute, value, instance):
            won, n_passing = won + gain, n_passing + 1
    room.work[0] += _ROUTED * (segment[1] - segment[0])
    return total, won, n_passing


@lean
def best_for_branches(
    numbers: Numbers, room: Room, segment: tuple[int, int], old: tuple[int, int, int], only: int = LEAF
) -> tuple[int, int, int]:
    """Return what the best test saves, its attribute and its value, or ``old`` if none saves more.

    Of equal tests it is the one with the widest margin, as in greedy trees.
    """
    cases, least, (begin, end) = numbers.cases, numbers.min_leaf, segment
    won, winner, winning = old
    widest = math.inf  # ignore tests that save no more than ``old``
    room.work[0] += _SCANNED * (end - begin) * len(cases.codes)
    for attribute in range(len(cases.codes)):
        if only not in (LEAF, attribute):
            continue
        n_tests, numeric = cases.n_tests[attribute], cases.is_numeric[attribute]
        rank, first, total = begin, begin, 0
        instance = room.order[attribute, begin]
        code = cases.codes[attribute, instance]
        while rank < end and code < n_tests:
            if not numeric:
                first, total = rank, 0
            code_here = code
            while code == code_here:
                total += room.won[instance]
                rank += 1
                if rank == end:
                    code = n_tests
                    break
                instance = room.order[attribute, rank]
                code = cases.codes[attribute, instance]
            n_passing = rank - first
            if total >= won and n_passing >= least and end - begin - n_passing >= least:
                margin = (code - code_here if numeric else 1) / n_tests
                if total > won or margin > widest:
                    won, winner, winning, widest = total, attribute, code_here, margin
    return won, winner, winning


@lean
def sweep(bench: Bench, draft: Draft, target: Draft) -> tuple[int, bool]:
    """Write the tree with better tests into ``target``; return its number of nodes, and whether it changed.

    `weigh` must have recorded the nodes' predictions. Spans of the new tree are not set.
    """
    numbers, room, least = bench.numbers, bench.room, bench.numbers.min_leaf
    fill_rows(bench.cases, room.order)
    push(room.stack, 0, 0, len(numbers.target), 0, 0)
    n_open, n_nodes, changed = 1, 0, False
    while n_open > 0:
        n_open -= 1
        begin, end, node = room.stack[n_open, 0], room.stack[n_open, 1], room.stack[n_open, 2]
        test = (0, LEAF, 0)
        while draft[ATTRIBUTE, node] != LEAF and end - begin >= 2 * least:
            old = (draft[ATTRIBUTE, node], draft[VALUE, node])
            total, won, n_passing = _weigh_branches(numbers, room, draft, node, (begin, end))
            beaten = max(total, 0)  # what one branch for all instances saves
            only = numbers.first if n_nodes == 0 else LEAF
            if won <= beaten or min(n_passing, end - begin - n_passing) < least:
                test = best_for_branches(numbers, room, (begin, end), (beaten, LEAF, 0), only)
            else:
                test = best_for_branches(numbers, room, (begin, end), (won, old[0], old[1]), only)
            changed = changed or test[1] != old[0] or test[2] != old[1]
            if test[1] != LEAF:
                break
            to_the_left = total > 0 or (total == 0 and 2 * n_passing >= end - begin)
            node = node + 1 if to_the_left else node + 1 + draft[SPAN, node + 1]
        changed = changed or (test[1] == LEAF and draft[ATTRIBUTE, node] != LEAF)
        target[ATTRIBUTE, n_nodes], target[VALUE, n_nodes] = test[1], test[2] if test[1] != LEAF else 0
        n_nodes += 1
        if test[1] != LEAF:
            middle = part(numbers, room, (begin, end), test[1], test[2])
            push(room.stack, n_open, middle, end, node + 1 + draft[SPAN, node + 1], 0)
            push(room.stack, n_open + 1, begin, middle, node + 1, 0)
            n_open += 2
    return n_nodes, changed


@lean
def grow_out(bench: Bench, draft: Draft, target: Draft) -> int:
    """Write the tree with every leaf grown greedily into ``target``; return its number of nodes.

    The lowest tests of a tree are grown again, too, and so are nodes with too few instances for their test.
    """
    numbers, room, least = bench.numbers, bench.room, bench.numbers.min_leaf
    fill_rows(bench.cases, room.order)
    push(room.stack, 0, 0, len(numbers.target), 0, 0)
    n_open, at = 1, 0
    while n_open > 0:
        n_open -= 1
        begin, end, node = room.stack[n_open, 0], room.stack[n_open, 1], room.stack[n_open, 2]
        depth, attribute, value = room.stack[n_open, 3], draft[ATTRIBUTE, node], draft[VALUE, node]
        middle = begin
        if draft[SPAN, node] > 3 and end - begin >= 2 * least:
            middle = part(numbers, room, (begin, end), attribute, value)
        if middle - begin < least or end - middle < least:
            at = grow(numbers, room, (begin, end), depth, target, at, n_open)
            continue
        target[ATTRIBUTE, at], target[VALUE, at] = attribute, value
        at += 1
        push(room.stack, n_open, middle, end, node + 1 + draft[SPAN, node + 1], depth + 1)
        push(room.stack, n_open + 1, begin, middle, node + 1, depth + 1)
        n_open += 2
    return at
