"""Greedy trees on codes: Gini as in CART, gain ratio as in C4.5, grown until the leaves are pure.

Deep in a tree many tests are equally pure. Of these the one with the widest margin is taken (by gain ratio:
of those of an attribute). That is the share of the attribute's tests that would part the instances alike: the
larger it is, the less likely the test is as good by chance.

Every attribute keeps its instances in the order of its codes, and a node owns the same segment of all these
rows. A split parts each segment and keeps its order, so that a level of a tree costs one pass over the data.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gatree.front.room import ATTRIBUTE, VALUE, Draft, Room, clear, position_of_largest
from gatree.jit import inlined, lean
from gatree.optimum.cases import Cases, Ints
from gatree.trees.genome import LEAF

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

GINI, GAIN_RATIO = 0, 1

_NO_SPLIT = (LEAF, 0)
_TINY = 1e-9


@inlined
def purity(x_log_x: Floats, counts: Longs, n: int, criterion: int) -> float:
    """Return how pure a set is, times its size: a split is as good as the purity of its parts."""
    total = 0.0
    if criterion == GINI:
        for count in counts:
            total += float(count) * count
        return total / n
    for count in counts:
        total += x_log_x[count]
    return total - float(x_log_x[n])


@inlined
def count_classes(classes: Ints, order: Ints, begin: int, end: int, total: Longs) -> int:
    """Count the classes of a segment; return the most frequent one."""
    clear(total, len(total))
    for rank in range(begin, end):
        total[classes[order[0, rank]]] += 1
    return position_of_largest(total)


@inlined
def _entropies(x_log_x: Floats, total: Longs, seen: Longs, n_seen: int, n_rest: int) -> float:
    """Return the purity, as gain ratio counts it, of what is seen and of the rest."""
    pure = 0.0
    for label in range(len(total)):
        pure += x_log_x[seen[label]] + x_log_x[total[label] - seen[label]]
    return pure - float(x_log_x[n_seen] + x_log_x[n_rest])


@inlined
def _best_of_attribute(
    cases: Cases, room: Room, segment: tuple[int, int], attribute: int, criterion: int
) -> tuple[float, int, int, float]:
    """Return the highest purity of an attribute's tests on a segment, its value, who pass, and its margin.

    The sums of squares behind Gini's purity are kept up to date with every instance: on numbers, where most
    tests differ by a single instance, that is less work than to add them up.
    """
    begin, end = segment
    best, value, passing, margin = -math.inf, -1, 0, 0.0
    numeric, n_tests = cases.is_numeric[attribute], cases.n_tests[attribute]
    whole = 0
    for count in room.total:
        whole += count * count
    rank, n_seen, squares, rest_squares = begin, 0, 0, whole
    clear(room.seen, len(room.seen))
    instance = room.order[attribute, begin]
    code = cases.codes[attribute, instance]
    while rank < end and code < n_tests:
        if not numeric:
            clear(room.seen, len(room.seen))
            n_seen, squares, rest_squares = 0, 0, whole
        value_here = code
        while code == value_here:
            label = cases.classes[instance]
            seen = room.seen[label]
            rest_squares -= 2 * (room.total[label] - seen) - 1
            squares += 2 * seen + 1
            room.seen[label] = seen + 1
            n_seen, rank = n_seen + 1, rank + 1
            if rank == end:
                break
            instance = room.order[attribute, rank]
            code = cases.codes[attribute, instance]
        n_rest = end - begin - n_seen
        if n_rest > 0:
            if criterion == GINI:
                pure = squares / n_seen + rest_squares / n_rest
            else:
                pure = _entropies(room.x_log_x, room.total, room.seen, n_seen, n_rest)
            if pure > best - _TINY:
                here = (code - value_here if numeric else 1) / n_tests
                if pure > best + _TINY or here > margin:
                    best, value, passing, margin = pure, value_here, n_seen, here
    return best, value, passing, margin


@lean
def best_split(cases: Cases, room: Room, begin: int, end: int, criterion: int) -> tuple[int, int]:
    """Return attribute and value of a segment's best test, LEAF if none parts it.

    Gain ratio is C4.5's: of the tests whose gain is not below the mean of the attributes', the one
    with the best ratio of gain and split information.
    """
    n = end - begin
    room.work[0] += 4 * n * len(cases.codes)  # to look at, and to part
    whole = purity(room.x_log_x, room.total, n, criterion)
    best, widest, choice, n_gains, sum_gains = -math.inf, 0.0, _NO_SPLIT, 0, 0.0
    for attribute in range(len(cases.codes)):
        room.gains[attribute, 0] = -1.0
        first, last = room.order[attribute, begin], room.order[attribute, end - 1]
        if cases.codes[attribute, first] == cases.codes[attribute, last]:
            continue
        pure, value, passing, margin = _best_of_attribute(cases, room, (begin, end), attribute, criterion)
        if value < 0:
            continue
        if criterion == GINI:
            if pure > best + _TINY or (pure > best - _TINY and margin > widest):
                best, widest, choice = pure, margin, (attribute, value)
        elif pure - whole > _TINY:
            split_information = room.x_log_x[n] - room.x_log_x[passing] - room.x_log_x[n - passing]
            room.gains[attribute, 0], room.gains[attribute, 1] = pure - whole, value
            room.gains[attribute, 2] = (pure - whole) / split_information
            n_gains, sum_gains = n_gains + 1, sum_gains + pure - whole
    if n_gains > 0:
        for attribute in range(len(cases.codes)):
            gain, ratio = room.gains[attribute, 0], room.gains[attribute, 2]
            if gain >= sum_gains / n_gains - _TINY and ratio > best + _TINY:
                best, choice = ratio, (attribute, int(room.gains[attribute, 1]))
    return choice


@lean
def part_segment(cases: Cases, room: Room, segment: tuple[int, int], attribute: int, value: int) -> int:
    """Part a segment of every row by a test, those that pass first; return where the others begin."""
    begin, end = segment
    n_passing = 0
    for rank in range(begin, end):
        instance = room.order[attribute, rank]
        code = cases.codes[attribute, instance]
        passes = code <= value if cases.is_numeric[attribute] else code == value
        room.passes[instance] = passes
        n_passing += passes
    if n_passing in (0, end - begin):
        return begin + n_passing
    for row in range(len(cases.codes)):
        left, n_failing = begin, 0
        for rank in range(begin, end):
            instance = room.order[row, rank]
            passes = room.passes[instance]  # written to both sides: no branch that would be guessed wrong
            room.order[row, left], room.spare[n_failing] = instance, instance
            left, n_failing = left + passes, n_failing + (not passes)
        for rank in range(n_failing):
            room.order[row, left + rank] = room.spare[rank]
    return begin + n_passing


@lean
def grow(
    cases: Cases,
    room: Room,
    segment: tuple[int, int],
    criterion: int,
    root: tuple[int, int],
    draft: Draft,
    at: int,
) -> int:
    """Grow a tree on a segment of ``room.order`` into a draft from node ``at`` on; return where it ends.

    ``root`` is the first test, or LEAF for the best one. Spans are not set.
    """
    stack, n_open, node = room.stack, 1, at
    stack[0, 0], stack[0, 1], stack[0, 2] = segment[0], segment[1], 1
    while n_open > 0:
        n_open -= 1
        begin, end, is_root = stack[n_open, 0], stack[n_open, 1], stack[n_open, 2]
        majority = count_classes(cases.classes, room.order, begin, end, room.total)
        attribute, value, middle = LEAF, majority, begin
        if room.total[majority] < end - begin and node + 2 * n_open + 2 < draft.shape[1]:
            if is_root and root[0] != LEAF:
                attribute, value = root
            else:
                attribute, value = best_split(cases, room, begin, end, criterion)
            if attribute != LEAF:
                middle = part_segment(cases, room, (begin, end), attribute, value)
                if middle in (begin, end):
                    attribute = LEAF
        draft[ATTRIBUTE, node] = attribute
        draft[VALUE, node] = value if attribute != LEAF else majority
        node += 1
        if attribute != LEAF:
            stack[n_open, 0], stack[n_open, 1], stack[n_open, 2] = middle, end, 0
            stack[n_open + 1, 0], stack[n_open + 1, 1], stack[n_open + 1, 2] = begin, middle, 0
            n_open += 2
    return node
