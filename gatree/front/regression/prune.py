"""Compute what every node explains as a leaf, and find the best pruning of a tree to every size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.front.regression.grow import explained_by
from gatree.front.regression.numbers import Longs, Numbers
from gatree.front.regression.room import Room, push
from gatree.front.room import ATTRIBUTE, SPAN, VALUE, Draft
from gatree.kernels.decorators import inlined, jit, lean
from gatree.trees.genome import LEAF

IMPOSSIBLE = -1


class Prunings(NamedTuple):
    """The best prunings of a tree, by node and number of leaves."""

    first: Longs  # [node]: where its entries begin
    score: Longs  # [entry]: the best pruning's below the node, by leaves from 1 on
    n_left: NDArray[np.int32]  # [entry]: leaves of the left branch


@inlined
def _weigh_members(numbers: Numbers, room: Room, node: int, begin: int, end: int) -> None:
    """Record a node's number of instances, its prediction, and what it explains as a leaf."""
    n, target = end - begin, numbers.target
    room.n_here[node], room.score[node] = n, 0
    if n == 0:
        return
    if numbers.absolute:
        middle, saved = target[room.members[(begin + end) // 2]], 0
        for rank in range(begin, end):
            number = target[room.members[rank]]
            saved += abs(number) - abs(number - middle)
        room.value[node], room.score[node] = float(middle), saved
    else:
        total = 0
        for rank in range(begin, end):
            total += target[room.members[rank]]
        room.value[node] = float(total) / float(n)
        room.score[node] = int(explained_by(total, n) * numbers.score_unit)


@lean
def weigh(numbers: Numbers, room: Room, draft: Draft, n_nodes: int) -> None:
    """Record every node's number of instances, its prediction, and what it explains as a leaf.

    A node without instances has its parent's prediction.
    """
    cases, n, members = numbers.cases, len(numbers.target), room.members
    for instance in range(n):
        members[instance] = instance
    for node in range(n_nodes):
        room.value[node] = 0.0
    push(room.stack, 0, 0, n, 0, 0)
    n_open = 1
    while n_open > 0:
        n_open -= 1
        begin, end, node = room.stack[n_open, 0], room.stack[n_open, 1], room.stack[n_open, 2]
        _weigh_members(numbers, room, node, begin, end)
        attribute, value = draft[ATTRIBUTE, node], draft[VALUE, node]
        if attribute == LEAF:
            continue
        left, n_failing = begin, 0
        for rank in range(begin, end):
            instance = members[rank]
            code = cases.codes[attribute, instance]
            passes = code <= value if cases.is_numeric[attribute] else code == value
            members[left], room.spare[n_failing] = instance, instance
            left, n_failing = left + passes, n_failing + (not passes)
        for rank in range(n_failing):
            members[left + rank] = room.spare[rank]
        right = node + 1 + draft[SPAN, node + 1]
        room.value[node + 1], room.value[right] = room.value[node], room.value[node]
        push(room.stack, n_open, left, end, right, 0)
        push(room.stack, n_open + 1, begin, left, node + 1, 0)
        n_open += 2
        room.work[0] += 4 * (end - begin)


@jit
def prunings(numbers: Numbers, room: Room, draft: Draft, n_nodes: int, most_leaves: int) -> Prunings:
    """Find the best pruning to every number of leaves, given the results of `weigh`."""
    depth = _depths(draft, n_nodes)
    first = np.empty(n_nodes + 1, dtype=np.int64)
    first[0] = 0
    for node in range(n_nodes):
        n_entries = min(most_leaves, (draft[SPAN, node] + 1) // 2) if depth[node] < numbers.max_depth else 1
        first[node + 1] = first[node] + n_entries
    score = np.empty(first[n_nodes], dtype=np.int64)
    n_left = np.empty(first[n_nodes], dtype=np.int32)
    for entry in range(len(score)):
        score[entry], n_left[entry] = IMPOSSIBLE, 0
    for node in range(n_nodes - 1, -1, -1):
        if first[node + 1] > first[node] + 1:
            _join(draft, node, first, score, n_left)
        if node == 0 or room.n_here[node] >= numbers.min_leaf:
            score[first[node]] = room.score[node]
    return Prunings(first, score, n_left)


@jit
def _depths(draft: Draft, n_nodes: int) -> Longs:
    """Return the depth of every node."""
    depth = np.empty(n_nodes, dtype=np.int64)
    depth[0] = 0
    for node in range(n_nodes):
        if draft[ATTRIBUTE, node] != LEAF:
            below = depth[node] + 1
            depth[node + 1], depth[node + 1 + draft[SPAN, node + 1]] = below, below
    return depth


@lean
def _join(draft: Draft, node: int, first: Longs, score: Longs, n_left: NDArray[np.int32]) -> None:
    """Fill a node's entries from those of its children."""
    left = node + 1
    right = left + draft[SPAN, left]
    begin, room = first[node], first[node + 1] - first[node]
    for i in range(first[left + 1] - first[left]):
        on_the_left = score[first[left] + i]
        if on_the_left == IMPOSSIBLE:
            continue
        for j in range(min(first[right + 1] - first[right], room - i - 1)):
            on_the_right = score[first[right] + j]
            entry = begin + i + j + 1
            if on_the_right != IMPOSSIBLE and on_the_left + on_the_right > score[entry]:
                score[entry], n_left[entry] = on_the_left + on_the_right, i + 1


@lean
def pruned(draft: Draft, found: Prunings, n_leaves: int, stack: Longs, target: Draft) -> int:
    """Write the best pruning to ``n_leaves`` leaves, without spans, into ``target``; return its nodes."""
    stack[0, 0], stack[0, 1] = 0, n_leaves
    n_open, n_nodes = 1, 0
    while n_open > 0:
        n_open -= 1
        node, leaves = stack[n_open, 0], stack[n_open, 1]
        if leaves == 1:
            target[ATTRIBUTE, n_nodes], target[VALUE, n_nodes] = LEAF, 0
        else:
            target[ATTRIBUTE, n_nodes], target[VALUE, n_nodes] = draft[ATTRIBUTE, node], draft[VALUE, node]
            left = found.n_left[found.first[node] + leaves - 1]
            stack[n_open, 0], stack[n_open, 1] = node + 1 + draft[SPAN, node + 1], leaves - left
            stack[n_open + 1, 0], stack[n_open + 1, 1] = node + 1, left
            n_open += 2
        n_nodes += 1
    return n_nodes
