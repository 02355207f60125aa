"""The `new-all-nodes` evaluator: inheritance with instance indices at every node, the paper's O(kn).

Section 3 keeps "an array of instance indices per node"; Section 4 reduces it to the leaves. Here every level
of a tree has its own permutation of the instances, in which each node of that level owns a segment. It needs
more memory and more copying than `new`. Its purpose is to measure that cost.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.atomics import Claims, claim
from gatree.evolution.evaluators.contract import RECLASSIFIED, Evaluator
from gatree.evolution.evaluators.nodes import book, has_small_leaf, inherit_nodes
from gatree.evolution.evaluators.old_and_new import (
    empty_scratch,
    index_type,
    inherit_order,
    partition,
    score_segment,
    segment_start,
)
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Instances, Problem
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import inlined, lean, plain
from gatree.trees.genome import LEAF, Ints, depth_of


@inlined
def n_levels(trees: Trees, slot: int, level: Ints) -> int:
    """Return the number of levels of a tree; `level` is scratch."""
    level[0] = 0
    deepest = 0
    for i in range(trees.n_nodes[slot]):
        if trees.attribute[slot, i] != LEAF:
            left = i + 1
            level[left] = level[left + trees.span[slot, left]] = level[i] + 1
            deepest = max(deepest, level[left])
    return deepest + 1


@lean
def most_levels(trees: Trees, slots: NDArray[np.int64], level: Ints) -> int:
    """Return the maximum number of levels of the given trees."""
    trees = Trees(*trees)
    most = 1
    for k in range(len(slots)):
        most = max(most, n_levels(trees, slots[k], level))
    return most


class LevelMemory(NamedTuple):
    """Data kept per tree, in the form that kernels take. A permutation's row is slot * levels + level."""

    order: Any  # [slot and level, position]
    reached: Ints  # [slot, node]
    correct: Ints  # [slot, node]


class LevelScratch(NamedTuple):
    """Scratch arrays."""

    spill: Any  # [position]
    begin: Ints  # [node]
    level: Ints  # [node]
    tally: NDArray[np.int64]  # [class]


class Levelled(NamedTuple):
    """The arguments of the kernel."""

    instances: Instances
    scoring: Scoring
    memory: LevelMemory
    scratch: LevelScratch


@lean
def classify_levels_below(
    instances: Instances,
    scoring: Scoring,
    trees: Trees,
    slot: int,
    node: int,
    memory: LevelMemory,
    first_row: int,
    scratch: LevelScratch,
) -> tuple[int, int]:
    """Do what `classify_below` does, and keep the index list of every node."""
    order, reached, correct = memory
    spill, begin, level, tally = scratch
    begin[node] = segment_start(trees, slot, reached, node)
    level[node] = depth_of(trees.span, slot, 0, node)
    checks, total_correct = 0, 0
    for i in range(node, node + trees.span[slot, node]):
        n, start = reached[slot, i], begin[i]
        row = first_row + level[i]
        checks += n
        if trees.attribute[slot, i] == LEAF:
            correct[slot, i] = score_segment(
                instances.classes, scoring, trees, slot, i, order, row, start, n, tally
            )
            total_correct += correct[slot, i]
        else:
            correct[slot, i] = 0
            for position in range(start, start + n):
                order[row + 1, position] = order[row, position]
            tested, value = trees.attribute[slot, i], trees.value[slot, i]
            passed = partition(instances, tested, value, order, row + 1, start, n, spill)
            left = i + 1
            right = left + trees.span[slot, left]
            reached[slot, left], reached[slot, right] = passed, n - passed
            begin[left], begin[right] = start, start + passed
            level[left] = level[right] = level[i] + 1
    return checks, total_correct


@lean
def evaluate_stale_levels(
    trees: Trees, births: Births, claims: Claims, ledger: NDArray[np.int64], kept: Levelled
) -> None:
    """Evaluate children by classifying only the instances at their stale nodes."""
    trees, births, kept = Trees(*trees), Births(*births), Levelled(*kept)
    instances, scoring = Instances(*kept.instances), Scoring(*kept.scoring)
    memory, scratch = LevelMemory(*kept.memory), LevelScratch(*kept.scratch)
    order, reached, correct = memory
    n = len(instances.classes)
    kept_levels = len(order) // len(reached)
    k = claim(claims)
    while k < len(births.slot):
        child, source = births.slot[k], births.source[k]
        first_row = child * kept_levels
        checks_saved, n_correct, checks = 0, 0, 0
        if source == NONE:
            for instance in range(n):
                order[first_row, instance] = instance
            reached[child, 0] = n
        else:
            for level in range(n_levels(trees, source, scratch.level)):
                inherit_order(order, source * kept_levels + level, first_row + level)
            checks_saved, n_correct = inherit_nodes(trees, births, k, reached, correct)
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                made, found = classify_levels_below(
                    instances, scoring, trees, child, node, memory, first_row, scratch
                )
                checks, n_correct = checks + made, n_correct + found
                ledger[RECLASSIFIED] += reached[child, node]
        too_small = has_small_leaf(scoring, trees, child, reached, child)
        trees.n_correct[child] = 0 if too_small else n_correct
        book(ledger, births, k, n, checks, checks_saved)
        k = claim(claims)


class AllNodesEvaluator(Evaluator):
    """Evaluate with inheritance; keep the instance indices at every node.

    Python runs between generations: the levels of children have to be counted before their evaluation.
    """

    kernel = staticmethod(evaluate_stale_levels)
    sums_numbers = True
    runs_alone = False

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None:
        super().__init__(problem, n_slots, n_jobs)
        n = problem.n_instances
        self.memory = LevelMemory(
            order=np.zeros((2 * n_slots, n), dtype=index_type(n)),
            reached=np.zeros((n_slots, 0), dtype=np.int32),
            correct=np.zeros((n_slots, 0), dtype=np.int32),
        )
        self.scratch: list[LevelScratch] = []  # one per thread

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.memory)

    def kept_for(self, thread: int) -> Levelled:
        return Levelled(self.instances, self.scoring, self.memory, self.scratch[thread])

    def fit(self, trees: Trees, births: Births) -> None:
        width = trees.width
        if not self.scratch or width > len(self.scratch[0].begin):
            reached, correct = widened(self.memory.reached, width), widened(self.memory.correct, width)
            self.memory = self.memory._replace(reached=reached, correct=correct)
            self.scratch = [self._scratch(width) for _ in range(self.pool.n_jobs)]
        self._fit_levels(most_levels(plain(trees), births.slot, self.scratch[0].level))

    def _scratch(self, width: int) -> LevelScratch:
        spill, begin, tally = empty_scratch(
            len(self.instances.classes), width, len(self.scoring.class_weight)
        )
        return LevelScratch(spill, begin, np.zeros(width, dtype=np.int32), tally)

    def _fit_levels(self, wanted: int) -> None:
        n_slots = len(self.memory.reached)
        kept = len(self.memory.order) // n_slots
        if wanted > kept:
            order = self.memory.order.reshape(n_slots, kept, -1)
            deeper = np.zeros((n_slots, max(wanted, 2 * kept), order.shape[2]), dtype=order.dtype)
            deeper[:, :kept] = order
            self.memory = self.memory._replace(order=deeper.reshape(-1, order.shape[2]))
