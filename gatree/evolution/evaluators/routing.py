"""Classifying instances below a node: the kernels that all routing evaluators share.

A tree's instances are one array of indices, ordered so that every subtree owns a contiguous
segment: the leaves' index lists of Section 4 laid side by side. Classifying below a node is
partitioning its segment, node by node. `old` does this from the root, `new` from the stale nodes
only: the same code, so that the difference between the two is inheritance and nothing else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.evaluators.nodes import explained, settle_leaf
from gatree.evolution.population import Trees
from gatree.evolution.problem import Instances
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined
from gatree.trees.genome import LEAF, Ints, toward


class Memory(NamedTuple):
    """What is known of trees' instances, a row per tree, as kernels take it."""

    order: Any  # [row, position]: instance indices, every subtree a segment
    reached: Ints  # [row, node]: instances that reach the node
    correct: Ints  # [row, node]: of these, classified correctly by this leaf; 0 for an inner node


class Scratch(NamedTuple):
    """Room to work in."""

    spill: Any  # [position]: instances that fail a test
    begin: Ints  # [node]: where the node's segment begins
    tally: NDArray[np.int64]  # [class]: instances of a leaf


class Routed(NamedTuple):
    """All that a kernel works on."""

    instances: Instances
    scoring: Scoring
    memory: Memory
    scratch: Scratch


@inlined
def named(kept: Routed) -> Routed:
    """Give names to what came plain from Python (see gatree.kernels.decorators.plain)."""
    plain = Routed(*kept)
    return Routed(
        Instances(*plain.instances), Scoring(*plain.scoring), Memory(*plain.memory), Scratch(*plain.scratch)
    )


def index_type(n_instances: int) -> type[np.generic]:
    """Return the smallest unsigned type that can number the instances."""
    return np.uint16 if n_instances <= np.iinfo(np.uint16).max + 1 else np.uint32


def empty_memory(n_rows: int, n_instances: int, width: int) -> Memory:
    """Return a memory of which nothing is filled yet."""
    return Memory(
        order=np.zeros((n_rows, n_instances), dtype=index_type(n_instances)),
        reached=np.zeros((n_rows, width), dtype=np.int32),
        correct=np.zeros((n_rows, width), dtype=np.int32),
    )


def empty_scratch(n_instances: int, width: int, n_classes: int) -> Scratch:
    """Return room to work in, for trees of so many nodes."""
    return Scratch(
        spill=np.zeros(n_instances, dtype=index_type(n_instances)),
        begin=np.zeros(width, dtype=np.int32),
        tally=np.zeros(n_classes, dtype=np.int64),
    )


@inlined
def partition(
    instances: Instances, tested: int, value: int, order: Any, row: int, start: int, n: int, spill: Any
) -> int:
    """Move the instances of a segment that pass a test to its front; return how many do.

    Both kinds of test are one comparison: ``low <= code <= low + width`` with an unsigned width.
    Every index is written to both sides, and the test's outcome decides which write counts: a
    branch would be mispredicted half the time.
    """
    codes = instances.codes
    is_numeric = instances.is_numeric[tested]
    low = np.int32(0 if is_numeric else value)
    width = np.uint32(value if is_numeric else 0)
    first = U(start)
    left = first
    for position in range(first, first + U(n)):
        instance = order[row, position]
        passed = np.uint32(np.int32(codes[tested, instance]) - low) <= width
        order[row, left] = instance
        spill[position - left] = instance
        left += U(passed)
    n_failed = first + U(n) - left
    for position in range(n_failed):
        order[row, left + position] = spill[position]
    return int(left - first)


@inlined
def count_class(classes: Any, order: Any, row: int, start: int, n: int, wanted: int) -> int:
    """Count the instances of a segment that have a class."""
    found = U(0)
    for position in range(U(start), U(start) + U(n)):
        found += U(classes[order[row, position]] == wanted)
    return int(found)


@inlined
def count_classes(classes: Any, order: Any, row: int, start: int, n: int, tally: NDArray[np.int64]) -> None:
    """Count the instances of a segment by their classes."""
    for label in range(len(tally)):
        tally[label] = 0
    for position in range(U(start), U(start) + U(n)):
        tally[classes[order[row, position]]] += 1


@inlined
def score_segment(
    classes: Any,
    scoring: Scoring,
    trees: Trees,
    slot: int,
    leaf: int,
    order: Any,
    row: int,
    start: int,
    n: int,
    tally: NDArray[np.int64],
) -> int:
    """Return the weight of a leaf's correct instances; with majority leaves, give it its class."""
    if len(scoring.target) > 0:
        return explained(scoring.target, order, row, start, n)
    if scoring.majority:
        count_classes(classes, order, row, start, n, tally)
        return settle_leaf(scoring, trees, slot, leaf, tally)
    label = trees.value[slot, leaf]
    return int(count_class(classes, order, row, start, n, label) * scoring.class_weight[label])


@inlined
def classify_below(
    instances: Instances,
    scoring: Scoring,
    trees: Trees,
    slot: int,
    node: int,
    memory: Memory,
    row: int,
    scratch: Scratch,
) -> tuple[int, int]:
    """Classify the instances at a node by the subtree below it.

    The node's own count is given, and where its segment begins; the counts of the whole subtree are
    filled, and the node's segment of the order is rearranged. Returns the node-instance-checks made and
    the correct instances found.
    """
    order, reached, correct = memory
    spill, begin, tally = scratch
    checks, total_correct = 0, 0
    end = node + trees.span[slot, node]
    tree, place = U(slot), U(row)
    for i in range(node, end):  # preorder: a parent comes before its children
        here = U(i)
        n, start = reached[place, here], begin[here]
        checks += n
        if trees.attribute[tree, here] == LEAF:
            correct[place, here] = score_segment(
                instances.classes, scoring, trees, slot, i, order, row, start, n, tally
            )
            total_correct += correct[place, here]
        else:
            correct[place, here] = 0
            left = U(i + 1)
            right = left + U(trees.span[tree, left])
            tested, value = trees.attribute[tree, here], trees.value[tree, here]
            passed = partition(instances, tested, value, order, row, start, n, spill)
            reached[place, left], reached[place, right] = passed, n - passed
            begin[left], begin[right] = start, start + passed
    return checks, total_correct


@inlined
def segment_start(trees: Trees, slot: int, reached: Ints, node: int) -> int:
    """Return where a node's segment begins, in a tree whose rows are those of its slot."""
    here, start = 0, 0
    while here != node:
        child = toward(trees.span, slot, here, node)
        if child != here + 1:
            start += reached[U(slot), U(here + 1)]
        here = child
    return start
