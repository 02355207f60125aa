"""Classifying instances below a node: the kernels that all routing evaluators share.

A tree's instances are one array of indices, ordered so that every subtree owns a contiguous
segment: the leaves' index lists of Section 4 laid side by side. Classifying below a node is
partitioning its segment, node by node. `old` does this from the root, `new` from the stale nodes
only: the same code, so that the difference between the two is inheritance and nothing else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gatree.evolution.population import Trees
from gatree.evolution.problem import Instances
from gatree.jit import jit
from gatree.trees.genome import LEAF, Ints, toward

# Positions are unsigned: numba then needs no check for indices counted from the end.
U = np.uintp


class Memory(NamedTuple):
    """What is known of trees' instances, a row per tree, as kernels take it."""

    order: Any  # [row, position]: instance indices, every subtree a segment
    reached: Ints  # [row, node]: instances that reach the node
    correct: Ints  # [row, node]: of these, classified correctly


class Scratch(NamedTuple):
    """Room to work in."""

    spill: Any  # [position]: instances that fail a test
    begin: Ints  # [node]: where the node's segment begins


def index_type(n_instances: int) -> type[np.generic]:
    """Return the smallest unsigned type that can number the instances."""
    return np.uint16 if n_instances <= np.iinfo(np.uint16).max + 1 else np.uint32


@jit
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


@jit
def count_class(classes: Any, order: Any, row: int, start: int, n: int, wanted: int) -> int:
    """Count the instances of a segment that have a class."""
    found = U(0)
    for position in range(U(start), U(start) + U(n)):
        found += U(classes[order[row, position]] == wanted)
    return int(found)


@jit
def classify_below(
    instances: Instances, trees: Trees, slot: int, node: int, memory: Memory, row: int, scratch: Scratch
) -> int:
    """Classify the instances at a node by the subtree below it; return the node-instance-checks made.

    The node's own count is given, and where its segment begins; the counts of the whole subtree are
    filled, and the node's segment of the order is rearranged.
    """
    order, reached, correct = memory
    spill, begin = scratch
    checks = 0
    end = node + trees.span[slot, node]
    for i in range(node, end):  # preorder: a parent comes before its children
        n, start = reached[row, i], begin[i]
        checks += n
        if trees.attribute[slot, i] == LEAF:
            correct[row, i] = count_class(instances.classes, order, row, start, n, trees.value[slot, i])
        else:
            left = i + 1
            right = left + trees.span[slot, left]
            tested, value = trees.attribute[slot, i], trees.value[slot, i]
            passed = partition(instances, tested, value, order, row, start, n, spill)
            reached[row, left], reached[row, right] = passed, n - passed
            begin[left], begin[right] = start, start + passed
    add_up(trees, slot, node, correct, row)
    return checks


@jit
def add_up(trees: Trees, slot: int, node: int, totals: Ints, row: int) -> None:
    """Fill a total of the inner nodes of a subtree from that of its leaves."""
    for i in range(node + trees.span[slot, node] - 1, node - 1, -1):
        if trees.attribute[slot, i] != LEAF:
            left = i + 1
            totals[row, i] = totals[row, left] + totals[row, left + trees.span[slot, left]]


@jit
def segment_start(trees: Trees, slot: int, reached: Ints, node: int) -> int:
    """Return where a node's segment begins, in a tree whose rows are those of its slot."""
    here, start = 0, 0
    while here != node:
        child = toward(trees.span, slot, here, node)
        if child != here + 1:
            start += reached[slot, here + 1]
        here = child
    return start


@jit
def add_to_ancestors(trees: Trees, slot: int, totals: Ints, node: int, amount: int) -> None:
    """Add to a total of every node above a node."""
    here = 0
    while here != node:
        totals[slot, here] += amount
        here = toward(trees.span, slot, here, node)
