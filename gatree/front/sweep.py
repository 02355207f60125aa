"""Local search: from the root down, replace every test by the best one for its current subtrees.

An instance matters to a test if only one branch classifies it correctly or, with costs, if one branch saves
more. With everything else unchanged, the best test of a node sends the most of these instances to the better
branch. A test that is no better than none is replaced by one of its branches. A sweep never lowers the number
of correct instances. (Known as tree alternating optimization: Carreira-Perpinan and Tavallali, 2018.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases, Ints
from gatree.front.draft import (
    ATTRIBUTE,
    SPAN,
    VALUE,
    Draft,
    copy_nodes,
    leaf_of,
    part_members,
    push,
    set_depths,
)
from gatree.front.goal import Goal, most_gained
from gatree.front.grow import grow
from gatree.front.room import Room, clear, position_of_largest
from gatree.kernels.decorators import inlined, lean
from gatree.trees.genome import LEAF, passes

_TRIED = 16  # steps to route an instance through both branches
_SORTED = 16  # steps per instance to sort a few hundred of them


@inlined
def class_given(cases: Cases, draft: Draft, node: int, instance: int) -> int:
    """Return the class that the subtree of a node predicts for an instance."""
    return int(draft[VALUE, leaf_of(cases, draft, node, instance)])


@inlined
def sort_pairs(keys: Ints, weights: NDArray[np.int64], n: int) -> None:
    """Sort the first ``n`` pairs by their keys (Shell sort)."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        for i in range(gap, n):
            key, weight, j = keys[i], weights[i], i
            while j >= gap and keys[j - gap] > key:
                keys[j], weights[j] = keys[j - gap], weights[j - gap]
                j -= gap
            keys[j], weights[j] = key, weight
        gap //= 3


@inlined
def _by_code(cases: Cases, room: Room, n_care: int, attribute: int) -> int:
    """Sum the weights by an attribute's codes, in increasing order; return the number of codes.

    Few instances are sorted, many are counted.
    """
    n_tests, n_codes = cases.n_tests[attribute], 0
    if _SORTED * n_care < n_tests:
        room.work[0] += _SORTED * n_care
        for k in range(n_care):
            room.keys[k], room.weights[k] = cases.codes[attribute, room.care[k]], room.weight[k]
        sort_pairs(room.keys, room.weights, n_care)
        for k in range(n_care):
            if n_codes > 0 and room.keys[k] == room.keys[n_codes - 1]:
                room.weights[n_codes - 1] += room.weights[k]
            else:
                room.keys[n_codes], room.weights[n_codes] = room.keys[k], room.weights[k]
                n_codes += 1
        return n_codes
    room.work[0] += n_tests + 2 * n_care
    clear(room.by_code, n_tests + 1)
    for k in range(n_care):
        room.by_code[cases.codes[attribute, room.care[k]]] += room.weight[k]
    for code in range(n_tests):
        if room.by_code[code] != 0:
            room.keys[n_codes], room.weights[n_codes] = code, room.by_code[code]
            n_codes += 1
    return n_codes


@lean
def best_test(
    cases: Cases,
    room: Room,
    n_care: int,
    best: tuple[int, int, int],
    rises: bool,
    falls: bool,
    only: int = LEAF,
) -> tuple[int, int, int]:
    """Return weight won, attribute and value of the best test, or ``best`` if none wins more.

    Of equal tests it is the one with the widest margin, as in greedy trees. An attribute with a direction is
    only tested if the classes of the branches respect it. ``only`` is the only attribute to test, or LEAF for
    all.
    """
    won, winner, winning = best
    directions = room.limits.directions
    widest = np.inf  # ignore tests that win no more than ``best``
    for attribute in range(len(cases.codes)):
        n_tests, numeric = cases.n_tests[attribute], cases.is_numeric[attribute]
        direction = directions[attribute] if len(directions) > 0 else 0
        if (direction > 0 and not rises) or (direction < 0 and not falls) or only not in (LEAF, attribute):
            continue
        total = 0
        n_codes = _by_code(cases, room, n_care, attribute)
        for k in range(n_codes):
            if room.keys[k] >= n_tests:
                break
            total = total + room.weights[k] if numeric else room.weights[k]
            if total > won or (total == won and widest < 1.0):
                after = room.keys[k + 1] if k + 1 < n_codes else n_tests
                margin = (after - room.keys[k] if numeric else 1) / n_tests
                if total > won or margin > widest:
                    won, winner, winning, widest = total, attribute, room.keys[k], margin
    return won, winner, winning


@inlined
def _weigh(
    cases: Cases, goal: Goal, room: Room, draft: Draft, node: int, segment: tuple[int, int]
) -> tuple[int, int, int, int]:
    """Record the instances that matter to a test.

    Return their number and weight, the weight that the test wins, and the number of passing instances.
    """
    left = node + 1
    right = left + draft[SPAN, left]
    attribute, value = draft[ATTRIBUTE, node], draft[VALUE, node]
    numeric, has_costs = cases.is_numeric[attribute], len(goal.gain) > 0
    n_care, total, won, n_passing = 0, 0, 0, 0
    for rank in range(segment[0], segment[1]):
        instance = room.members[rank]
        label, is_passing = cases.classes[instance], passes(cases.codes[attribute, instance], value, numeric)
        n_passing += is_passing
        on_the_left = class_given(cases, draft, left, instance)
        on_the_right = class_given(cases, draft, right, instance)
        matters = (on_the_left == label) != (on_the_right == label)
        weight = goal.worth[label] if on_the_left == label else -goal.worth[label]
        if has_costs:
            weight = goal.gain[label, on_the_left] - goal.gain[label, on_the_right]
            matters = weight != 0
        if matters:
            room.care[n_care], room.weight[n_care] = instance, weight
            n_care, total = n_care + 1, total + weight
            if is_passing:
                won += weight
    return n_care, total, won, n_passing


@inlined
def _make_leaf(cases: Cases, goal: Goal, room: Room, segment: tuple[int, int], leaf: int) -> int:
    """Record the leaf of a segment's instances; return its class."""
    has_costs = len(goal.gain) > 0
    clear(room.total, len(room.total))
    for rank in range(segment[0], segment[1]):
        instance = room.members[rank]
        room.leaf_of[instance] = leaf
        room.total[cases.classes[instance]] += 1 if has_costs else goal.worth[cases.classes[instance]]
    return most_gained(goal.gain, room.total) if has_costs else position_of_largest(room.total)


@lean
def _directions_kept(draft: Draft, node: int) -> tuple[bool, bool]:
    """Return whether the classes of a node's branches only rise, and only fall, from left to right."""
    left = node + 1
    right = left + draft[SPAN, left]
    lowest, highest = 1, 0  # of two classes, on the left
    rises, falls = True, True
    for here in range(left, node + draft[SPAN, node]):
        if draft[ATTRIBUTE, here] == LEAF:
            label = draft[VALUE, here]
            if here < right:
                lowest, highest = min(lowest, label), max(highest, label)
            else:
                rises, falls = rises and highest <= label, falls and lowest >= label
    return rises, falls


@lean
def sweep(cases: Cases, goal: Goal, room: Room, draft: Draft, target: Draft) -> tuple[int, bool]:
    """Write the tree with better tests into ``target``; return its number of nodes, and whether it changed.

    Spans of the new tree are not set. ``room.leaf_of`` is set to the leaf of every instance.
    """
    stack, n_open, n_nodes, changed = room.stack, 1, 0, False
    for instance in range(len(cases.classes)):
        room.members[instance] = instance
    push(stack, 0, 0, len(cases.classes), 0, 0)
    while n_open > 0:
        n_open -= 1
        begin, end, node = stack[n_open, 0], stack[n_open, 1], stack[n_open, 2]
        test = (0, LEAF, 0)
        while draft[ATTRIBUTE, node] != LEAF:
            old = (draft[ATTRIBUTE, node], draft[VALUE, node])
            room.work[0] += _TRIED * (end - begin)
            n_care, total, won, n_passing = _weigh(cases, goal, room, draft, node, (begin, end))
            rises, falls = True, True
            if len(room.limits.directions) > 0:
                rises, falls = _directions_kept(draft, node)
            only = room.limits.first if n_nodes == 0 else LEAF
            test = best_test(cases, room, n_care, (won, old[0], old[1]), rises, falls, only)
            if test[0] > max(total, 0) or old[0] == only:
                changed = changed or test[1] != old[0] or test[2] != old[1]
                break
            changed = True  # one branch for all instances is as good
            to_the_left = total > 0 or (total == 0 and 2 * n_passing >= end - begin)
            node = node + 1 if to_the_left else node + 1 + draft[SPAN, node + 1]
            test = (0, LEAF, 0)
        target[ATTRIBUTE, n_nodes], target[VALUE, n_nodes] = test[1], test[2]
        if test[1] == LEAF:
            target[VALUE, n_nodes] = _make_leaf(cases, goal, room, (begin, end), n_nodes)
        else:
            middle = part_members(cases, room.members, room.spare, (begin, end), test[1], test[2])
            right = node + 1 + draft[SPAN, node + 1]
            push(stack, n_open, middle, end, right, 0)
            push(stack, n_open + 1, begin, middle, node + 1, 0)
            n_open += 2
        n_nodes += 1
    return n_nodes, changed


@lean
def grow_out(cases: Cases, room: Room, draft: Draft, n_nodes: int, criterion: int, target: Draft) -> int:
    """Write the tree with every impure leaf grown greedily into ``target``; return its number of nodes.

    ``room.leaf_of`` must hold the leaf of every instance.
    """
    segments, mixed = room.segments, 3
    for node in range(n_nodes):
        segments[node, 1], segments[node, mixed] = 0, 0
    for instance in range(len(cases.classes)):
        leaf = room.leaf_of[instance]
        segments[leaf, 1] += 1
        if cases.classes[instance] != draft[VALUE, leaf]:
            segments[leaf, mixed] = 1
    begin = 0
    for node in range(n_nodes):
        segments[node, 0] = begin
        if segments[node, mixed]:
            begin += segments[node, 1]
    for row in range(len(cases.codes)):
        for node in range(n_nodes):
            segments[node, 2] = segments[node, 0]
        for rank in range(len(cases.classes)):
            leaf = room.leaf_of[cases.order[row, rank]]
            if segments[leaf, mixed]:
                room.order[row, segments[leaf, 2]] = cases.order[row, rank]
                segments[leaf, 2] += 1
    at = 0
    set_depths(draft, n_nodes, room.depth)
    for node in range(n_nodes):
        begin, n_here = segments[node, 0], segments[node, 1]
        fits = at + 2 * n_here + n_nodes - node < target.shape[1]
        if draft[ATTRIBUTE, node] == LEAF and segments[node, mixed] and fits:
            at = grow(
                cases, room, (begin, begin + n_here), criterion, (LEAF, 0), target, at, room.depth[node]
            )
        else:
            at = copy_nodes(draft, node, node + 1, target, at)
    return at
