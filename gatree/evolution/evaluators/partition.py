"""The evaluators `old`, `new` and `new-all-nodes`: full evaluation, and lossless inheritance (Section 3).

The instances of a tree are one array of indices, ordered so that every subtree owns a contiguous segment: the
concatenated index lists of the leaves (Section 4). Classifying below a node partitions its segment, node by
node. `old` does this from the root for every child, `new` from the stale nodes only. Both run the same
kernel, `evaluate_children`, so they differ only in inheritance.

Per tree, `new` keeps the instance indices (O(n)), and two integers per node: the number of instances that
reach it and, for a leaf, the number classified correctly. A child copies these from the parent it inherits
from; then only the segments of its stale nodes are reclassified. The correct instances of a tree are the sum
over its leaves.

Section 3 keeps "an array of instance indices per node"; Section 4 reduces it to the leaves. `new-all-nodes`
measures what that saves: every level of a tree has its own permutation of the instances, in which each node
of that level owns a segment. It needs the paper's O(kn) memory, and more copying than `new`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from gatree.data.coding import CodedData, Codes
from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.children import (
    Counts,
    book,
    has_small_leaf,
    inherit_counts,
    label_leaf,
)
from gatree.evolution.evaluators.contract import RECLASSIFIED, Evaluator
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import U, lean, plain
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import LEAF, Ints, depth_of, height_of, toward

Indices = NDArray[np.unsignedinteger]
"""Indices of instances, in the smallest type that holds them."""


class Way(NamedTuple):
    """How children are evaluated: what distinguishes the evaluators, and how leaves are scored."""

    inherits: bool  # else every child is classified from its root, in row 0
    rows_per_tree: int  # of `order`: one, or one for every level of a tree
    has_majority_leaves: bool
    min_leaf: int


class Routed(NamedTuple):
    """Where the instances are in each tree."""

    order: Indices  # [row, position]: instance indices, every subtree a segment
    reached: Ints  # [row, node]: instances that reach the node
    correct: Ints  # [row, node]: instances that this leaf classifies correctly; 0 for an inner node


class Scratch(NamedTuple):
    """Scratch arrays of a thread."""

    spill: Indices  # [position]: instances that fail a test
    begin: Ints  # [node]: the start of the node's segment
    level: Ints  # [node]: the tests above it, if every level has a row of `order`
    tally: Counts  # [class]: instances of a leaf


class Room(NamedTuple):
    """What the kernel works on."""

    instances: CodedData
    routed: Routed
    scratch: Scratch
    way: Way

    @property
    def plain(self) -> Room:
        """The same as plain tuples."""
        return cast(Room, tuple(map(plain, self)))


@lean
def partition(
    instances: CodedData,
    tested: int,
    value: int,
    order: Indices,
    row: int,
    start: int,
    n: int,
    spill: Indices,
) -> int:
    """Move the instances of a segment that pass a test to its front; return their number.

    Both kinds of test are one comparison: ``low <= code <= low + width`` with an unsigned width.
    Every index is written to both sides, and the outcome of the test decides which write counts: a
    branch would be mispredicted half of the time.
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


@lean
def count_in_segment(classes: Codes, order: Indices, row: int, start: int, n: int, wanted: int) -> int:
    """Count the instances of a segment that have a class."""
    found = U(0)
    for position in range(U(start), U(start) + U(n)):
        found += U(classes[order[row, position]] == wanted)
    return int(found)


@lean
def tally_segment(
    classes: Codes, order: Indices, row: int, start: int, n: int, tally: NDArray[np.int64]
) -> None:
    """Count the instances of a segment by their classes."""
    for label in range(len(tally)):
        tally[label] = 0
    for position in range(U(start), U(start) + U(n)):
        tally[classes[order[row, position]]] += 1


@lean
def score_leaf(room: Room, trees: Trees, slot: int, leaf: int, row: int, start: int, n: int) -> int:
    """Return the instances of a leaf that are of its class; with majority leaves, assign it first."""
    classes, order, tally = room.instances.classes, room.routed.order, room.scratch.tally
    if room.way.has_majority_leaves:
        tally_segment(classes, order, row, start, n, tally)
        return label_leaf(trees, slot, leaf, tally)
    return count_in_segment(classes, order, row, start, n, trees.value[slot, leaf])


@lean
def segment_start(trees: Trees, slot: int, reached: Ints, node: int) -> int:
    """Return the start of a node's segment, in a tree whose row of `reached` is its slot."""
    here, start = 0, 0
    while here != node:
        child = toward(trees.span, slot, here, node)
        if child != here + 1:
            start += reached[U(slot), U(here + 1)]
        here = child
    return start


@lean
def start_order(order: Indices, row: int) -> None:
    """Put all instances at the root of a tree, in the order of the data."""
    for instance in range(order.shape[1]):
        order[row, instance] = instance


@lean
def inherit_order(order: Indices, source: int, child: int) -> None:
    """Copy the parent's order of the instances."""
    for position in range(order.shape[1]):
        order[child, position] = order[source, position]


@lean
def n_levels_of(trees: Trees, slot: int) -> int:
    """Return the number of levels of a tree."""
    return height_of(trees.attribute, trees.span, slot, 0) + 1


@lean
def begin_child(trees: Trees, births: Births, k: int, room: Room) -> tuple[int, int]:
    """Copy what a child inherits: the parent's order, at every level that has one, and its counts.

    An initial tree, or one that inherits nothing, starts with all instances at its root.
    Returns the inherited totals: the node-instance checks saved, and the correct instances.
    """
    child, source, routed, way = births.slot[k], births.source[k], room.routed, room.way
    rows = way.rows_per_tree
    if way.inherits and source != NONE:
        for level in range(n_levels_of(trees, source) if rows > 1 else 1):
            inherit_order(routed.order, source * rows + level, child * rows + level)
        return inherit_counts(trees, births, k, routed.reached, routed.correct)
    row = child if way.inherits else 0
    if not births.is_known[k]:
        start_order(routed.order, row * rows)
        routed.reached[row, 0] = len(room.instances.classes)
    return 0, 0


@lean
def classify_below(trees: Trees, slot: int, node: int, room: Room) -> tuple[int, int]:
    """Classify the instances at a node by the subtree below it.

    The node's number of instances is known. This fills those of every node below, and reorders the node's
    segment. Returns the node-instance checks made and the correct instances found.
    """
    order, reached, correct = room.routed.order, room.routed.reached, room.routed.correct
    spill, begin, level = room.scratch.spill, room.scratch.begin, room.scratch.level
    rows = room.way.rows_per_tree
    row = slot if room.way.inherits else 0
    first_order = row * rows
    checks, total_correct = 0, 0
    tree, place = U(slot), U(row)
    begin[node] = segment_start(trees, slot, reached, node)
    if rows > 1:
        level[node] = depth_of(trees.span, slot, 0, node)
    for i in range(node, node + trees.span[slot, node]):  # preorder: a parent comes before its children
        here = U(i)
        n, start = reached[place, here], begin[here]
        list_row = first_order + level[here] if rows > 1 else first_order
        checks += n
        if trees.attribute[tree, here] == LEAF:
            correct[place, here] = score_leaf(room, trees, slot, i, list_row, start, n)
            total_correct += correct[place, here]
        else:
            correct[place, here] = 0
            left = U(i + 1)
            right = left + U(trees.span[tree, left])
            if rows > 1:
                for position in range(start, start + n):
                    order[list_row + 1, position] = order[list_row, position]
                list_row += 1
                level[left] = level[right] = level[here] + 1
            tested, value = trees.attribute[tree, here], trees.value[tree, here]
            passed = partition(room.instances, tested, value, order, list_row, start, n, spill)
            reached[place, left], reached[place, right] = passed, n - passed
            begin[left], begin[right] = start, start + passed
    return checks, total_correct


@lean
def evaluate_children(
    trees: Trees, births: Births, first: int, last: int, room: Room, ledger: Counts
) -> None:
    """Evaluate a range of children, one after the other. The tuples may be plain ones."""
    trees, births = Trees(*trees), Births(*births)
    instances, routed, scratch, way = room
    room = Room(CodedData(*instances), Routed(*routed), Scratch(*scratch), Way(*way))
    for k in range(first, last):
        child = births.slot[k]
        row = child if room.way.inherits else 0
        checks_saved, n_correct = begin_child(trees, births, k, room)
        if births.is_known[k]:
            trees.n_correct[child] = trees.n_correct[births.source[k]]
            continue
        checks = 0
        for which in range(2):
            node = births.stale[k, which] if room.way.inherits else (0 if which == 0 else NONE)
            if node != NONE:
                made, found = classify_below(trees, child, node, room)
                checks, n_correct = checks + made, n_correct + found
                ledger[RECLASSIFIED] += room.routed.reached[row, node]
        too_small = has_small_leaf(trees, child, room.routed.reached, row, room.way.min_leaf)
        trees.n_correct[child] = 0 if too_small else n_correct
        book(ledger, len(room.instances.classes), checks, checks_saved)


@lean
def most_levels(trees: Trees, slots: NDArray[np.int64]) -> int:
    """Return the maximum number of levels of the given trees. The trees may be a plain tuple."""
    trees, most = Trees(*trees), 1
    for k in range(len(slots)):
        most = max(most, n_levels_of(trees, slots[k]))
    return most


def index_type(n_instances: int) -> type[np.generic]:
    """Return the smallest unsigned type that can index the instances."""
    return np.uint16 if n_instances <= np.iinfo(np.uint16).max + 1 else np.uint32


class InheritEvaluator(Evaluator):
    """`new`: evaluate with inheritance; keep the instance indices at the leaves."""

    inherits = True

    def __init__(self, problem: Problem, settings: EvolutionSettings, n_slots: int) -> None:
        super().__init__(problem, settings, n_slots)
        self.n_jobs = settings.n_jobs
        self.way = Way(self.inherits, 1, self.has_majority_leaves, self.min_leaf)
        n_rows = n_slots if self.inherits else settings.n_jobs
        n = problem.n_instances
        self.routed = Routed(
            order=np.zeros((n_rows, n), dtype=index_type(n)),
            reached=np.zeros((n_rows, 0), dtype=np.int32),
            correct=np.zeros((n_rows, 0), dtype=np.int32),
        )
        self._rooms: list[Room] = []  # by thread, as plain tuples
        self._trees: Trees | None = None
        self._births: Births | None = None

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.routed)

    def evaluate(self, trees: Trees, births: Births) -> None:
        if trees is not self._trees or births is not self._births:
            self._trees, self._births = trees, births
            self._children = plain(trees), plain(births)
            self.widen(trees.width)
        if self.n_jobs == 1:
            evaluate_children(*self._children, 0, len(births.slot), self._rooms[0], self.ledger)
        else:
            self._evaluate_in_threads(len(births.slot))

    def _evaluate_in_threads(self, n_children: int) -> None:
        """Let threads evaluate an equal number of children each; wait for all, even after Ctrl-C."""
        bounds = [n_children * thread // self.n_jobs for thread in range(self.n_jobs + 1)]
        ledgers = np.zeros((self.n_jobs, 4), dtype=np.int64)
        parts = zip(pairwise(bounds), self._rooms, ledgers, strict=True)
        with ThreadPoolExecutor(self.n_jobs) as threads:
            running = [
                threads.submit(evaluate_children, *self._children, first, last, room, ledger)
                for (first, last), room, ledger in parts
            ]
            try:
                wait(running)
            except KeyboardInterrupt:
                wait(running)
                raise
        self.ledger += ledgers.sum(axis=0)

    def widen(self, width: int) -> None:
        """Widen what is kept per node."""
        routed = self.routed
        if width > routed.reached.shape[1]:
            reached, correct = widened(routed.reached, width), widened(routed.correct, width)
            self.routed = routed._replace(reached=reached, correct=correct)
            self.prepare()

    def prepare(self) -> None:
        """Make what the kernel works on in each thread; it stays the same for many calls."""
        self._rooms = [
            Room(self.instances, self.routed_of(thread), self._scratch(), self.way).plain
            for thread in range(self.n_jobs)
        ]

    def routed_of(self, thread: int) -> Routed:
        """Return the rows that a thread works on: all, each with its own children."""
        del thread
        return self.routed

    def _scratch(self) -> Scratch:
        n, width = self.routed.order.shape[1], self.routed.reached.shape[1]
        return Scratch(
            spill=np.zeros(n, dtype=self.routed.order.dtype),
            begin=np.zeros(width, dtype=np.int32),
            level=np.zeros(width, dtype=np.int32),
            tally=np.zeros(self.n_classes, dtype=np.int64),
        )


class FullEvaluator(InheritEvaluator):
    """`old`: evaluate without inheritance; keep nothing about any tree."""

    inherits = False
    n_bytes = 0

    def routed_of(self, thread: int) -> Routed:
        """Return the one row of a thread, which its trees use in turn."""
        here = slice(thread, thread + 1)
        routed = self.routed
        return Routed(routed.order[here], routed.reached[here], routed.correct[here])


class AllNodesEvaluator(InheritEvaluator):
    """`new-all-nodes`: evaluate with inheritance; keep the instance indices at every node."""

    def evaluate(self, trees: Trees, births: Births) -> None:
        self.deepen(most_levels(plain(trees), births.slot))
        super().evaluate(trees, births)

    def deepen(self, n_levels: int) -> None:
        """Allocate rows for as many levels of every tree."""
        routed, rows = self.routed, self.way.rows_per_tree
        n_slots, n = len(routed.reached), routed.order.shape[1]
        if n_levels > rows:
            deeper = np.zeros((n_slots, max(n_levels, 2 * rows), n), dtype=routed.order.dtype)
            deeper[:, :rows] = routed.order.reshape(n_slots, rows, n)
            self.routed = routed._replace(order=deeper.reshape(-1, n))
            self.way = self.way._replace(rows_per_tree=deeper.shape[1])
            self.prepare()
