"""The evaluators `old`, `new` and `new-all-nodes`: full evaluation, and lossless inheritance (Section 3).

The instances of a tree are one array of indices, ordered so that every subtree owns a contiguous segment: the
concatenated index lists of the leaves (Section 4). Classifying below a node partitions its segment, node by
node. `old` does this from the root for every child, `new` from the stale nodes only. Both run the same code,
so they differ only in inheritance.

Per tree, `new` keeps the instance indices (O(n)), and two integers per node: the number of instances that
reach it and, for a leaf, the number classified correctly. A child copies these from the parent it inherits
from; then only the segments of its stale nodes are reclassified. The correct instances of a tree are the sum
over its leaves.

Section 3 keeps "an array of instance indices per node"; Section 4 reduces it to the leaves. `new-all-nodes`
measures what that saves: every level of a tree has its own permutation of the instances, in which each node
of that level owns a segment. It needs the paper's O(kn) memory, and more copying than `new`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.children import explained, inherit_counts, make_kernel, settle_leaf
from gatree.evolution.evaluators.contract import Evaluator
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Instances, Problem
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined, lean, specialised
from gatree.trees.genome import LEAF, Ints, depth_of, height_of, toward


class Scratch(NamedTuple):
    """Scratch arrays, in the form that kernels take."""

    spill: Any  # [position]: instances that fail a test
    begin: Ints  # [node]: the start of the node's segment
    level: Ints  # [node]: the tests above it, filled by `new-all-nodes` only
    tally: NDArray[np.int64]  # [class]: instances of a leaf


class Routed(NamedTuple):
    """The data of the kernels: the instances, and where in each tree they are."""

    n_instances: int
    instances: Instances
    scoring: Scoring
    order: Any  # [row, position]: instance indices, every subtree a segment
    reached: Ints  # [row, node]: instances that reach the node
    correct: Ints  # [row, node]: instances that this leaf classifies correctly; 0 for an inner node
    scratch: Scratch


def index_type(n_instances: int) -> type[np.generic]:
    """Return the smallest unsigned type that can index the instances."""
    return np.uint16 if n_instances <= np.iinfo(np.uint16).max + 1 else np.uint32


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
def count_in_segment(classes: Any, order: Any, row: int, start: int, n: int, wanted: int) -> int:
    """Count the instances of a segment that have a class."""
    found = U(0)
    for position in range(U(start), U(start) + U(n)):
        found += U(classes[order[row, position]] == wanted)
    return int(found)


@inlined
def tally_segment(classes: Any, order: Any, row: int, start: int, n: int, tally: NDArray[np.int64]) -> None:
    """Count the instances of a segment by their classes."""
    for label in range(len(tally)):
        tally[label] = 0
    for position in range(U(start), U(start) + U(n)):
        tally[classes[order[row, position]]] += 1


@inlined
def score_leaf(kept: Routed, trees: Trees, slot: int, leaf: int, row: int, start: int, n: int) -> int:
    """Return the weight of a leaf's correct instances; with majority leaves, assign its class first."""
    classes, scoring, tally = kept.instances.classes, kept.scoring, kept.scratch.tally
    if len(scoring.target) > 0:
        return explained(scoring.target, kept.order, row, start, n)
    if scoring.majority:
        tally_segment(classes, kept.order, row, start, n, tally)
        return settle_leaf(scoring, trees, slot, leaf, tally)
    label = trees.value[slot, leaf]
    found = count_in_segment(classes, kept.order, row, start, n, label)
    return int(found * scoring.class_weight[label])


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


@inlined
def start_order(order: Any, row: int) -> None:
    """Put all instances at the root of a tree, in the order of the data."""
    for instance in range(order.shape[1]):
        order[row, instance] = instance


@inlined
def inherit_order(order: Any, source: int, child: int) -> None:
    """Copy the parent's order of the instances."""
    for position in range(order.shape[1]):
        order[child, position] = order[source, position]


LEVELS = False  # whether every level of a tree has its own permutation, in consecutive rows
INHERITS = True  # else all trees use row 0 in turn


@inlined
def n_levels(trees: Trees, slot: int) -> int:
    """Return the number of levels of a tree."""
    return height_of(trees.attribute, trees.span, slot, 0) + 1


def begin_child(trees: Trees, births: Births, k: int, kept: Routed) -> tuple[int, int]:
    """Copy the parent's order, at every level that has one, and its counts."""
    child, source = births.slot[k], births.source[k]
    kept_levels = len(kept.order) // len(kept.reached) if LEVELS else 1
    if source == NONE:
        start_order(kept.order, child * kept_levels)
    else:
        for level in range(n_levels(trees, source) if LEVELS else 1):
            inherit_order(kept.order, source * kept_levels + level, child * kept_levels + level)
    return inherit_counts(trees, births, k, kept)


def classify_below(trees: Trees, births: Births, k: int, node: int, kept: Routed) -> tuple[int, int]:
    """Classify the instances at a node by the subtree below it.

    The node's number of instances is known. This fills those of every node below, and reorders the node's
    segment. Returns the node-instance checks made and the correct instances found.
    """
    order, reached, correct = kept.order, kept.reached, kept.correct
    spill, begin, level, _ = kept.scratch
    slot = births.slot[k]
    row = slot if INHERITS else 0
    first_order = row * (len(order) // len(reached)) if LEVELS else row
    checks, total_correct = 0, 0
    tree, place = U(slot), U(row)
    begin[node] = segment_start(trees, slot, reached, node)
    if LEVELS:
        level[node] = depth_of(trees.span, slot, 0, node)
    for i in range(node, node + trees.span[slot, node]):  # preorder: a parent comes before its children
        here = U(i)
        n, start = reached[place, here], begin[here]
        list_row = first_order + level[here] if LEVELS else first_order
        checks += n
        if trees.attribute[tree, here] == LEAF:
            correct[place, here] = score_leaf(kept, trees, slot, i, list_row, start, n)
            total_correct += correct[place, here]
        else:
            correct[place, here] = 0
            left = U(i + 1)
            right = left + U(trees.span[tree, left])
            if LEVELS:
                for position in range(start, start + n):
                    order[list_row + 1, position] = order[list_row, position]
                list_row += 1
                level[left] = level[right] = level[here] + 1
            tested, value = trees.attribute[tree, here], trees.value[tree, here]
            passed = partition(kept.instances, tested, value, order, list_row, start, n, spill)
            reached[place, left], reached[place, right] = passed, n - passed
            begin[left], begin[right] = start, start + passed
    return checks, total_correct


def empty_kept(instances: Instances, scoring: Scoring, n_rows: int, width: int) -> Routed:
    """Allocate the data of kernels, for ``n_rows`` trees of up to ``width`` nodes."""
    n = len(instances.classes)
    begin, level = np.zeros((2, width), dtype=np.int32)
    return Routed(
        n_instances=n,
        instances=instances,
        scoring=scoring,
        order=np.zeros((n_rows, n), dtype=index_type(n)),
        reached=np.zeros((n_rows, width), dtype=np.int32),
        correct=np.zeros((n_rows, width), dtype=np.int32),
        scratch=Scratch(
            spill=np.zeros(n, dtype=index_type(n)),
            begin=begin,
            level=level,
            tally=np.zeros(len(scoring.class_weight), dtype=np.int64),
        ),
    )


class InheritEvaluator(Evaluator):
    """Evaluate with inheritance; keep the instance indices at the leaves."""

    kernel = staticmethod(make_kernel("evaluate_stale", inlined(begin_child), inlined(classify_below)))
    sums_numbers = True

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None:
        super().__init__(problem, n_slots, n_jobs)
        self.memory = empty_kept(self.instances, self.scoring, n_slots, width=0)
        self.scratch: list[Scratch] = []  # one per thread

    @property
    def n_bytes(self) -> int:
        memory = self.memory
        return int(memory.order.nbytes + memory.reached.nbytes + memory.correct.nbytes)

    def kept_for(self, thread: int) -> Routed:
        return self.memory._replace(scratch=self.scratch[thread])

    def fit(self, trees: Trees, births: Births) -> None:
        del births
        width = trees.width
        if not self.scratch or width > len(self.scratch[0].begin):
            memory = self.memory
            reached, correct = widened(memory.reached, width), widened(memory.correct, width)
            self.memory = memory._replace(reached=reached, correct=correct)
            self.scratch = [
                empty_kept(self.instances, self.scoring, 0, width).scratch for _ in range(self.threads.n_jobs)
            ]


@inlined
def begin_at_root(trees: Trees, births: Births, k: int, kept: Routed) -> tuple[int, int]:  # noqa: ARG001
    """Inherit nothing."""
    if not births.is_known[k]:
        start_order(kept.order, 0)
        kept.reached[0, 0] = kept.n_instances
    return 0, 0


classify_from_root = inlined(specialised(classify_below, "classify_from_root", INHERITS=False))


class FullEvaluator(InheritEvaluator):
    """Evaluate without inheritance; keep nothing about any tree."""

    kernel = staticmethod(
        make_kernel("evaluate_from_root", begin_at_root, classify_from_root, inherits=False)
    )
    n_bytes = 0

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None:
        del n_slots
        super().__init__(problem, n_jobs, n_jobs)  # every thread has a row, which its trees use in turn

    def kept_for(self, thread: int) -> Routed:
        kept, row = super().kept_for(thread), slice(thread, thread + 1)
        return kept._replace(order=kept.order[row], reached=kept.reached[row], correct=kept.correct[row])


@lean
def most_levels(trees: Trees, slots: NDArray[np.int64]) -> int:
    """Return the maximum number of levels of the given trees."""
    most = 1
    for k in range(len(slots)):
        most = max(most, n_levels(trees, slots[k]))
    return most


begin_levels = inlined(specialised(begin_child, "begin_levels", LEVELS=True))
classify_levels = inlined(specialised(classify_below, "classify_levels", LEVELS=True))


class AllNodesEvaluator(InheritEvaluator):
    """Evaluate with inheritance; keep the instance indices at every node."""

    kernel = staticmethod(make_kernel("evaluate_stale_levels", begin_levels, classify_levels))

    runs_alone = False  # the levels of children have to be counted before their evaluation

    def fit(self, trees: Trees, births: Births) -> None:
        super().fit(trees, births)
        n_slots, order = len(self.memory.reached), self.memory.order
        kept = len(order) // n_slots
        wanted = most_levels(trees, births.slot)
        if wanted > kept:
            deeper = np.zeros((n_slots, max(wanted, 2 * kept), order.shape[1]), dtype=order.dtype)
            deeper[:, :kept] = order.reshape(n_slots, kept, -1)
            self.memory = self.memory._replace(order=deeper.reshape(-1, order.shape[1]))
