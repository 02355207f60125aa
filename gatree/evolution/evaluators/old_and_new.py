"""The evaluators `old` and `new`: full evaluation, and lossless fitness inheritance (Section 3).

The instances of a tree are one array of indices, ordered so that every subtree owns a contiguous segment: the
concatenated index lists of the leaves (Section 4). Classifying below a node partitions its segment, node by
node. `old` does this from the root for every child, `new` from the stale nodes only. Both run the same code,
so they differ only in inheritance.

Per tree, `new` keeps the instance indices (O(n)), and two integers per node: the number of instances that
reach it and, for a leaf, the number classified correctly. A child copies these from the parent it inherits
from; then only the segments of its stale nodes are reclassified. The correct instances of a tree are the sum
over its leaves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.atomics import Claims, claim
from gatree.evolution.evaluators.contract import RECLASSIFIED, Evaluator
from gatree.evolution.evaluators.nodes import book, explained, has_small_leaf, inherit_nodes, settle_leaf
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Instances, Problem
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined, lean
from gatree.trees.genome import LEAF, Ints, toward


class Memory(NamedTuple):
    """The instances of trees, a row per tree, in the form that kernels take."""

    order: Any  # [row, position]: instance indices, every subtree a segment
    reached: Ints  # [row, node]: instances that reach the node
    correct: Ints  # [row, node]: instances that this leaf classifies correctly; 0 for an inner node


class Scratch(NamedTuple):
    """Scratch arrays."""

    spill: Any  # [position]: instances that fail a test
    begin: Ints  # [node]: the start of the node's segment
    tally: NDArray[np.int64]  # [class]: instances of a leaf


class Routed(NamedTuple):
    """The arguments of a kernel."""

    instances: Instances
    scoring: Scoring
    memory: Memory
    scratch: Scratch


@inlined
def named(kept: Routed) -> Routed:
    """Restore the named tuples of arguments from Python (see gatree.kernels.decorators.plain)."""
    plain = Routed(*kept)
    return Routed(
        Instances(*plain.instances), Scoring(*plain.scoring), Memory(*plain.memory), Scratch(*plain.scratch)
    )


def index_type(n_instances: int) -> type[np.generic]:
    """Return the smallest unsigned type that can index the instances."""
    return np.uint16 if n_instances <= np.iinfo(np.uint16).max + 1 else np.uint32


def empty_memory(n_rows: int, n_instances: int, width: int) -> Memory:
    """Allocate a memory."""
    return Memory(
        order=np.zeros((n_rows, n_instances), dtype=index_type(n_instances)),
        reached=np.zeros((n_rows, width), dtype=np.int32),
        correct=np.zeros((n_rows, width), dtype=np.int32),
    )


def empty_scratch(n_instances: int, width: int, n_classes: int) -> Scratch:
    """Allocate scratch arrays for trees of up to ``width`` nodes."""
    return Scratch(
        spill=np.zeros(n_instances, dtype=index_type(n_instances)),
        begin=np.zeros(width, dtype=np.int32),
        tally=np.zeros(n_classes, dtype=np.int64),
    )


@inlined
def partition(
    instances: Instances, tested: int, value: int, order: Any, row: int, start: int, n: int, spill: Any
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
    """Return the weight of a leaf's correct instances; with majority leaves, assign its class first."""
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

    The caller sets the node's count and the start of its segment. This fills the counts of the subtree and
    reorders the node's segment. Returns the node-instance checks made and the correct instances found.
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
    """Return the start of a node's segment, in a tree whose row of `reached` is its slot."""
    here, start = 0, 0
    while here != node:
        child = toward(trees.span, slot, here, node)
        if child != here + 1:
            start += reached[U(slot), U(here + 1)]
        here = child
    return start


@lean
def evaluate_from_root(
    trees: Trees, births: Births, claims: Claims, ledger: NDArray[np.int64], kept: Routed
) -> None:
    """Classify all instances by each tree, from its root. The memory has one row, which all trees reuse."""
    trees, births = Trees(*trees), Births(*births)
    instances, scoring, memory, scratch = named(kept)
    n, slots = len(instances.classes), births.slot
    k = claim(claims)
    while k < len(slots):
        if births.is_known[k]:
            trees.n_correct[slots[k]] = trees.n_correct[births.source[k]]
        else:
            for instance in range(n):
                memory.order[0, instance] = instance
            memory.reached[0, 0] = n
            scratch.begin[0] = 0
            checks, n_correct = classify_below(instances, scoring, trees, slots[k], 0, memory, 0, scratch)
            too_small = has_small_leaf(scoring, trees, slots[k], memory.reached, 0)
            trees.n_correct[slots[k]] = 0 if too_small else n_correct
            ledger[RECLASSIFIED] += n
            book(ledger, births, k, n, checks, 0)
        k = claim(claims)


class FullEvaluator(Evaluator):
    """Evaluate without inheritance; keep nothing about any tree."""

    kernel = staticmethod(evaluate_from_root)
    sums_numbers = True

    n_bytes = 0

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None:
        super().__init__(problem, n_slots, n_jobs)
        self.memory: list[Memory] = []  # one per thread, for one tree
        self.scratch: list[Scratch] = []

    def kept_for(self, thread: int) -> Routed:
        return Routed(self.instances, self.scoring, self.memory[thread], self.scratch[thread])

    def fit(self, trees: Trees, births: Births) -> None:
        del births
        if self.scratch and trees.width <= len(self.scratch[0].begin):
            return
        n, threads = len(self.instances.classes), range(self.pool.n_jobs)
        self.memory = [empty_memory(1, n, trees.width) for _ in threads]
        self.scratch = [empty_scratch(n, trees.width, len(self.scoring.class_weight)) for _ in threads]


@inlined
def inherit_order(order: Any, source: int, child: int) -> None:
    """Copy the parent's order of the instances."""
    for position in range(order.shape[1]):
        order[child, position] = order[source, position]


@inlined
def start_at_root(memory: Memory, slot: int) -> None:
    """Put all instances at the root of an initial tree."""
    n = memory.order.shape[1]
    for instance in range(n):
        memory.order[slot, instance] = instance
    memory.reached[slot, 0] = n


@lean
def evaluate_stale(
    trees: Trees, births: Births, claims: Claims, ledger: NDArray[np.int64], kept: Routed
) -> None:
    """Evaluate children by classifying only the instances at their stale nodes."""
    trees, births = Trees(*trees), Births(*births)
    instances, scoring, memory, scratch = named(kept)
    order, reached, correct = memory
    k = claim(claims)
    while k < len(births.slot):
        child, source = births.slot[k], births.source[k]
        checks_saved, n_correct, checks = 0, 0, 0
        if source == NONE:
            start_at_root(memory, child)
        else:
            inherit_order(order, source, child)
            checks_saved, n_correct = inherit_nodes(trees, births, k, reached, correct)
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                scratch.begin[node] = segment_start(trees, child, reached, node)
                made, found = classify_below(instances, scoring, trees, child, node, memory, child, scratch)
                checks, n_correct = checks + made, n_correct + found
                ledger[RECLASSIFIED] += reached[child, node]
        too_small = has_small_leaf(scoring, trees, child, reached, child)
        trees.n_correct[child] = 0 if too_small else n_correct
        book(ledger, births, k, len(instances.classes), checks, checks_saved)
        k = claim(claims)


class InheritEvaluator(Evaluator):
    """Evaluate with inheritance; keep the instance indices at the leaves."""

    kernel = staticmethod(evaluate_stale)
    sums_numbers = True

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None:
        super().__init__(problem, n_slots, n_jobs)
        self.memory = empty_memory(n_slots, problem.n_instances, width=0)
        self.scratch: list[Scratch] = []  # one per thread

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.memory)

    def kept_for(self, thread: int) -> Routed:
        return Routed(self.instances, self.scoring, self.memory, self.scratch[thread])

    def fit(self, trees: Trees, births: Births) -> None:
        del births
        width = trees.width
        if self.scratch and width <= len(self.scratch[0].begin):
            return
        reached, correct = widened(self.memory.reached, width), widened(self.memory.correct, width)
        self.memory = self.memory._replace(reached=reached, correct=correct)
        n, n_classes = len(self.instances.classes), len(self.scoring.class_weight)
        self.scratch = [empty_scratch(n, width, n_classes) for _ in range(self.pool.n_jobs)]
