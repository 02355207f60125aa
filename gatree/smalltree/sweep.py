"""Local search: from the root down, replace every test by the best one for its current subtrees.

By passing a test, an instance saves what its class or number loses in the right branch, minus that in the
left one. With everything else unchanged, the best test of a node is the one whose passing instances save
most. A test that is no better than none is replaced by one of its branches. A sweep never makes a tree worse.
(Tree alternating optimization: Carreira-Perpinan and Tavallali, 2018; for regression Zharmagambetov and
Carreira-Perpinan, 2020.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gatree.kernels.decorators import lean
from gatree.smalltree.draft import (
    Buffers,
    Draft,
    clear,
    copy_nodes,
    leaf_of,
    part_members,
    position_of_largest,
    push,
    set_depths,
)
from gatree.smalltree.grow import grow
from gatree.smalltree.prune import most_gained
from gatree.smalltree.task import Longs, Task
from gatree.trees.genome import LEAF, Ints, passes

_TRIED = 16  # steps to route an instance through both branches
_SORTED = 16  # steps per instance to sort a few hundred of them
_NO_NODE = -1


class Savings(NamedTuple):
    """What the instances at a test save by passing it, given both branches."""

    n_care: int  # the instances that it matters to
    total: int  # saved if all pass
    won: int  # saved by those that do
    n: int  # samples here
    n_passing: int


@lean
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


@lean
def _by_code(task: Task, buffers: Buffers, n_care: int, attribute: int) -> int:
    """Sum what instances save by an attribute's codes, in increasing order; return the number of codes.

    Few instances are sorted, many are counted.
    """
    codes, care = task.cases.codes, buffers.care
    n_tests, n_codes = task.cases.n_tests[attribute], 0
    if _SORTED * n_care < n_tests:
        buffers.n_steps[0] += _SORTED * n_care
        for k in range(n_care):
            buffers.codes[k], buffers.saved_by[k] = codes[attribute, care[k]], buffers.saved[k]
            buffers.counted[k] = task.counts[care[k]]
        sort_codes(buffers.codes, buffers.saved_by, buffers.counted, n_care)
        for k in range(n_care):
            if n_codes > 0 and buffers.codes[k] == buffers.codes[n_codes - 1]:
                buffers.saved_by[n_codes - 1] += buffers.saved_by[k]
                buffers.counted[n_codes - 1] += buffers.counted[k]
            else:
                buffers.codes[n_codes], buffers.saved_by[n_codes] = buffers.codes[k], buffers.saved_by[k]
                buffers.counted[n_codes] = buffers.counted[k]
                n_codes += 1
        return n_codes
    buffers.n_steps[0] += n_tests + 2 * n_care
    for code in range(n_tests + 1):
        buffers.by_code[code], buffers.n_by_code[code] = 0, 0
    for k in range(n_care):
        code = codes[attribute, care[k]]
        buffers.by_code[code] += buffers.saved[k]
        buffers.n_by_code[code] += task.counts[care[k]]
    for code in range(n_tests):
        if buffers.n_by_code[code] != 0:
            buffers.codes[n_codes], buffers.saved_by[n_codes], buffers.counted[n_codes] = (
                code,
                buffers.by_code[code],
                buffers.n_by_code[code],
            )
            n_codes += 1
    return n_codes


@lean
def best_test(
    task: Task,
    buffers: Buffers,
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
        n_codes = _by_code(task, buffers, n_care, attribute)
        for k in range(n_codes):
            code = buffers.codes[k]
            if code >= n_tests:
                break
            total = total + buffers.saved_by[k] if numeric else buffers.saved_by[k]
            n_passing = n_passing + buffers.counted[k] if numeric else buffers.counted[k]
            is_small = limits.min_leaf > 1 and min(n_passing, n_here - n_passing) < limits.min_leaf
            if not is_small and (total > won or (total == won and widest < 1.0)):
                after = buffers.codes[k + 1] if k + 1 < n_codes else n_tests
                margin = (after - code if numeric else 1) / n_tests
                if total > won or margin > widest:
                    won, winner, winning, widest = total, attribute, code, margin
    return won, winner, winning


@lean
def _saved(task: Task, buffers: Buffers, draft: Draft, instance: int, left: int, right: int) -> int:
    """Return what an instance saves by passing a test, given the leaves that it reaches in both branches."""
    if not task.are_classes:
        number = task.target[instance]
        off, other = number - buffers.nodes.mean[right], number - buffers.nodes.mean[left]
        return int(int((off * off - other * other) * task.error_unit) * task.counts[instance])
    label = task.cases.classes[instance]
    on_the_left, on_the_right = draft.value[left], draft.value[right]
    if len(task.gain) > 0:
        gained = task.gain[label, on_the_left] - task.gain[label, on_the_right]
        return int(gained * task.counts[instance])
    sign = (1 if on_the_left == label else 0) - (1 if on_the_right == label else 0)
    return int(sign * task.stakes[instance])


@lean
def _weigh_branches(
    task: Task, buffers: Buffers, draft: Draft, node: int, segment: tuple[int, int]
) -> Savings:
    """Record the instances that matter to a test, and what each saves by passing."""
    cases, left = task.cases, node + 1
    right = left + draft.span[left]
    attribute, value = draft.attribute[node], draft.value[node]
    numeric, counts_all = cases.is_numeric[attribute], task.limits.min_leaf > 1
    n_care, total, won, n_here, n_passing = 0, 0, 0, 0, 0
    for rank in range(segment[0], segment[1]):
        instance = buffers.members[rank]
        is_passing, n = passes(cases.codes[attribute, instance], value, numeric), task.counts[instance]
        n_here += n
        n_passing += n if is_passing else 0
        below, above = leaf_of(cases, draft, left, instance), leaf_of(cases, draft, right, instance)
        saved = _saved(task, buffers, draft, instance, below, above)
        if saved != 0 or counts_all:
            buffers.care[n_care], buffers.saved[n_care] = instance, saved
            n_care, total = n_care + 1, total + saved
            if is_passing:
                won += saved
    return Savings(n_care, total, won, n_here, n_passing)


@lean
def _make_leaf(task: Task, buffers: Buffers, segment: tuple[int, int], leaf: int) -> int:
    """Record the leaf of a segment's instances; return its class."""
    total = buffers.total
    clear(total, len(total))
    for rank in range(segment[0], segment[1]):
        instance = buffers.members[rank]
        buffers.leaf_of[instance] = leaf
        if task.are_classes:
            total[task.cases.classes[instance]] += task.stakes[instance]
    if len(task.gain) > 0:
        clear(total, len(total))
        for rank in range(segment[0], segment[1]):
            instance = buffers.members[rank]
            total[task.cases.classes[instance]] += task.counts[instance]
        label, _ = most_gained(task.gain, total)
        return label
    return position_of_largest(total)


@lean
def _directions_kept(draft: Draft, node: int) -> tuple[bool, bool]:
    """Return whether the classes of a node's branches only rise, and only fall, from left to right."""
    left = node + 1
    right = left + draft.span[left]
    lowest, highest = 1, 0  # of two classes, on the left
    rises, falls = True, True
    for here in range(left, node + draft.span[node]):
        if draft.attribute[here] == LEAF:
            label = draft.value[here]
            if here < right:
                lowest, highest = min(lowest, label), max(highest, label)
            else:
                rises, falls = rises and highest <= label, falls and lowest >= label
    return rises, falls


@lean
def sweep(task: Task, buffers: Buffers, draft: Draft, target: Draft) -> tuple[int, bool]:
    """Write the tree with better tests into ``target``; return its number of nodes, and whether it changed.

    For numbers, `weigh` must have recorded what the leaves predict. Spans of the new tree are not set. The
    leaf of every instance is recorded. A test that is not stale is kept while no test above it changes; the
    nodes of the new tree that changed are marked as stale.
    """
    limits, stack, n_open, n_nodes, changed = task.limits, buffers.stack, 1, 0, False
    stale = buffers.nodes.stale
    for instance in range(len(task.counts)):
        buffers.members[instance] = instance
    push(stack, 0, 0, len(task.counts), 0, 0)
    while n_open > 0:
        n_open -= 1
        begin, end, node, moved = stack[n_open, 0], stack[n_open, 1], stack[n_open, 2], stack[n_open, 3]
        test, is_new = (0, LEAF, 0), 0
        while draft.attribute[node] != LEAF:
            old = (draft.attribute[node], draft.value[node])
            if moved == 0 and stale[node] == 0:
                test = (0, old[0], old[1])
                break
            buffers.n_steps[0] += _TRIED * (end - begin)
            found = _weigh_branches(task, buffers, draft, node, (begin, end))
            n_care, total, won, n, n_passing = found.n_care, found.total, found.won, found.n, found.n_passing
            only = limits.first if n_nodes == 0 else LEAF
            least = max(total, 0)  # what one branch for all instances saves
            keeps = won > least or old[0] == only
            start = (least, LEAF, 0)
            if keeps and min(n_passing, n - n_passing) >= limits.min_leaf:
                start = (won, old[0], old[1])
            directions = (True, True)
            if task.are_classes and len(limits.directions) > 0:
                directions = _directions_kept(draft, node)
            test = best_test(task, buffers, n_care, n, start, directions, only)
            if test[1] != old[0] or test[2] != old[1]:
                changed, moved, is_new = True, 1, 1
            if test[1] != LEAF:
                break
            to_the_left = total > 0 or (total == 0 and 2 * n_passing >= n)  # one branch is as good
            node = node + 1 if to_the_left else node + 1 + draft.span[node + 1]
        target.attribute[n_nodes], target.value[n_nodes] = test[1], test[2]
        if test[1] == LEAF:
            label = _make_leaf(task, buffers, (begin, end), n_nodes)
            if label != draft.value[node] or (moved == 1 and not task.are_classes):
                is_new = 1
            target.value[n_nodes] = label
        else:
            members, spare = buffers.members, buffers.spare
            middle = part_members(task.cases, members, spare, (begin, end), test[1], test[2])
            right = node + 1 + draft.span[node + 1]
            push(stack, n_open, middle, end, right, moved)
            push(stack, n_open + 1, begin, middle, node + 1, moved)
            n_open += 2
        stale[n_nodes] = is_new  # the nodes that are still to come stand behind this one
        n_nodes += 1
    return n_nodes, changed


@lean
def _find_tops(task: Task, buffers: Buffers, draft: Draft, n_nodes: int) -> None:
    """Find the nodes to grow: the leaves that make errors, and the lowest tests above such leaves.

    The lowest tests are grown again for numbers, and on the last level of a depth limit.
    """
    nodes, limits = buffers.nodes, task.limits
    for node in range(n_nodes):
        nodes.top[node], nodes.begin[node], nodes.end[node] = _NO_NODE, 0, 0
    for instance in range(len(task.counts)):
        leaf = buffers.leaf_of[instance]
        if not task.are_classes or task.cases.classes[instance] != draft.value[leaf]:
            nodes.top[leaf] = leaf
    for node in range(n_nodes):
        is_lowest = draft.attribute[node] != LEAF and draft.span[node] == 3
        again = not task.are_classes or nodes.depth[node] + 1 == limits.max_depth
        mixed = is_lowest and (nodes.top[node + 1] != _NO_NODE or nodes.top[node + 2] != _NO_NODE)
        if mixed and again:
            nodes.top[node] = nodes.top[node + 1] = nodes.top[node + 2] = node


@lean
def grow_out(task: Task, buffers: Buffers, draft: Draft, n_nodes: int, criterion: int, target: Draft) -> int:
    """Write the tree with every impure leaf grown greedily into ``target``; return its number of nodes.

    The leaf of every instance must be recorded.
    """
    nodes, leaves = buffers.nodes, buffers.leaf_of
    set_depths(draft, n_nodes, nodes)
    _find_tops(task, buffers, draft, n_nodes)
    for instance in range(len(task.counts)):
        top = nodes.top[leaves[instance]]
        if top != _NO_NODE:
            nodes.end[top] += 1
    begin = 0
    for node in range(n_nodes):
        n_here = nodes.end[node]
        nodes.begin[node], nodes.end[node] = begin, begin
        begin += n_here
    for row in range(len(buffers.order)):
        for node in range(n_nodes):
            nodes.end[node] = nodes.begin[node]
        for rank in range(len(task.counts)):
            instance = task.cases.order[row, rank]
            top = nodes.top[leaves[instance]]
            if top != _NO_NODE:
                buffers.order[row, nodes.end[top]] = instance
                nodes.end[top] += 1
    at, node = 0, 0
    while node < n_nodes:
        segment = (nodes.begin[node], nodes.end[node])
        fits = at + 2 * (segment[1] - segment[0]) + n_nodes - node < target.attribute.shape[0]
        if nodes.top[node] == node and fits:
            at = grow(task, buffers, segment, criterion, (LEAF, 0), target, at, nodes.depth[node])
            node += draft.span[node]
        else:
            at = copy_nodes(draft, node, node + 1, target, at)
            node += 1
    return at
