"""A tree under construction, the path of an instance through it, and the instances at its nodes.

Every attribute keeps its instances in the order of its codes, and a node owns the same segment of all these
rows. A test partitions each segment and keeps its order, so a level of a tree costs one pass over the data.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases, Ints
from gatree.kernels.decorators import inlined, lean
from gatree.trees.genome import LEAF, passes

Draft = NDArray[np.int32]
"""A tree under construction: [part, node], its nodes in preorder, with room to grow."""

ATTRIBUTE, VALUE, SPAN = range(3)  # the parts of a draft, as in a Tree

N_HERE, SCORE, LABEL, DEPTH, TOP, BEGIN, END, PASSES, FAILS, STALE = range(10)
N_FIELDS = 10
"""What is known about a node, in integers: its samples; its score and class as a leaf; its depth; the node
from which its instances are grown again; its segment; the largest code that passes its test, and the smallest
that fails it; whether its test may no longer be the best one, because something below it changed."""

MEAN, SHRUNK, MIDDLE = range(3)
"""The same in numbers: its number as a leaf; that shrunk towards the nodes above; the middle of its gap."""


def make_drafts(n_nodes: int) -> list[Draft]:
    """Return three empty drafts for trees of up to ``n_nodes`` nodes."""
    return [np.zeros((3, n_nodes), dtype=np.int32) for _ in range(3)]


def n_nodes_grown_out(n_instances: int, most_leaves: int) -> int:
    """Return the maximum number of nodes of a fully grown tree of a front."""
    return 2 * n_instances + 4 * most_leaves + 64


@inlined
def passes_test(cases: Cases, attribute: int, value: int, instance: int) -> bool:
    """Return whether an instance passes a test."""
    return passes(cases.codes[attribute, instance], value, cases.is_numeric[attribute])


@inlined
def next_node(cases: Cases, draft: Draft, node: int, instance: int) -> int:
    """Return the node that an instance goes to from a test."""
    if passes_test(cases, draft[ATTRIBUTE, node], draft[VALUE, node], instance):
        return node + 1
    return int(node + 1 + draft[SPAN, node + 1])


@inlined
def leaf_of(cases: Cases, draft: Draft, node: int, instance: int) -> int:
    """Return the leaf that an instance reaches from a node."""
    while draft[ATTRIBUTE, node] != LEAF:
        node = next_node(cases, draft, node, instance)
    return node


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
def set_depths(draft: Draft, n_nodes: int, nodes: NDArray[np.int64]) -> None:
    """Compute the depths of a tree's nodes from its spans."""
    nodes[DEPTH, 0] = 0
    for node in range(n_nodes):
        if draft[ATTRIBUTE, node] != LEAF:
            left, below = node + 1, nodes[DEPTH, node] + 1
            nodes[DEPTH, left], nodes[DEPTH, left + draft[SPAN, left]] = below, below


@lean
def copy_nodes(source: Draft, begin: int, end: int, target: Draft, at: int) -> int:
    """Copy nodes into another tree; return where they end there."""
    for part in range(len(source)):
        for node in range(begin, end):
            target[part, at + node - begin] = source[part, node]
    return at + end - begin


@lean
def replace_subtree(
    draft: Draft, n_nodes: int, node: int, source: Draft, begin: int, end: int, spare: Draft
) -> int:
    """Replace a subtree by nodes of another tree, if they fit; return the tree's number of nodes."""
    old_end = node + draft[SPAN, node]
    if n_nodes - (old_end - node) + (end - begin) > draft.shape[1]:
        return n_nodes
    n_after = copy_nodes(draft, old_end, n_nodes, spare, 0)
    at = copy_nodes(source, begin, end, draft, node)
    n_nodes = copy_nodes(spare, 0, n_after, draft, at)
    set_spans(draft, n_nodes)
    return n_nodes


@lean
def fill_rows(cases: Cases, order: Ints) -> None:
    """Fill the sorted rows with all instances."""
    for row in range(len(order)):
        for rank in range(order.shape[1]):
            order[row, rank] = cases.order[row, rank]


@lean
def gather(cases: Cases, order: Ints, is_here: NDArray[np.bool_], draft: Draft, target: int) -> int:
    """Fill the sorted rows with the instances that reach a node; return their number."""
    n_here = 0
    for instance in range(len(is_here)):
        node = 0
        while node < target and draft[ATTRIBUTE, node] != LEAF:
            node = next_node(cases, draft, node, instance)
        is_here[instance] = node == target
        n_here += node == target
    for row in range(len(order)):
        found = 0
        for rank in range(len(is_here)):
            instance = cases.order[row, rank]
            if is_here[instance]:
                order[row, found] = instance
                found += 1
    return n_here


@lean
def part_rows(
    cases: Cases,
    order: Ints,
    is_passing: NDArray[np.bool_],
    spare: Ints,
    segment: tuple[int, int],
    attribute: int,
    value: int,
) -> int:
    """Partition a segment of every row by a test, passing instances first; return where the others begin."""
    begin, end = segment
    n_passing = 0
    for rank in range(begin, end):
        instance = order[attribute, rank]
        is_passing[instance] = passes_test(cases, attribute, value, instance)
        n_passing += is_passing[instance]
    if n_passing in (0, end - begin):
        return begin + n_passing
    for row in range(len(order)):
        left, n_failing = begin, 0
        for rank in range(begin, end):
            instance = order[row, rank]
            here = is_passing[instance]  # write to both sides: a branch would be mispredicted
            order[row, left], spare[n_failing] = instance, instance
            left, n_failing = left + here, n_failing + (not here)
        for rank in range(n_failing):
            order[row, left + rank] = spare[rank]
    return begin + n_passing


@inlined
def part_members(
    cases: Cases, members: Ints, spare: Ints, segment: tuple[int, int], attribute: int, value: int
) -> int:
    """Partition a segment of one row by a test, passing instances first; return where the others begin."""
    left, n_failing = segment[0], 0
    for rank in range(segment[0], segment[1]):
        instance = members[rank]
        if passes_test(cases, attribute, value, instance):
            members[left] = instance
            left += 1
        else:
            spare[n_failing] = instance
            n_failing += 1
    for rank in range(n_failing):
        members[left + rank] = spare[rank]
    return left


@lean
def push(stack: NDArray[np.int64], at: int, begin: int, end: int, node: int, depth: int) -> None:
    """Write an entry of a stack of segments."""
    stack[at, 0], stack[at, 1], stack[at, 2], stack[at, 3] = begin, end, node, depth
