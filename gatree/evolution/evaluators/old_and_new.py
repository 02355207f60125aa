"""The evaluators `old` and `new`: full evaluation, and lossless fitness inheritance (Section 3).

`old` classifies every instance of every child from the root. `new` keeps instance indices at the leaves.

Per tree, `new` keeps the instance indices, grouped by leaf (O(n), Section 4), and two integers per node: the
number of instances that reach it and, for a leaf, the number classified correctly. A child copies these from
the parent it inherits from; then only the segments of its stale nodes are reclassified. The correct instances
of a tree are the sum over its leaves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.atomics import Claims, claim
from gatree.evolution.evaluators.contract import RECLASSIFIED, Evaluator
from gatree.evolution.evaluators.nodes import book, has_small_leaf, inherit_nodes
from gatree.evolution.evaluators.routing import (
    Memory,
    Routed,
    Scratch,
    classify_below,
    empty_memory,
    empty_scratch,
    named,
    segment_start,
)
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import inlined, lean


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
