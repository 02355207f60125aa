"""Buffers for the kernels, allocated once per search, and the draft of a tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.kernels.decorators import inlined, lean
from gatree.trees.genome import LEAF, Ints

Draft = NDArray[np.int32]
"""A tree under construction: [part, node], its nodes in preorder, with room to grow."""

ATTRIBUTE, VALUE, SPAN = range(3)  # the parts of a draft, as in a Tree

Directions = NDArray[np.int8]

DEEPEST = 1023
"""The maximum depth of a node: a tree of a front has at most this number of tests."""

_UNITS, _MOST_WEIGHT = 16, 2**22  # maximum weight, per instance and in total, when trees are grown

TERM_UNIT = 2.0**-30  # its rounding errors do not matter, and 100 million instances fit


class Limits(NamedTuple):
    """Constraints on the tests of a tree, for kernels."""

    max_depth: int = DEEPEST
    min_split: int = 2  # instances that reach a test
    min_decrease: float = 0.0  # of the Gini impurity by a test, times the share of the weight that reaches it
    directions: NDArray[np.int8] = np.zeros(0, dtype=np.int8)  # [attribute]: 1 the class only rises, -1 falls
    apply: bool = False  # whether any limit differs from the default


def limits_of(max_depth: int | None, min_split: int, min_decrease: float, directions: Directions) -> Limits:
    """Return the limits; ``apply`` is set if one of them is not the default."""
    given = Limits(min(DEEPEST, max_depth or DEEPEST), max(2, min_split), min_decrease, directions)
    return given._replace(apply=given[:3] != Limits()[:3] or len(directions) > 0)


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
    stack: NDArray[np.int64]
    work: NDArray[np.int64]  # one element: the number of steps taken, of about a nanosecond each
    min_leaf: int  # minimum number of instances in a leaf of a grown tree
    limits: Limits  # of grown trees


def _nodes_grown_out(n_instances: int, most_leaves: int) -> int:
    """Return the maximum number of nodes of a fully grown tree."""
    return 2 * n_instances + 4 * most_leaves + 64


def make_draft(n_instances: int, most_leaves: int) -> Draft:
    """Return an empty draft for a fully grown tree."""
    return np.zeros((3, _nodes_grown_out(n_instances, most_leaves)), dtype=np.int32)


def make_room(
    cases: Cases, most_leaves: int, worth: NDArray[np.int64], min_leaf: int, limits: Limits
) -> Room:
    """Return the buffers for a data set."""
    n_attributes, n = cases.codes.shape
    n_nodes = _nodes_grown_out(n, most_leaves)
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
        stack=np.zeros((n_nodes, 3), dtype=np.int64),
        work=np.zeros(1, dtype=np.int64),
        min_leaf=max(1, min_leaf),
        limits=limits,
    )


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


@inlined
def next_node(cases: Cases, draft: Draft, node: int, instance: int) -> int:
    """Return the node that an instance goes to from a test."""
    attribute = draft[ATTRIBUTE, node]
    code, value = cases.codes[attribute, instance], draft[VALUE, node]
    passes = code <= value if cases.is_numeric[attribute] else code == value
    return node + 1 if passes else node + 1 + draft[SPAN, node + 1]


@lean
def set_spans(draft: Draft, n_nodes: int) -> None:
    """Compute the spans of a tree from its attributes."""
    for node in range(n_nodes - 1, -1, -1):
        if draft[ATTRIBUTE, node] == LEAF:
            draft[SPAN, node] = 1
        else:
            left = draft[SPAN, node + 1]
            draft[SPAN, node] = 1 + left + draft[SPAN, node + 1 + left]


@lean
def set_depths(draft: Draft, n_nodes: int, depth: NDArray[np.int64]) -> None:
    """Compute the depths of a tree's nodes from its spans."""
    depth[0] = 0
    for node in range(n_nodes):
        if draft[ATTRIBUTE, node] != LEAF:
            left = node + 1
            depth[left] = depth[left + draft[SPAN, left]] = depth[node] + 1


@lean
def copy_nodes(source: Draft, begin: int, end: int, target: Draft, at: int) -> int:
    """Copy nodes into another tree; return where they end there."""
    for part in range(len(source)):
        for node in range(begin, end):
            target[part, at + node - begin] = source[part, node]
    return at + end - begin
