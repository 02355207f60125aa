"""The `new` evaluator: lossless fitness inheritance (Section 3), with indices at the leaves only.

Kept per tree: the instance indices, every leaf's side by side (O(n), Section 4), and two integers
per node: how many instances reach it and, for a leaf, how many of them are classified correctly.
A child takes over all that from the parent it inherits from; then only the segments of its stale
nodes are classified again. A tree's correct instances are the sum of its leaves'.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.claim import Claims, claim
from gatree.evolution.evaluators.contract import CHECKS, CHECKS_FULL, RECLASSIFIED, TOTAL
from gatree.evolution.evaluators.routing.base import RoutingEvaluator
from gatree.evolution.evaluators.routing.classify import (
    Memory,
    Scratch,
    classify_below,
    empty_memory,
    empty_scratch,
    has_small_leaf,
    segment_start,
)
from gatree.evolution.generation import Generation, Rules, bear, may_advance, parts, succeed
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Instances, Problem
from gatree.evolution.scoring import Scoring
from gatree.evolution.stopwatch import BREED, EVALUATE, REPLACE, lap, restart
from gatree.jit import U, inlined, lean
from gatree.trees.genome import Ints


@inlined
def inherit_run(
    source: int, there: int, child: int, here: int, n: int, reached: Ints, correct: Ints
) -> tuple[int, int]:
    """Take over the counts of n nodes in a row; return their sums."""
    checks, n_correct = 0, 0
    for k in range(n):
        old, new = U(there + k), U(here + k)
        checks += reached[U(source), old]
        n_correct += correct[U(source), old]
        reached[U(child), new] = reached[U(source), old]
        correct[U(child), new] = correct[U(source), old]
    return checks, n_correct


@inlined
def inherit_nodes(trees: Trees, births: Births, k: int, reached: Ints, correct: Ints) -> tuple[int, int]:
    """Take over the parent's counts for all of a child's nodes outside the stale subtrees.

    There the two trees are the same, node by node. A stale node itself has the same instances in both.
    Returns what is inherited: the node-instance-checks saved, and the correct instances.
    """
    child, source = births.slot[k], births.source[k]
    here, there = 0, 0
    checks, n_correct = 0, 0
    for which in range(2):
        stale = births.stale[k, which]
        if stale != NONE:
            n = stale - here
            more_checks, more_correct = inherit_run(source, there, child, here, n, reached, correct)
            checks, n_correct = checks + more_checks, n_correct + more_correct
            there += n
            reached[child, stale] = reached[source, there]
            here, there = stale + trees.span[child, stale], there + trees.span[source, there]
    n = trees.n_nodes[child] - here
    more_checks, more_correct = inherit_run(source, there, child, here, n, reached, correct)
    return checks + more_checks, n_correct + more_correct


@inlined
def inherit_order(order: Any, source: int, child: int) -> None:
    """Take over the parent's arrangement of the instances."""
    for position in range(order.shape[1]):
        order[child, position] = order[source, position]


@inlined
def begin_anew(memory: Memory, slot: int) -> None:
    """Put all instances at the root of an initial tree."""
    n = memory.order.shape[1]
    for instance in range(n):
        memory.order[slot, instance] = instance
    memory.reached[slot, 0] = n


@lean
def evaluate_stale(
    instances: Instances,
    scoring: Scoring,
    trees: Trees,
    births: Births,
    claims: Claims,
    memory: Memory,
    scratch: Scratch,
    ledger: NDArray[np.int64],
) -> None:
    """Evaluate children by classifying only the instances at their stale nodes."""
    instances = Instances(*instances)
    scoring = Scoring(*scoring)
    trees = Trees(*trees)
    births = Births(*births)
    memory = Memory(*memory)
    scratch = Scratch(*scratch)
    order, reached, correct = memory
    k = claim(claims)
    while k < len(births.slot):
        child, source = births.slot[k], births.source[k]
        checks_saved, n_correct, checks = 0, 0, 0
        if source == NONE:
            begin_anew(memory, child)
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
        ledger[TOTAL] += len(instances.classes)
        ledger[CHECKS] += checks
        ledger[CHECKS_FULL] += checks_saved + checks
        k = claim(claims)


@lean
def advance_inheriting(
    generation: Generation,
    rules: Rules,
    until: int,
    instances: Instances,
    scoring: Scoring,
    claims: Claims,
    memory: Memory,
    scratch: Scratch,
    ledger: NDArray[np.int64],
) -> None:
    """Run generations, classifying only the instances at the children's stale nodes."""
    trees, births, stopwatch = parts(generation)
    started = restart(stopwatch)
    while may_advance(generation, rules, until, started):
        bear(generation, rules)
        lap(stopwatch, BREED)
        claims[0] = 0
        evaluate_stale(instances, scoring, trees, births, claims, memory, scratch, ledger)
        lap(stopwatch, EVALUATE)
        succeed(generation, rules, ledger)
        lap(stopwatch, REPLACE)


class InheritEvaluator(RoutingEvaluator):
    """Evaluates with inheritance; keeps the instance indices at the leaves."""

    evaluate_births = staticmethod(evaluate_stale)
    advance_generations = staticmethod(advance_inheriting)

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None:
        super().__init__(problem, n_slots, n_jobs)
        self.memory = empty_memory(n_slots, problem.n_instances, width=0)

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.memory)

    def _memory_of(self, member: int) -> Memory:
        del member  # all work on the same trees
        return self.memory

    def _fit(self, trees: Trees, births: Births) -> None:
        del births
        width = trees.width
        if self.scratch and width <= len(self.scratch[0].begin):
            return
        reached, correct = widened(self.memory.reached, width), widened(self.memory.correct, width)
        self.memory = self.memory._replace(reached=reached, correct=correct)
        n, n_classes = len(self.instances.classes), len(self.scoring.class_weight)
        self.scratch = [empty_scratch(n, width, n_classes) for _ in range(self.crew.n_jobs)]
