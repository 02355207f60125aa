"""Compute what every node explains as a leaf, and find the best pruning of a tree to every size."""

from __future__ import annotations

from gatree.front.archive import Prunings, join, start_prunings
from gatree.front.draft import ATTRIBUTE, SPAN, VALUE, Draft, part_members, push
from gatree.front.regression.grow import explained_by
from gatree.front.regression.numbers import Numbers
from gatree.front.regression.room import Bench, Room
from gatree.kernels.decorators import inlined, jit, lean
from gatree.trees.genome import LEAF


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
    n, members = len(numbers.target), room.members
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
        left = part_members(numbers.cases, members, room.spare, (begin, end), attribute, value)
        right = node + 1 + draft[SPAN, node + 1]
        room.value[node + 1], room.value[right] = room.value[node], room.value[node]
        push(room.stack, n_open, left, end, right, 0)
        push(room.stack, n_open + 1, begin, left, node + 1, 0)
        n_open += 2
        room.work[0] += 4 * (end - begin)


@jit
def prunings(bench: Bench, draft: Draft, n_nodes: int, most_leaves: int) -> Prunings:
    """Find the best pruning to every number of leaves."""
    numbers, room = bench.numbers, bench.room
    weigh(numbers, room, draft, n_nodes)
    found = start_prunings(draft, n_nodes, most_leaves, numbers.max_depth)
    for node in range(n_nodes - 1, -1, -1):
        is_wrong = node == 0 and numbers.first != LEAF and draft[ATTRIBUTE, 0] != numbers.first
        if found.first[node + 1] > found.first[node] + 1 and not is_wrong:
            join(draft, node, found, most_leaves, most_leaves)
        if node == 0 or room.n_here[node] >= numbers.min_leaf:
            found.score[found.first[node]] = room.score[node]
    return found
