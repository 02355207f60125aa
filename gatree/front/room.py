"""The workspace of a search: the data, the goal, buffers that are allocated once, and drafts of trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.front.draft import Draft, make_drafts, n_nodes_grown_out
from gatree.front.goal import Goal, Limits
from gatree.kernels.decorators import inlined
from gatree.trees.genome import Ints

_UNITS, _MOST_WEIGHT = 16, 2**22  # maximum weight, per instance and in total, when trees are grown

TERM_UNIT = 2.0**-30  # its rounding errors do not matter, and 100 million instances fit


class Room(NamedTuple):
    """The kernels' buffers."""

    order: Ints  # [attribute, rank]: sorted instances, a segment per node
    seen: NDArray[np.int64]  # [class]
    total: NDArray[np.int64]  # [class]
    gains: NDArray[np.float64]  # [attribute, (gain, value, ratio)]
    worth: NDArray[np.int64]  # [class]: weight of an instance when trees are grown
    all_equal: bool  # whether all these weights are one
    terms: NDArray[np.int64]  # [criterion, weight]: a class's term in a set's purity
    steps: NDArray[np.int64]  # [criterion, weight]: increase of the term by one more unit of weight
    passes: NDArray[np.bool_]  # [instance]
    spare: Ints  # [instance]
    members: Ints  # [instance]: a segment per node
    care: Ints  # instances that only one branch classifies correctly
    weight: NDArray[np.int64]  # of those
    keys: Ints
    weights: NDArray[np.int64]
    by_code: NDArray[np.int64]
    leaf_of: Ints  # [instance]
    segments: NDArray[np.int64]  # [node, 4]
    middle: NDArray[np.float64]  # [node]: the middle of its gap
    depth: NDArray[np.int64]  # [node]
    stack: NDArray[np.int64]  # [entry, (begin, end, node, depth)]
    work: NDArray[np.int64]  # one element: the number of steps taken, of about a nanosecond each
    min_leaf: int  # minimum number of instances in a leaf of a grown tree
    limits: Limits  # of grown trees


class Bench(NamedTuple):
    """The workspace of a search."""

    cases: Cases
    goal: Goal
    room: Room
    one: Draft
    other: Draft
    spare: Draft


def make_room(
    cases: Cases, most_leaves: int, worth: NDArray[np.int64], min_leaf: int, limits: Limits
) -> Room:
    """Return the buffers for a data set."""
    n_attributes, n = cases.codes.shape
    n_nodes = n_nodes_grown_out(n, most_leaves)
    worth = worth_to_grow(worth, cases.classes)
    weights = np.arange(int(worth[cases.classes].sum()) + 1)
    terms = np.stack([weights**2, _times_logarithm(weights), _times_logarithm(weights)])
    return Room(
        order=np.empty_like(cases.order),
        seen=np.zeros(cases.n_classes, dtype=np.int64),
        total=np.zeros(cases.n_classes, dtype=np.int64),
        gains=np.zeros((n_attributes, 3)),
        worth=worth,
        all_equal=bool((worth == 1).all()),
        terms=terms,
        steps=np.diff(terms, axis=1),
        passes=np.zeros(n, dtype=np.bool_),
        spare=np.zeros(n, dtype=np.int32),
        members=np.zeros(n, dtype=np.int32),
        care=np.zeros(n, dtype=np.int32),
        weight=np.zeros(n, dtype=np.int64),
        keys=np.zeros(n, dtype=np.int32),
        weights=np.zeros(n, dtype=np.int64),
        by_code=np.zeros(int(cases.n_tests.max(initial=0)) + 2, dtype=np.int64),
        leaf_of=np.zeros(n, dtype=np.int32),
        segments=np.zeros((n_nodes, 4), dtype=np.int64),
        middle=np.zeros(n_nodes),
        depth=np.zeros(n_nodes, dtype=np.int64),
        stack=np.zeros((n_nodes, 4), dtype=np.int64),
        work=np.zeros(1, dtype=np.int64),
        min_leaf=max(1, min_leaf),
        limits=limits,
    )


def make_bench(cases: Cases, goal: Goal, most_leaves: int, largest: int = 0) -> Bench:
    """Return the workspace of a search, with drafts for trees of up to ``largest`` nodes."""
    room = make_room(cases, most_leaves, goal.worth, goal.min_leaf, goal.limits)
    return Bench(cases, goal, room, *make_drafts(len(cases.classes), max(most_leaves, largest)))


def worth_to_grow(worth: NDArray[np.int64], classes: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the weight of an instance of each class when trees are grown.

    It is the class's worth in units that are large enough for a table of the terms of all weights. If
    necessary it is rounded to a sixteenth of an instance; it is at least one.
    """
    n = len(classes)
    reduced = worth // max(1, int(np.gcd.reduce(worth)))
    total, most = int(reduced[classes].sum()), max(n, min(_UNITS * n, _MOST_WEIGHT))
    if total > most:
        reduced = np.rint(reduced * (most / total)).astype(np.int64)
    return np.maximum(1, reduced)


def _times_logarithm(numbers: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return numbers times their binary logarithms (zero for zero), in units of TERM_UNIT."""
    products = numbers * np.log2(np.maximum(numbers, 1))
    return np.asarray(np.rint(products / TERM_UNIT), dtype=np.int64)


@inlined
def clear(numbers: NDArray[np.int64], n: int) -> None:
    """Set the first ``n`` numbers to zero."""
    for i in range(n):
        numbers[i] = 0


@inlined
def position_of_largest(numbers: NDArray[np.int64]) -> int:
    """Return the position of the largest number, the first of equal ones."""
    best = 0
    for i in range(1, len(numbers)):
        if numbers[i] > numbers[best]:
            best = i
    return best
