"""Grow greedy trees on codes: Gini as in CART, entropy and gain ratio as in C4.5, means for numbers.

Deep in a tree many tests are equally good. Of these, the one with the widest margin is taken (with gain ratio
only among the tests of one attribute). The margin is the share of the attribute's tests that would split the
instances in the same way: the larger it is, the less likely the test is as good by chance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gatree.kernels.decorators import lean
from gatree.smalltree.draft import (
    TERM_UNIT,
    Buffers,
    Draft,
    clear,
    part_rows,
    position_of_largest,
    push,
)
from gatree.smalltree.task import Longs, Task
from gatree.trees.genome import LEAF

GINI, ENTROPY, GAIN_RATIO, ERRORS, MEANS = range(5)
"""The criteria of a test; errors are for the last level of a tree, means for numbers."""


class Totals(NamedTuple):
    """What the instances of a segment add up to."""

    n: int  # samples
    weight: int
    total: int  # the terms of all classes, or the numbers
    label: int  # of a leaf


class AttributeSplit(NamedTuple):
    """The best test of an attribute."""

    worth: float
    value: int  # -1 if there is none
    passing: int  # the weight of the instances that pass
    margin: float


_NO_SPLIT = (LEAF, 0)
_SAME = 1e-7  # purities that differ by less are equal; more than the rounding error of many classes' terms
_PARTED = 5  # steps to read a value and to partition it


@lean
def row_of_terms(criterion: int) -> int:
    """Return the row of the table of terms that a criterion uses."""
    return 1 if criterion in (ENTROPY, GAIN_RATIO) else 0


@lean
def explained_by(total: int, n: int) -> float:
    """Return the square of a sum of ``n`` numbers, divided by ``n``."""
    return float(total) * float(total) / float(n)


@lean
def _sum_up(task: Task, buffers: Buffers, begin: int, end: int, criterion: int) -> tuple[Totals, bool]:
    """Return a segment's totals and whether a leaf makes no error; set ``buffers.total``."""
    n, weight, total = 0, 0, 0
    if not task.are_classes:
        first = task.target[buffers.order[0, begin]]
        is_pure = True
        for rank in range(begin, end):
            instance = buffers.order[0, rank]
            n += task.counts[instance]
            total += task.counts[instance] * task.target[instance]
            is_pure = is_pure and task.target[instance] == first
        return Totals(n, n, total, 0), is_pure
    sums = buffers.total
    clear(sums, len(sums))
    for rank in range(begin, end):
        instance = buffers.order[0, rank]
        n += task.counts[instance]
        sums[task.cases.classes[instance]] += task.growth[instance]
    terms = buffers.terms[row_of_terms(criterion)]
    for label in range(len(sums)):
        weight += sums[label]
        total += terms[sums[label]]
    majority = position_of_largest(sums)
    return Totals(n, weight, total, majority), sums[majority] == weight


@lean
def _keeps_to(direction: int, seen: Longs, total: Longs) -> bool:
    """Return whether the majority classes (of two) of a test's branches respect its direction."""
    left = seen[1] > seen[0]
    right = total[1] - seen[1] > total[0] - seen[0]
    return bool(left <= right if direction > 0 else left >= right)


@lean
def _most_correct(seen: Longs, total: Longs) -> int:
    """Return the weight that two leaves, of the instances seen and of the others, classify correctly."""
    most, most_rest = 0, 0
    for label in range(len(seen)):
        most, most_rest = max(most, seen[label]), max(most_rest, total[label] - seen[label])
    return most + most_rest


@lean
def _best_of_attribute(
    task: Task, buffers: Buffers, segment: tuple[int, int], whole: Totals, attribute: int, criterion: int
) -> AttributeSplit:
    """Return the best test of an attribute on a segment.

    The purity of a set times its weight is a sum of terms: for Gini, the squares of the class weights divided
    by the weight; for entropy, the class weights times their logarithms, minus the same for the weight. What
    a mean explains is the square of a sum divided by the weight. The sums are updated with every instance:
    for numbers, where most tests differ by a single instance, that is less work than a new sum per test. They
    are integers and do not drift.
    """
    cases, limits = task.cases, task.limits
    terms, steps = buffers.terms[row_of_terms(criterion)], buffers.steps[row_of_terms(criterion)]
    direction = 0
    if task.are_classes and len(limits.directions) > 0:
        direction = limits.directions[attribute]
    begin, end = segment
    best, value, passing, margin = -math.inf, -1, 0, 0.0
    same = _SAME if task.are_classes else 0.0
    numeric, n_tests = cases.is_numeric[attribute], cases.n_tests[attribute]
    n_here, weight, sum_of_all = whole.n, whole.weight, whole.total
    rank, n_seen, weight_seen, sum_seen, sum_rest = begin, 0, 0, 0, sum_of_all
    seen, total = buffers.seen, buffers.total
    clear(seen, len(seen))
    instance = buffers.order[attribute, begin]
    code = cases.codes[attribute, instance]
    while rank < end and code < n_tests:
        if not numeric:
            clear(seen, len(seen))
            n_seen, weight_seen, sum_seen, sum_rest = 0, 0, 0, sum_of_all
        value_here = code
        while code == value_here:
            one = 1
            if not task.are_classes:
                one = task.counts[instance]
                added = one * task.target[instance]
                sum_seen, sum_rest, n_seen = sum_seen + added, sum_rest - added, n_seen + one
            else:
                label = cases.classes[instance]
                before = seen[label]
                if task.all_equal:
                    sum_seen += steps[before]
                    sum_rest -= steps[total[label] - before - 1]
                    n_seen += 1
                else:
                    one, rest = task.growth[instance], total[label] - before
                    sum_seen += terms[before + one] - terms[before]
                    sum_rest -= terms[rest] - terms[rest - one]
                    n_seen += task.counts[instance]
                seen[label] = before + one
            weight_seen, rank = weight_seen + one, rank + 1
            if rank == end:
                code = n_tests
                break
            instance = buffers.order[attribute, rank]
            code = cases.codes[attribute, instance]
        if n_seen >= limits.min_leaf and n_here - n_seen >= limits.min_leaf and weight_seen < weight:
            weight_rest = weight - weight_seen
            if not task.are_classes:
                worth = explained_by(sum_seen, weight_seen) + explained_by(sum_rest, weight_rest)
            elif criterion == GINI:
                worth = sum_seen / weight_seen + sum_rest / weight_rest
            elif criterion == ERRORS:
                purity = sum_seen / weight_seen + sum_rest / weight_rest
                worth = _most_correct(seen, total) + purity / (2 * weight)
            else:
                worth = (sum_seen + sum_rest - terms[weight_seen] - terms[weight_rest]) * TERM_UNIT
            if worth >= best - same:
                if task.are_classes and direction != 0 and not _keeps_to(direction, seen, total):
                    continue
                here = (code - value_here if numeric else 1) / n_tests
                if worth > best + same or here > margin:
                    best, value, passing, margin = worth, value_here, weight_seen, here
    return AttributeSplit(best, value, passing, margin)


@lean
def best_split(
    task: Task, buffers: Buffers, segment: tuple[int, int], whole: Totals, criterion: int, only: int
) -> tuple[int, int]:
    """Return attribute and value of a segment's best test, or LEAF if no test splits it.

    Gain ratio is C4.5's: of the tests whose gain is at least the mean gain of the attributes, the one with
    the best ratio of gain to split information. A test of numbers must explain more than a leaf. ``only`` is
    the only attribute to test, or LEAF for all.
    """
    cases, (begin, end), weight, total = task.cases, segment, whole.weight, whole.total
    buffers.n_steps[0] += _PARTED * (end - begin) * len(cases.codes)
    terms = buffers.terms[row_of_terms(criterion)]
    pure_now = 0.0
    same, best, widest, choice, n_gains, sum_gains = _SAME, -math.inf, 0.0, _NO_SPLIT, 0, 0.0
    if not task.are_classes:
        same, best, widest = 0.0, explained_by(total, weight), math.inf
    else:
        pure_now = (total - terms[weight]) * TERM_UNIT  # for entropy
    for attribute in range(len(cases.codes)):
        buffers.gains[attribute, 0] = -1.0
        first, last = buffers.order[attribute, begin], buffers.order[attribute, end - 1]
        is_constant = cases.codes[attribute, first] == cases.codes[attribute, last]
        if is_constant or only not in (LEAF, attribute):
            continue
        found = _best_of_attribute(task, buffers, segment, whole, attribute, criterion)
        worth, value, passing, margin = found.worth, found.value, found.passing, found.margin
        if value < 0:
            continue
        if criterion != GAIN_RATIO:
            if worth > best + same or (worth >= best - same and margin > widest):
                best, widest, choice = worth, margin, (attribute, value)
        elif worth - pure_now > _SAME:
            split_information = (terms[weight] - terms[passing] - terms[weight - passing]) * TERM_UNIT
            buffers.gains[attribute, 0], buffers.gains[attribute, 1] = worth - pure_now, value
            buffers.gains[attribute, 2] = (worth - pure_now) / split_information
            n_gains, sum_gains = n_gains + 1, sum_gains + worth - pure_now
    if n_gains > 0:
        for attribute in range(len(cases.codes)):
            gain, ratio = buffers.gains[attribute, 0], buffers.gains[attribute, 2]
            if gain >= sum_gains / n_gains - _SAME and ratio > best + _SAME:
                best, choice = ratio, (attribute, int(buffers.gains[attribute, 1]))
    return choice


@lean
def grow(
    task: Task,
    buffers: Buffers,
    segment: tuple[int, int],
    criterion: int,
    root: tuple[int, int],
    draft: Draft,
    at: int,
    depth_here: int,
) -> int:
    """Grow a tree on a segment of ``buffers.order`` into a draft from node ``at`` on; return where it ends.

    ``root`` is the first test, or LEAF for the best one. On the last level that the limits allow, the tests
    with the fewest errors are taken. Spans are not set.
    """
    limits, cases = task.limits, task.cases
    stack, n_open, node = buffers.stack, 1, at
    push(stack, 0, segment[0], segment[1], 0, depth_here)
    while n_open > 0:
        n_open -= 1
        begin, end, depth = stack[n_open, 0], stack[n_open, 1], stack[n_open, 3]
        here = criterion
        if task.are_classes and depth + 1 == limits.max_depth and len(task.gain) == 0:
            here = ERRORS
        whole, is_pure = _sum_up(task, buffers, begin, end, here)
        attribute, value, middle = LEAF, whole.label, begin
        has_room = depth < limits.max_depth and node + 2 * n_open + 2 < len(draft.attribute)
        has_room = has_room and whole.n >= max(limits.min_split, 2 * limits.min_leaf)
        if has_room and not is_pure:
            if node == at and root[0] != LEAF:
                attribute, value = root
            else:
                only = limits.first if depth == 0 else LEAF
                attribute, value = best_split(task, buffers, (begin, end), whole, here, only)
            if attribute != LEAF:
                spare = buffers.spare
                middle = part_rows(
                    cases, buffers.order, buffers.passes, spare, (begin, end), attribute, value
                )
                if middle in (begin, end):
                    attribute = LEAF
        draft.attribute[node] = attribute
        draft.value[node] = value if attribute != LEAF else whole.label
        node += 1
        if attribute != LEAF:
            push(stack, n_open, middle, end, 0, depth + 1)
            push(stack, n_open + 1, begin, middle, 0, depth + 1)
            n_open += 2
    return node
