"""The workspace of a search for regression trees: the data, buffers, and drafts of trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases, Ints
from gatree.front.draft import Draft, make_drafts, n_nodes_grown_out, part_rows
from gatree.front.regression.numbers import Floats, Longs, Numbers
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

    cases: Cases
    numbers: Numbers
    room: Room
    one: Draft
    other: Draft
    spare: Draft


def make_bench(numbers: Numbers, most_leaves: int) -> Bench:
    """Return the workspace of a search."""
    n_attributes, n = numbers.cases.codes.shape
    n_nodes = n_nodes_grown_out(n, most_leaves)
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
    return Bench(numbers.cases, numbers, room, *make_drafts(n, most_leaves))


@lean
def part(numbers: Numbers, room: Room, segment: tuple[int, int], attribute: int, value: int) -> int:
    """Partition a segment of every row by a test; count the steps."""
    room.work[0] += 2 * (segment[1] - segment[0]) * len(room.order)
    return part_rows(numbers.cases, room.order, room.passes, room.spare, segment, attribute, value)
