"""Compute what every node of a tree is worth as a leaf, and find the best pruning to every size."""

from __future__ import annotations

from gatree.kernels.decorators import inlined, jit, lean
from gatree.smalltree.archive import Prunings, join, start_prunings
from gatree.smalltree.draft import (
    ATTRIBUTE,
    LABEL,
    MEAN,
    N_HERE,
    SCORE,
    SPAN,
    VALUE,
    Draft,
    part_members,
    push,
)
from gatree.smalltree.grow import explained_by
from gatree.smalltree.room import Bench, Room, clear
from gatree.smalltree.task import CORRECT_UNIT, Gains, Longs, Task, TreeLimits
from gatree.trees.genome import LEAF

_WEIGHED = 4  # steps to count an instance at a node and to partition it


@lean
def most_gained(gain: Gains, counts: Longs) -> tuple[int, int]:
    """Return the label with the largest gain for the given class counts, and the gain."""
    best, most = 0, -1
    for label in range(len(counts)):
        total = 0
        for c in range(len(counts)):
            total += counts[c] * gain[c, label]
        if total > most:
            best, most = label, total
    return best, most


@inlined
def _weigh_classes(task: Task, room: Room, node: int, begin: int, end: int) -> None:
    """Record a node's samples, its class, and its score as a leaf: correct weight, then Gini purity.

    ``room.total`` is zero before and after.
    """
    nodes, members = room.nodes, room.members
    total, seen = room.total, room.seen
    n, best, whole, squares = 0, 0, 0, 0.0
    clear(seen, len(seen))
    for rank in range(begin, end):
        instance = members[rank]
        label = task.cases.classes[instance]
        n += task.counts[instance]
        whole += task.stakes[instance]
        total[label] += task.stakes[instance]
        seen[label] += task.counts[instance]
        if total[label] > total[best] or (total[label] == total[best] and label < best):
            best = label
    counted = total[best]
    if len(task.gain) > 0:
        best, counted = most_gained(task.gain, seen)
    for rank in range(begin, end):
        label = task.cases.classes[members[rank]]
        squares += float(total[label]) * float(total[label])
        total[label] = 0
    purity = squares / whole * task.unit if whole > 0 else 0.0
    nodes[N_HERE, node], nodes[LABEL, node] = n, best
    nodes[SCORE, node] = int(CORRECT_UNIT * counted) + int(purity)


@inlined
def _weigh_numbers(task: Task, room: Room, node: int, begin: int, end: int) -> None:
    """Record a node's samples, its mean, and the error that it explains as a leaf."""
    nodes, n, total = room.nodes, 0, 0
    for rank in range(begin, end):
        instance = room.members[rank]
        n += task.counts[instance]
        total += task.counts[instance] * task.target[instance]
    nodes[N_HERE, node], nodes[LABEL, node], nodes[SCORE, node] = n, 0, 0
    if n > 0:  # else it keeps its parent's number
        room.values[MEAN, node] = float(total) / float(n)
        nodes[SCORE, node] = int(explained_by(total, n) * task.unit)


@lean
def weigh(task: Task, room: Room, draft: Draft) -> None:
    """Record every node's samples, what it predicts, and its score as a leaf."""
    n, members, stack = len(task.counts), room.members, room.stack
    for instance in range(n):
        members[instance] = instance
    clear(room.total, len(room.total))
    room.values[MEAN, 0] = 0.0
    push(stack, 0, 0, n, 0, 0)
    n_open = 1
    while n_open > 0:
        n_open -= 1
        begin, end, node = stack[n_open, 0], stack[n_open, 1], stack[n_open, 2]
        if task.are_classes:
            _weigh_classes(task, room, node, begin, end)
        else:
            _weigh_numbers(task, room, node, begin, end)
        room.work[0] += _WEIGHED * (end - begin)
        attribute, value = draft[ATTRIBUTE, node], draft[VALUE, node]
        if attribute == LEAF:
            continue
        middle = part_members(task.cases, members, room.spare, (begin, end), attribute, value)
        right = node + 1 + draft[SPAN, node + 1]
        above = room.values[MEAN, node]
        room.values[MEAN, node + 1], room.values[MEAN, right] = above, above
        push(stack, n_open, middle, end, right, 0)
        push(stack, n_open + 1, begin, middle, node + 1, 0)
        n_open += 2


@lean
def weigh_leaves(task: Task, room: Room, draft: Draft, n_nodes: int) -> None:
    """Record every leaf's samples, what it predicts, and its score, given the leaf of every instance.

    On many instances this takes a fraction of the time of `weigh`, which weighs all nodes above, too.
    """
    members, segments, leaf_of = room.members, room.stack, room.leaf_of
    for node in range(n_nodes):
        segments[node, 1] = 0
    for instance in range(len(leaf_of)):
        segments[leaf_of[instance], 1] += 1
    end = 0
    for node in range(n_nodes):
        n, segments[node, 0], segments[node, 1] = segments[node, 1], end, end
        end += n
    for instance in range(len(leaf_of)):
        leaf = leaf_of[instance]
        members[segments[leaf, 1]] = instance
        segments[leaf, 1] += 1
    clear(room.total, len(room.total))
    for node in range(n_nodes):
        if draft[ATTRIBUTE, node] == LEAF:
            if task.are_classes:
                _weigh_classes(task, room, node, segments[node, 0], segments[node, 1])
            else:
                _weigh_numbers(task, room, node, segments[node, 0], segments[node, 1])


@jit
def prunings(bench: Bench, draft: Draft, n_nodes: int, most_leaves: int) -> Prunings:
    """Find the best pruning to every number of leaves."""
    task, nodes, limits = bench.task, bench.room.nodes, bench.task.limits
    weigh(task, bench.room, draft)
    found = start_prunings(draft, n_nodes, most_leaves, limits.max_depth, nodes)
    for node in range(n_nodes - 1, -1, -1):
        found.label[node] = nodes[LABEL, node]
        may_test = node > 0 or limits.first == LEAF or draft[ATTRIBUTE, 0] == limits.first
        may_test = may_test and nodes[N_HERE, node] >= limits.min_split
        size = found.first[node + 1] - found.first[node]
        if may_test and size > 1:
            if task.are_classes and len(limits.directions) > 0:
                _join_in_direction(limits, draft, node, found)
            else:
                join(draft, node, found, size, size)
        if node == 0 or nodes[N_HERE, node] >= limits.min_leaf:
            found.score[found.first[node]] = nodes[SCORE, node]
    return found


@lean
def _join_in_direction(limits: TreeLimits, draft: Draft, node: int, found: Prunings) -> None:
    """Fill a node's entries so that its test respects the direction of its attribute.

    With two classes, either one branch predicts only the lower class, or the other branch only the higher
    one. A single leaf predicts the same as such a branch.
    """
    room = found.first[node + 1] - found.first[node]
    direction = limits.directions[draft[ATTRIBUTE, node]]
    left = node + 1
    right = left + draft[SPAN, left]
    if direction == 0:
        join(draft, node, found, room, room)
        return
    if found.label[left] == (0 if direction > 0 else 1):
        join(draft, node, found, 1, room)
    if found.label[right] == (1 if direction > 0 else 0):
        join(draft, node, found, room, 1)
