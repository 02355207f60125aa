"""Buffers for the kernels of regression trees, allocated once per search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Ints
from gatree.front.regression.numbers import Floats, Longs, Numbers
from gatree.front.room import Draft
from gatree.kernels.decorators import lean


class Room(NamedTuple):
    """The kernels' buffers."""

    order: Ints  # [row, rank]: sorted instances, a segment per node; the last row is sorted by target
    passes: NDArray[np.bool_]  # [instance]
    spare: Ints  # [instance]
    members: Ints  # [instance]: a segment per node, by target
    won: Longs  # [instance]: what it saves if it passes the current test
    cost: Longs  # [rank]: the absolute error of the instances up to it
    place: Ints  # [instance]: in the list of a node's instances
    before: Ints  # [place]
    after: Ints  # [place]
    n_here: Longs  # [node]
    score: Longs  # [node]: what it explains as a leaf
    value: Floats  # [node]: its prediction as a leaf
    shrunk: Floats  # [node]: the same, shrunk towards the nodes above
    gaps: Longs  # [node, 2]
    middle: Floats  # [node]
    stack: Longs  # [entry, (begin, end, node, depth)]
    work: Longs  # one element: the number of steps taken, of about a nanosecond each


class Bench(NamedTuple):
    """The workspace of a search: the data, buffers, and three drafts of trees."""

    numbers: Numbers
    room: Room
    one: Draft
    other: Draft
    spare: Draft


def make_bench(numbers: Numbers, most_leaves: int) -> Bench:
    """Return the workspace of a search."""
    n_attributes, n = numbers.cases.codes.shape
    n_nodes = 2 * n + 4 * most_leaves + 64  # of a fully grown tree of the front
    room = Room(
        order=np.zeros((n_attributes + 1, n), dtype=np.int32),
        passes=np.zeros(n, dtype=np.bool_),
        spare=np.zeros(n, dtype=np.int32),
        members=np.zeros(n, dtype=np.int32),
        won=np.zeros(n, dtype=np.int64),
        cost=np.zeros(n + 1, dtype=np.int64),
        place=np.zeros(n, dtype=np.int32),
        before=np.zeros(n + 2, dtype=np.int32),
        after=np.zeros(n + 2, dtype=np.int32),
        n_here=np.zeros(n_nodes, dtype=np.int64),
        score=np.zeros(n_nodes, dtype=np.int64),
        value=np.zeros(n_nodes),
        shrunk=np.zeros(n_nodes),
        gaps=np.zeros((n_nodes, 2), dtype=np.int64),
        middle=np.zeros(n_nodes),
        stack=np.zeros((n_nodes, 4), dtype=np.int64),
        work=np.zeros(1, dtype=np.int64),
    )
    drafts = [np.zeros((3, n_nodes), dtype=np.int32) for _ in range(3)]
    return Bench(numbers, room, *drafts)


@lean
def fill_rows(numbers: Numbers, room: Room) -> None:
    """Fill the sorted rows with all instances."""
    cases = numbers.cases
    n_attributes, n = cases.codes.shape
    for row in range(n_attributes):
        for rank in range(n):
            room.order[row, rank] = cases.order[row, rank]
    for rank in range(n):
        room.order[n_attributes, rank] = rank


@lean
def push(stack: Longs, at: int, begin: int, end: int, node: int, depth: int) -> None:
    """Write an entry of a stack."""
    stack[at, 0], stack[at, 1], stack[at, 2], stack[at, 3] = begin, end, node, depth


@lean
def part_rows(numbers: Numbers, room: Room, segment: tuple[int, int], attribute: int, value: int) -> int:
    """Partition a segment of every row by a test, passing instances first; return where the others begin."""
    cases, (begin, end) = numbers.cases, segment
    n_passing = 0
    for rank in range(begin, end):
        instance = room.order[attribute, rank]
        code = cases.codes[attribute, instance]
        passes = code <= value if cases.is_numeric[attribute] else code == value
        room.passes[instance] = passes
        n_passing += passes
    for row in range(len(room.order)):
        left, n_failing = begin, 0
        for rank in range(begin, end):
            instance = room.order[row, rank]
            passes = room.passes[instance]  # write to both sides: a branch would be mispredicted
            room.order[row, left], room.spare[n_failing] = instance, instance
            left, n_failing = left + passes, n_failing + (not passes)
        for rank in range(n_failing):
            room.order[row, left + rank] = room.spare[rank]
    room.work[0] += 2 * (end - begin) * len(room.order)
    return begin + n_passing
