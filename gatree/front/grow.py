"""Grow greedy trees on codes until the leaves are pure: Gini as in CART, entropy and gain ratio as in C4.5.

Deep in a tree many tests are equally pure. Of these, the one with the widest margin is taken (with gain ratio
only among the tests of one attribute). The margin is the share of the attribute's tests that would split the
instances in the same way: the larger it is, the less likely the test is as good by chance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases, Ints
from gatree.front.draft import ATTRIBUTE, VALUE, Draft, part_rows, push
from gatree.front.goal import decreases_enough
from gatree.front.room import TERM_UNIT, Room, clear, position_of_largest
from gatree.kernels.decorators import inlined, lean
from gatree.trees.genome import LEAF

Longs = NDArray[np.int64]

GINI, ENTROPY, GAIN_RATIO = range(3)

_NO_SPLIT = (LEAF, 0)
_SAME = 1e-7  # purities that differ by less are equal; more than the rounding error of many classes' terms
_PARTED = 5  # steps to read a value and to partition it


@inlined
def weigh_classes(classes: Ints, order: Ints, begin: int, end: int, worth: Longs, total: Longs) -> int:
    """Compute the class weights of a segment; return the class with the largest one."""
    clear(total, len(total))
    for rank in range(begin, end):
        label = classes[order[0, rank]]
        total[label] += worth[label]
    return position_of_largest(total)


@inlined
def _sum_of(weights: Longs) -> int:
    total = 0
    for weight in weights:
        total += weight
    return total


@inlined
def _sum_of_terms(terms: Longs, weights: Longs) -> int:
    """Return the sum of the purity terms of class weights."""
    total = 0
    for weight in weights:
        total += terms[weight]
    return total


@inlined
def _keeps_to(direction: int, room: Room) -> bool:
    """Return whether the majority classes (of two) of a test's branches respect its direction."""
    left = room.seen[1] > room.seen[0]
    right = room.total[1] - room.seen[1] > room.total[0] - room.seen[0]
    return bool(left <= right if direction > 0 else left >= right)


@lean
def _decreases(cases: Cases, room: Room, begin: int, middle: int, end: int) -> bool:
    """Return whether a test decreases the impurity of a partitioned segment enough; set the class counts."""
    clear(room.seen, len(room.seen))
    clear(room.total, len(room.total))
    for rank in range(begin, end):
        counts = room.seen if rank < middle else room.total
        counts[cases.classes[room.order[0, rank]]] += 1
    whole = room.terms.shape[1] - 1
    return decreases_enough(room.limits.min_decrease * whole, room.worth, room.seen, room.total)


@inlined
def _best_of_attribute(
    cases: Cases,
    room: Room,
    segment: tuple[int, int],
    whole: tuple[int, int],
    attribute: int,
    criterion: int,
) -> tuple[float, int, int, float]:
    """Return the highest purity of an attribute's tests on a segment, its value, passing weight and margin.

    The purity of a set times its weight is a sum of terms: for Gini, the squares of the class weights divided
    by the weight; for entropy, the class weights times their logarithms, minus the same for the weight. The
    sums are updated with every instance: for numbers, where most tests differ by a single instance, that is
    less work than a new sum per test. They are integers and do not drift. ``whole`` is the segment's weight
    and its sum of terms.
    """
    terms, steps = room.terms[criterion], room.steps[criterion]
    direction = room.limits.directions[attribute] if len(room.limits.directions) > 0 else 0
    begin, end = segment
    best, value, passing, margin = -math.inf, -1, 0, 0.0
    numeric, n_tests = cases.is_numeric[attribute], cases.n_tests[attribute]
    weight, sum_of_all = whole
    rank, first, weight_seen, sum_seen, sum_rest = begin, begin, 0, 0, sum_of_all
    clear(room.seen, len(room.seen))
    instance = room.order[attribute, begin]
    code = cases.codes[attribute, instance]
    while rank < end and code < n_tests:
        if not numeric:
            clear(room.seen, len(room.seen))
            first, weight_seen, sum_seen, sum_rest = rank, 0, 0, sum_of_all
        value_here = code
        while code == value_here:
            label = cases.classes[instance]
            one, seen = 1, room.seen[label]
            if room.all_equal:
                sum_seen += steps[seen]
                sum_rest -= steps[room.total[label] - seen - 1]
            else:
                one, rest = room.worth[label], room.total[label] - seen
                sum_seen += terms[seen + one] - terms[seen]
                sum_rest -= terms[rest] - terms[rest - one]
            room.seen[label] = seen + one
            weight_seen, rank = weight_seen + one, rank + 1
            if rank == end:
                break
            instance = room.order[attribute, rank]
            code = cases.codes[attribute, instance]
        n_seen = rank - first
        if n_seen >= room.min_leaf and end - begin - n_seen >= room.min_leaf:
            weight_rest = weight - weight_seen
            if criterion == GINI:
                pure = sum_seen / weight_seen + sum_rest / weight_rest
            else:
                pure = (sum_seen + sum_rest - terms[weight_seen] - terms[weight_rest]) * TERM_UNIT
            if pure > best - _SAME and (direction == 0 or _keeps_to(direction, room)):
                here = (code - value_here if numeric else 1) / n_tests
                if pure > best + _SAME or here > margin:
                    best, value, passing, margin = pure, value_here, weight_seen, here
    return best, value, passing, margin


@lean
def best_split(
    cases: Cases, room: Room, begin: int, end: int, criterion: int, only: int = LEAF
) -> tuple[int, int]:
    """Return attribute and value of a segment's best test, or LEAF if no test splits it.

    ``only`` is the only attribute to test, or LEAF for all.

    Gain ratio is C4.5's: of the tests whose gain is at least the mean gain of the attributes, the one with
    the best ratio of gain to split information.
    """
    room.work[0] += _PARTED * (end - begin) * len(cases.codes)
    terms, weight = room.terms[criterion], _sum_of(room.total)
    whole = (weight, _sum_of_terms(terms, room.total))
    pure_now = (whole[1] - terms[weight]) * TERM_UNIT  # for entropy
    best, widest, choice, n_gains, sum_gains = -math.inf, 0.0, _NO_SPLIT, 0, 0.0
    for attribute in range(len(cases.codes)):
        room.gains[attribute, 0] = -1.0
        first, last = room.order[attribute, begin], room.order[attribute, end - 1]
        if cases.codes[attribute, first] == cases.codes[attribute, last]:
            continue
        if only not in (LEAF, attribute):
            continue
        pure, value, passing, margin = _best_of_attribute(
            cases, room, (begin, end), whole, attribute, criterion
        )
        if value < 0:
            continue
        if criterion != GAIN_RATIO:
            if pure > best + _SAME or (pure > best - _SAME and margin > widest):
                best, widest, choice = pure, margin, (attribute, value)
        elif pure - pure_now > _SAME:
            split_information = (terms[weight] - terms[passing] - terms[weight - passing]) * TERM_UNIT
            room.gains[attribute, 0], room.gains[attribute, 1] = pure - pure_now, value
            room.gains[attribute, 2] = (pure - pure_now) / split_information
            n_gains, sum_gains = n_gains + 1, sum_gains + pure - pure_now
    if n_gains > 0:
        for attribute in range(len(cases.codes)):
            gain, ratio = room.gains[attribute, 0], room.gains[attribute, 2]
            if gain >= sum_gains / n_gains - _SAME and ratio > best + _SAME:
                best, choice = ratio, (attribute, int(room.gains[attribute, 1]))
    return choice


@lean
def grow(
    cases: Cases,
    room: Room,
    segment: tuple[int, int],
    criterion: int,
    root: tuple[int, int],
    draft: Draft,
    at: int,
    depth_here: int,
) -> int:
    """Grow a tree on a segment of ``room.order`` into a draft from node ``at`` on; return where it ends.

    ``root`` is the first test, or LEAF for the best one. Spans are not set.
    """
    limits = room.limits
    stack, n_open, node = room.stack, 1, at
    push(stack, 0, segment[0], segment[1], 0, depth_here)
    while n_open > 0:
        n_open -= 1
        begin, end, depth = stack[n_open, 0], stack[n_open, 1], stack[n_open, 3]
        majority = weigh_classes(cases.classes, room.order, begin, end, room.worth, room.total)
        attribute, value, middle = LEAF, majority, begin
        has_room = depth < limits.max_depth and node + 2 * n_open + 2 < draft.shape[1]
        has_room = has_room and end - begin >= limits.min_split
        if room.total[majority] < _sum_of(room.total) and has_room:
            if node == at and root[0] != LEAF:
                attribute, value = root
            else:
                only = limits.first if depth == 0 else LEAF
                attribute, value = best_split(cases, room, begin, end, criterion, only)
            if attribute != LEAF:
                middle = part_rows(cases, room.order, room.passes, room.spare, (begin, end), attribute, value)
                is_enough = limits.min_decrease <= 0 or _decreases(cases, room, begin, middle, end)
                if middle in (begin, end) or not is_enough:
                    attribute = LEAF
        draft[ATTRIBUTE, node] = attribute
        draft[VALUE, node] = value if attribute != LEAF else majority
        node += 1
        if attribute != LEAF:
            push(stack, n_open, middle, end, 0, depth + 1)
            push(stack, n_open + 1, begin, middle, 0, depth + 1)
            n_open += 2
    return node
