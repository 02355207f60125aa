"""Local search: from the root down, replace every test by the best one for its current subtrees.

By passing a test, an instance saves what its class or number loses in the right branch, minus that in the
left one. With everything else unchanged, the best test of a node is the one whose passing instances save
most. A test that is no better than none is replaced by one of its branches. A sweep never makes a tree worse.
(Tree alternating optimization: Carreira-Perpinan and Tavallali, 2018; for regression Zharmagambetov and
Carreira-Perpinan, 2020.)
"""

from __future__ import annotations

import numpy as np

from gatree.kernels.decorators import inlined, lean
from gatree.smalltree.draft import (
    ATTRIBUTE,
    BEGIN,
    DEPTH,
    END,
    MEAN,
    SPAN,
    STALE,
    TOP,
    VALUE,
    Draft,
    copy_nodes,
    leaf_of,
    part_members,
    push,
    set_depths,
)
from gatree.smalltree.grow import grow
from gatree.smalltree.room import Room, clear, position_of_largest
from gatree.smalltree.task import Longs, Task
from gatree.smalltree.worth import most_gained
from gatree.trees.genome import LEAF, Ints, passes

_TRIED = 16  # steps to route an instance through both branches
_SORTED = 16  # steps per instance to sort a few hundred of them
_NO_NODE = -1


@inlined
def sort_codes(codes: Ints, saved_by: Longs, counted: Longs, n: int) -> None:
    """Sort the first ``n`` codes, with what belongs to them (Shell sort)."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        for i in range(gap, n):
            code, saved, count, j = codes[i], saved_by[i], counted[i], i
            while j >= gap and codes[j - gap] > code:
                codes[j], saved_by[j], counted[j] = codes[j - gap], saved_by[j - gap], counted[j - gap]
                j -= gap
            codes[j], saved_by[j], counted[j] = code, saved, count
        gap //= 3


@inlined
def _by_code(task: Task, room: Room, n_care: int, attribute: int) -> int:
    """Sum what instances save by an attribute's codes, in increasing order; return the number of codes.

    Few instances are sorted, many are counted.
    """
    codes, care = task.cases.codes, room.care
    n_tests, n_codes = task.cases.n_tests[attribute], 0
    if _SORTED * n_care < n_tests:
        room.work[0] += _SORTED * n_care
        for k in range(n_care):
            room.codes[k], room.saved_by[k] = codes[attribute, care[k]], room.saved[k]
            room.counted[k] = task.counts[care[k]]
        sort_codes(room.codes, room.saved_by, room.counted, n_care)
        for k in range(n_care):
            if n_codes > 0 and room.codes[k] == room.codes[n_codes - 1]:
                room.saved_by[n_codes - 1] += room.saved_by[k]
                room.counted[n_codes - 1] += room.counted[k]
            else:
                room.codes[n_codes], room.saved_by[n_codes] = room.codes[k], room.saved_by[k]
                room.counted[n_codes] = room.counted[k]
                n_codes += 1
        return n_codes
    room.work[0] += n_tests + 2 * n_care
    for code in range(n_tests + 1):
        room.by_code[code], room.n_by_code[code] = 0, 0
    for k in range(n_care):
        code = codes[attribute, care[k]]
        room.by_code[code] += room.saved[k]
        room.n_by_code[code] += task.counts[care[k]]
    for code in range(n_tests):
        if room.n_by_code[code] != 0:
            room.codes[n_codes], room.saved_by[n_codes], room.counted[n_codes] = (
                code,
                room.by_code[code],
                room.n_by_code[code],
            )
            n_codes += 1
    return n_codes


@lean
def best_test(
    task: Task,
    room: Room,
    n_care: int,
    n_here: int,
    best: tuple[int, int, int],
    keeps: tuple[bool, bool],
    only: int,
) -> tuple[int, int, int]:
    """Return what the best test saves, its attribute and its value, or ``best`` if none saves more.

    Of equal tests it is the one with the widest margin, as in greedy trees. An attribute with a direction is
    only tested if the classes of the branches respect it. ``only`` is the only attribute to test, or LEAF for
    all. If leaves may be small, the instances to which the test does not matter are not counted.
    """
    cases, limits = task.cases, task.limits
    won, winner, winning = best
    widest = np.inf  # ignore tests that save no more than ``best``
    for attribute in range(len(cases.codes)):
        n_tests, numeric = cases.n_tests[attribute], cases.is_numeric[attribute]
        if only not in (LEAF, attribute):
            continue
        if task.are_classes and len(limits.directions) > 0:
            direction = limits.directions[attribute]
            if (direction > 0 and not keeps[0]) or (direction < 0 and not keeps[1]):
                continue
        total, n_passing = 0, 0
        n_codes = _by_code(task, room, n_care, attribute)
        for k in range(n_codes):
            code = room.codes[k]
            if code >= n_tests:
                break
            total = total + room.saved_by[k] if numeric else room.saved_by[k]
            n_passing = n_passing + room.counted[k] if numeric else room.counted[k]
            is_small = limits.min_leaf > 1 and min(n_passing, n_here - n_passing) < limits.min_leaf
            if not is_small and (total > won or (total == won and widest < 1.0)):
                after = room.codes[k + 1] if k + 1 < n_codes else n_tests
                margin = (after - code if numeric else 1) / n_tests
                if total > won or margin > widest:
                    won, winner, winning, widest = total, attribute, code, margin
    return won, winner, winning


@inlined
def _saved(task: Task, room: Room, draft: Draft, instance: int, left: int, right: int) -> int:
    """Return what an instance saves by passing a test, given the leaves that it reaches in both branches."""
    if not task.are_classes:
        number = task.target[instance]
        off, other = number - room.values[MEAN, right], number - room.values[MEAN, left]
        return int(int((off * off - other * other) * task.error_unit) * task.counts[instance])
    label = task.cases.classes[instance]
    on_the_left, on_the_right = draft[VALUE, left], draft[VALUE, right]
    if len(task.gain) > 0:
        gained = task.gain[label, on_the_left] - task.gain[label, on_the_right]
        return int(gained * task.counts[instance])
    sign = (1 if on_the_left == label else 0) - (1 if on_the_right == label else 0)
    return int(sign * task.stakes[instance])


@inlined
def _weigh_branches(
    task: Task, room: Room, draft: Draft, node: int, segment: tuple[int, int]
) -> tuple[int, int, int, int, int]:
    """Record the instances that matter to a test, and what each saves by passing.

    Return their number, what all save and what the passing ones save, and the samples here and passing.
    """
    cases, left = task.cases, node + 1
    right = left + draft[SPAN, left]
    attribute, value = draft[ATTRIBUTE, node], draft[VALUE, node]
    numeric, counts_all = cases.is_numeric[attribute], task.limits.min_leaf > 1
    n_care, total, won, n_here, n_passing = 0, 0, 0, 0, 0
    for rank in range(segment[0], segment[1]):
        instance = room.members[rank]
        is_passing, n = passes(cases.codes[attribute, instance], value, numeric), task.counts[instance]
        n_here += n
        n_passing += n if is_passing else 0
        below, above = leaf_of(cases, draft, left, instance), leaf_of(cases, draft, right, instance)
        saved = _saved(task, room, draft, instance, below, above)
        if saved != 0 or counts_all:
            room.care[n_care], room.saved[n_care] = instance, saved
            n_care, total = n_care + 1, total + saved
            if is_passing:
                won += saved
    return n_care, total, won, n_here, n_passing


@inlined
def _make_leaf(task: Task, room: Room, segment: tuple[int, int], leaf: int) -> int:
    """Record the leaf of a segment's instances; return its class."""
    total = room.total
    clear(total, len(total))
    for rank in range(segment[0], segment[1]):
        instance = room.members[rank]
        room.leaf_of[instance] = leaf
        if task.are_classes:
            total[task.cases.classes[instance]] += task.stakes[instance]
    if len(task.gain) > 0:
        clear(total, len(total))
        for rank in range(segment[0], segment[1]):
            instance = room.members[rank]
            total[task.cases.classes[instance]] += task.counts[instance]
        label, _ = most_gained(task.gain, total)
        return label
    return position_of_largest(total)


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
def sweep(task: Task, room: Room, draft: Draft, target: Draft) -> tuple[int, bool]:
    """Write the tree with better tests into ``target``; return its number of nodes, and whether it changed.

    For numbers, `weigh` must have recorded what the leaves predict. Spans of the new tree are not set. The
    leaf of every instance is recorded. A test that is not stale is kept while no test above it changes; the
    nodes of the new tree that changed are marked as stale.
    """
    limits, stack, n_open, n_nodes, changed = task.limits, room.stack, 1, 0, False
    stale = room.nodes[STALE]
    for instance in range(len(task.counts)):
        room.members[instance] = instance
    push(stack, 0, 0, len(task.counts), 0, 0)
    while n_open > 0:
        n_open -= 1
        begin, end, node, moved = stack[n_open, 0], stack[n_open, 1], stack[n_open, 2], stack[n_open, 3]
        test, is_new = (0, LEAF, 0), 0
        while draft[ATTRIBUTE, node] != LEAF:
            old = (draft[ATTRIBUTE, node], draft[VALUE, node])
            if moved == 0 and stale[node] == 0:
                test = (0, old[0], old[1])
                break
            room.work[0] += _TRIED * (end - begin)
            n_care, total, won, n, n_passing = _weigh_branches(task, room, draft, node, (begin, end))
            only = limits.first if n_nodes == 0 else LEAF
            least = max(total, 0)  # what one branch for all instances saves
            keeps = won > least or old[0] == only
            start = (least, LEAF, 0)
            if keeps and min(n_passing, n - n_passing) >= limits.min_leaf:
                start = (won, old[0], old[1])
            directions = (True, True)
            if task.are_classes and len(limits.directions) > 0:
                directions = _directions_kept(draft, node)
            test = best_test(task, room, n_care, n, start, directions, only)
            if test[1] != old[0] or test[2] != old[1]:
                changed, moved, is_new = True, 1, 1
            if test[1] != LEAF:
                break
            to_the_left = total > 0 or (total == 0 and 2 * n_passing >= n)  # one branch is as good
            node = node + 1 if to_the_left else node + 1 + draft[SPAN, node + 1]
        target[ATTRIBUTE, n_nodes], target[VALUE, n_nodes] = test[1], test[2]
        if test[1] == LEAF:
            label = _make_leaf(task, room, (begin, end), n_nodes)
            if label != draft[VALUE, node] or (moved == 1 and not task.are_classes):
                is_new = 1
            target[VALUE, n_nodes] = label
        else:
            members, spare = room.members, room.spare
            middle = part_members(task.cases, members, spare, (begin, end), test[1], test[2])
            right = node + 1 + draft[SPAN, node + 1]
            push(stack, n_open, middle, end, right, moved)
            push(stack, n_open + 1, begin, middle, node + 1, moved)
            n_open += 2
        stale[n_nodes] = is_new  # the nodes that are still to come stand behind this one
        n_nodes += 1
    return n_nodes, changed


@lean
def _find_tops(task: Task, room: Room, draft: Draft, n_nodes: int) -> None:
    """Find the nodes to grow: the leaves that make errors, and the lowest tests above such leaves.

    The lowest tests are grown again for numbers, and on the last level of a depth limit.
    """
    nodes, limits = room.nodes, task.limits
    for node in range(n_nodes):
        nodes[TOP, node], nodes[BEGIN, node], nodes[END, node] = _NO_NODE, 0, 0
    for instance in range(len(task.counts)):
        leaf = room.leaf_of[instance]
        if not task.are_classes or task.cases.classes[instance] != draft[VALUE, leaf]:
            nodes[TOP, leaf] = leaf
    for node in range(n_nodes):
        is_lowest = draft[ATTRIBUTE, node] != LEAF and draft[SPAN, node] == 3
        again = not task.are_classes or nodes[DEPTH, node] + 1 == limits.max_depth
        mixed = is_lowest and (nodes[TOP, node + 1] != _NO_NODE or nodes[TOP, node + 2] != _NO_NODE)
        if mixed and again:
            nodes[TOP, node] = nodes[TOP, node + 1] = nodes[TOP, node + 2] = node


@lean
def grow_out(task: Task, room: Room, draft: Draft, n_nodes: int, criterion: int, target: Draft) -> int:
    """Write the tree with every impure leaf grown greedily into ``target``; return its number of nodes.

    The leaf of every instance must be recorded.
    """
    nodes, leaves = room.nodes, room.leaf_of
    set_depths(draft, n_nodes, nodes)
    _find_tops(task, room, draft, n_nodes)
    for instance in range(len(task.counts)):
        top = nodes[TOP, leaves[instance]]
        if top != _NO_NODE:
            nodes[END, top] += 1
    begin = 0
    for node in range(n_nodes):
        n_here = nodes[END, node]
        nodes[BEGIN, node], nodes[END, node] = begin, begin
        begin += n_here
    for row in range(len(room.order)):
        for node in range(n_nodes):
            nodes[END, node] = nodes[BEGIN, node]
        for rank in range(len(task.counts)):
            instance = task.cases.order[row, rank]
            top = nodes[TOP, leaves[instance]]
            if top != _NO_NODE:
                room.order[row, nodes[END, top]] = instance
                nodes[END, top] += 1
    at, node = 0, 0
    while node < n_nodes:
        segment = (nodes[BEGIN, node], nodes[END, node])
        fits = at + 2 * (segment[1] - segment[0]) + n_nodes - node < target.shape[1]
        if nodes[TOP, node] == node and fits:
            at = grow(task, room, segment, criterion, (LEAF, 0), target, at, nodes[DEPTH, node])
            node += draft[SPAN, node]
        else:
            at = copy_nodes(draft, node, node + 1, target, at)
            node += 1
    return at
