"""Greedy trees on codes: Gini as in CART, gain ratio as in C4.5, grown until the leaves are pure.

Every attribute keeps its instances in the order of its codes, and a node owns the same segment of all these
rows. A split parts each segment and keeps its order, so that a level of a tree costs one pass over the data.
"""

from __future__ import annotations

import math

import numpy as np

from gatree.front.room import Draft, Room
from gatree.jit import inlined, lean
from gatree.optimum.cases import Cases
from gatree.trees.genome import LEAF

GINI, GAIN_RATIO = 0, 1

_NO_SPLIT = (LEAF, 0)
_TINY = 1e-9


@inlined
def x_log_x(x: float) -> float:
    """Return x times its logarithm, zero at zero."""
    return x * math.log2(x) if x > 0 else 0.0


@inlined
def purity(counts: np.ndarray, n: int, criterion: int) -> float:
    """Return how pure a set is, times its size: a split is as good as the purity of its parts."""
    total = 0.0
    if criterion == GINI:
        for count in counts:
            total += float(count) * count
        return total / n
    for count in counts:
        total += x_log_x(float(count))
    return total - x_log_x(float(n))


@inlined
def count_classes(cases: Cases, room: Room, begin: int, end: int) -> int:
    """Count the classes of a segment into ``room.total``; return the most frequent one."""
    room.total[:] = 0
    for rank in range(begin, end):
        room.total[cases.classes[room.order[0, rank]]] += 1
    return int(np.argmax(room.total))


@inlined
def _rest_purity(room: Room, n: int, criterion: int) -> float:
    """Return the purity of what is not seen."""
    total = 0.0
    if criterion == GINI:
        for label in range(len(room.total)):
            rest = float(room.total[label] - room.seen[label])
            total += rest * rest
        return total / n
    for label in range(len(room.total)):
        total += x_log_x(float(room.total[label] - room.seen[label]))
    return total - x_log_x(float(n))


@inlined
def _best_of_attribute(
    cases: Cases, room: Room, segment: tuple[int, int], attribute: int, criterion: int
) -> tuple[float, int, int]:
    """Return the highest purity of an attribute's tests on a segment, its value, and how many pass."""
    begin, end = segment
    best, value, passing = -math.inf, -1, 0
    rank, n_seen = begin, 0
    numeric, n_tests = cases.is_numeric[attribute], cases.n_tests[attribute]
    room.seen[:] = 0
    while rank < end:
        code = cases.codes[attribute, room.order[attribute, rank]]
        if code >= n_tests:
            break
        if not numeric:
            room.seen[:] = 0
            n_seen = 0
        while rank < end and cases.codes[attribute, room.order[attribute, rank]] == code:
            room.seen[cases.classes[room.order[attribute, rank]]] += 1
            n_seen += 1
            rank += 1
        n_rest = end - begin - n_seen
        if n_rest > 0:
            pure = purity(room.seen, n_seen, criterion) + _rest_purity(room, n_rest, criterion)
            if pure > best + _TINY:
                best, value, passing = pure, code, n_seen
    return best, value, passing


@lean
def best_split(cases: Cases, room: Room, begin: int, end: int, criterion: int) -> tuple[int, int]:
    """Return attribute and value of a segment's best test, LEAF if none parts it.

    Gain ratio is C4.5's: of the tests whose gain is not below the mean of the attributes', the one
    with the best ratio of gain and split information.
    """
    n = end - begin
    room.work[0] += 4 * n * len(cases.codes)  # to look at, and to part
    whole = purity(room.total, n, criterion)
    best, choice, n_gains, sum_gains = -math.inf, _NO_SPLIT, 0, 0.0
    room.gains[:] = -1.0
    for attribute in range(len(cases.codes)):
        first, last = room.order[attribute, begin], room.order[attribute, end - 1]
        if cases.codes[attribute, first] == cases.codes[attribute, last]:
            continue
        pure, value, passing = _best_of_attribute(cases, room, (begin, end), attribute, criterion)
        if value < 0:
            continue
        if criterion == GINI:
            if pure > best + _TINY:
                best, choice = pure, (attribute, value)
        elif pure - whole > _TINY:
            split_information = x_log_x(float(n)) - x_log_x(float(passing)) - x_log_x(float(n - passing))
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
            if room.passes[instance]:
                room.order[row, left] = instance
                left += 1
            else:
                room.spare[n_failing] = instance
                n_failing += 1
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
        majority = count_classes(cases, room, begin, end)
        attribute, value, middle = LEAF, majority, begin
        if room.total[majority] < end - begin and node + 2 * n_open + 2 < len(draft.attribute):
            if is_root and root[0] != LEAF:
                attribute, value = root
            else:
                attribute, value = best_split(cases, room, begin, end, criterion)
            if attribute != LEAF:
                middle = part_segment(cases, room, (begin, end), attribute, value)
                if middle in (begin, end):
                    attribute = LEAF
        draft.attribute[node] = attribute
        draft.value[node] = value if attribute != LEAF else majority
        node += 1
        if attribute != LEAF:
            stack[n_open, 0], stack[n_open, 1], stack[n_open, 2] = middle, end, 0
            stack[n_open + 1, 0], stack[n_open + 1, 1], stack[n_open + 1, 2] = begin, middle, 0
            n_open += 2
    return node
