"""The workspace of a search: trees under construction, the instances at their nodes, buffers.

Every attribute keeps its instances in the order of its codes, and a node owns the same segment of all these
rows. A test partitions each segment and keeps its order, so a level of a tree costs one pass over the data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.coding import CodedData
from gatree.kernels.decorators import lean
from gatree.smalltree.task import Floats, Longs, Task
from gatree.trees.genome import LEAF, Ints, passes

TERM_UNIT = 2.0**-30  # its rounding errors do not matter, and 100 million instances fit


class Draft(NamedTuple):
    """A tree under construction: its nodes in preorder as in a `Tree`, with space to grow."""

    attribute: Ints
    value: Ints
    span: Ints


NO_TREES = Draft(*(np.zeros(0, dtype=np.int32) for _ in range(3)))
"""Trees one after the other, none of them."""


def make_draft(n_nodes: int) -> Draft:
    """Return an empty draft for trees of up to ``n_nodes`` nodes."""
    return Draft(*(np.zeros(n_nodes, dtype=np.int32) for _ in range(3)))


def joined(one: Draft, other: Draft) -> Draft:
    """Return the trees of both, one after the other."""
    return Draft(*(np.concatenate(parts) for parts in zip(one, other, strict=True)))


class Nodes(NamedTuple):
    """What is known about every node of a tree."""

    n_here: Longs  # its samples
    score: Longs  # its score as a leaf
    label: Longs  # its class as a leaf
    depth: Longs
    top: Longs  # the node from which its instances are grown, or walk, again
    begin: Longs  # its segment
    end: Longs
    passes: Longs  # the largest code that passes its test
    fails: Longs  # the smallest code that fails its test
    total: Longs  # the sum of its samples' numbers
    stale: Longs  # 1 if what is known about its test may no longer be true
    mean: Floats  # its number as a leaf
    shrunk: Floats  # its number as a leaf, shrunk towards the nodes above
    middle: Floats  # the middle of its gap


def make_nodes(n_nodes: int) -> Nodes:
    """Return empty records of nodes."""

    def integers() -> Longs:
        return np.zeros(n_nodes, dtype=np.int64)

    return Nodes(
        n_here=integers(),
        score=integers(),
        label=integers(),
        depth=integers(),
        top=integers(),
        begin=integers(),
        end=integers(),
        passes=integers(),
        fails=integers(),
        total=integers(),
        stale=integers(),
        mean=np.zeros(n_nodes),
        shrunk=np.zeros(n_nodes),
        middle=np.zeros(n_nodes),
    )


def n_nodes_grown_out(n_instances: int, most_leaves: int) -> int:
    """Return the maximum number of nodes of a fully grown tree of a front."""
    return 2 * n_instances + 4 * most_leaves + 64


@lean
def passes_test(cases: CodedData, attribute: int, value: int, instance: int) -> bool:
    """Return whether an instance passes a test."""
    return passes(cases.codes[attribute, instance], value, cases.is_numeric[attribute])


@lean
def next_node(cases: CodedData, draft: Draft, node: int, instance: int) -> int:
    """Return the node that an instance goes to from a test."""
    if passes_test(cases, draft.attribute[node], draft.value[node], instance):
        return node + 1
    return int(node + 1 + draft.span[node + 1])


@lean
def leaf_of(cases: CodedData, draft: Draft, node: int, instance: int) -> int:
    """Return the leaf that an instance reaches from a node."""
    while draft.attribute[node] != LEAF:
        node = next_node(cases, draft, node, instance)
    return node


@lean
def find_leaves(cases: CodedData, draft: Draft, leaves: Ints) -> None:
    """Write the leaf of every instance."""
    for instance in range(len(leaves)):
        leaves[instance] = leaf_of(cases, draft, 0, instance)


@lean
def set_spans(draft: Draft, n_nodes: int) -> None:
    """Compute the spans of a tree from its attributes."""
    for node in range(n_nodes - 1, -1, -1):
        if draft.attribute[node] == LEAF:
            draft.span[node] = 1
        else:
            left = draft.span[node + 1]
            draft.span[node] = 1 + left + draft.span[node + 1 + left]


@lean
def set_depths(draft: Draft, n_nodes: int, nodes: Nodes) -> None:
    """Compute the depths of a tree's nodes from its spans."""
    nodes.depth[0] = 0
    for node in range(n_nodes):
        if draft.attribute[node] != LEAF:
            left, below = node + 1, nodes.depth[node] + 1
            nodes.depth[left], nodes.depth[left + draft.span[left]] = below, below


@lean
def copy_nodes(source: Draft, begin: int, end: int, target: Draft, at: int) -> int:
    """Copy nodes into another tree; return where they end there."""
    for node in range(begin, end):
        target.attribute[at + node - begin] = source.attribute[node]
        target.value[at + node - begin] = source.value[node]
        target.span[at + node - begin] = source.span[node]
    return at + end - begin


@lean
def replace_subtree(
    draft: Draft, n_nodes: int, node: int, source: Draft, begin: int, end: int, spare: Draft
) -> int:
    """Replace a subtree by nodes of another tree, if they fit; return the tree's number of nodes."""
    old_end = node + draft.span[node]
    if n_nodes - (old_end - node) + (end - begin) > len(draft.attribute):
        return n_nodes
    n_after = copy_nodes(draft, old_end, n_nodes, spare, 0)
    at = copy_nodes(source, begin, end, draft, node)
    n_nodes = copy_nodes(spare, 0, n_after, draft, at)
    set_spans(draft, n_nodes)
    return n_nodes


@lean
def fill_rows(cases: CodedData, order: Ints) -> None:
    """Fill the sorted rows with all instances."""
    for row in range(len(order)):
        for rank in range(order.shape[1]):
            order[row, rank] = cases.order[row, rank]


@lean
def gather(cases: CodedData, order: Ints, is_here: NDArray[np.bool_], draft: Draft, target: int) -> int:
    """Fill the sorted rows with the instances that reach a node; return their number."""
    n_here = 0
    for instance in range(len(is_here)):
        node = 0
        while node < target and draft.attribute[node] != LEAF:
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
    cases: CodedData,
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


@lean
def part_members(
    cases: CodedData, members: Ints, spare: Ints, segment: tuple[int, int], attribute: int, value: int
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


class Buffers(NamedTuple):
    """The kernels' buffers."""

    order: Ints  # [attribute, rank]: sorted instances, a segment per node
    members: Ints  # [instance]: a segment per node
    spare: Ints  # [instance]
    leaf_of: Ints  # [instance]
    care: Ints  # instances that the current test matters to
    passes: NDArray[np.bool_]  # [instance]
    saved: Longs  # [care]: what an instance saves if it passes the current test
    codes: Ints  # the codes that occur
    saved_by: Longs  # what the instances of each save
    counted: Longs  # the samples of each
    by_code: Longs  # [code]: the same for all codes
    n_by_code: Longs  # [code]
    seen: Longs  # [class]
    total: Longs  # [class]
    gains: Floats  # [attribute, (gain, value, ratio)]
    terms: Longs  # [(Gini, entropy), weight]: a class's term in a set's purity
    steps: Longs  # [(Gini, entropy), weight]: increase of the term by one more unit of weight
    nodes: Nodes
    stack: Longs  # [entry, (begin, end, node, depth)]
    n_steps: Longs  # one element: the number of steps taken, of about a nanosecond each


class Workspace(NamedTuple):
    """The workspace of a search."""

    task: Task
    buffers: Buffers
    one: Draft
    other: Draft
    spare: Draft


def make_workspace(task: Task, most_leaves: int, largest: int = 0, grows: bool = True) -> Workspace:
    """Return the workspace of a search, with drafts for trees of up to ``largest`` nodes.

    If no tree ``grows`` in it, drafts are as large as the trees of a front, and rows need not be sorted.
    """
    cases, n = task.cases, len(task.counts)
    n_nodes = n_nodes_grown_out(n if grows else 0, max(most_leaves, largest))
    weights = np.arange(int(task.growth.sum()) + 1 if len(task.target) == 0 else 2)
    terms = np.stack([weights**2, _times_logarithm(weights)])
    most_tests = int(cases.n_tests.max(initial=0))
    n_codes = min(n, most_tests + 1)
    buffers = Buffers(
        order=np.empty_like(cases.order),
        members=np.zeros(n, dtype=np.int32),
        spare=np.zeros(n, dtype=np.int32),
        leaf_of=np.zeros(n, dtype=np.int32),
        care=np.zeros(n, dtype=np.int32),
        passes=np.zeros(n, dtype=np.bool_),
        saved=np.zeros(n, dtype=np.int64),
        codes=np.zeros(n_codes, dtype=np.int32),
        saved_by=np.zeros(n_codes, dtype=np.int64),
        counted=np.zeros(n_codes, dtype=np.int64),
        by_code=np.zeros(most_tests + 1, dtype=np.int64),
        n_by_code=np.zeros(most_tests + 1, dtype=np.int64),
        seen=np.zeros(cases.n_classes, dtype=np.int64),
        total=np.zeros(cases.n_classes, dtype=np.int64),
        gains=np.zeros((len(cases.codes), 3)),
        terms=terms,
        steps=np.diff(terms, axis=1),
        nodes=make_nodes(n_nodes),
        stack=np.zeros((n_nodes, 4), dtype=np.int64),
        n_steps=np.zeros(1, dtype=np.int64),
    )
    return Workspace(task, buffers, *(make_draft(n_nodes) for _ in range(3)))


def _times_logarithm(numbers: NDArray[np.integer]) -> Longs:
    """Return numbers times their binary logarithms (zero for zero), in units of TERM_UNIT."""
    products = numbers * np.log2(np.maximum(numbers, 1))
    return np.asarray(np.rint(products / TERM_UNIT), dtype=np.int64)


@lean
def clear(numbers: Longs, n: int) -> None:
    """Set the first ``n`` numbers to zero."""
    for i in range(n):
        numbers[i] = 0


@lean
def position_of_largest(numbers: Longs) -> int:
    """Return the position of the largest number, the first of equal ones."""
    best = 0
    for i in range(1, len(numbers)):
        if numbers[i] > numbers[best]:
            best = i
    return best
