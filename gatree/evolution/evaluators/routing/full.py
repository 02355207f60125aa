"""The `old` evaluator: every instance of every child is classified from the root."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import Births
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
)
from gatree.evolution.generation import Generation, Rules, bear, may_advance, parts, succeed
from gatree.evolution.population import Trees
from gatree.evolution.problem import Instances, Problem
from gatree.evolution.scoring import Scoring
from gatree.evolution.stopwatch import BREED, EVALUATE, REPLACE, lap, restart
from gatree.jit import lean


@lean
def evaluate_from_root(
    instances: Instances,
    scoring: Scoring,
    trees: Trees,
    births: Births,
    claims: Claims,
    memory: Memory,
    scratch: Scratch,
    ledger: NDArray[np.int64],
) -> None:
    """Classify all instances by each tree, from its root. The memory has one row, used anew each time."""
    instances = Instances(*instances)
    scoring = Scoring(*scoring)
    trees = Trees(*trees)
    memory = Memory(*memory)
    scratch = Scratch(*scratch)
    n, slots = len(instances.classes), Births(*births).slot
    k = claim(claims)
    while k < len(slots):
        for instance in range(n):
            memory.order[0, instance] = instance
        memory.reached[0, 0] = n
        scratch.begin[0] = 0
        checks, n_correct = classify_below(instances, scoring, trees, slots[k], 0, memory, 0, scratch)
        too_small = has_small_leaf(scoring, trees, slots[k], memory.reached, 0)
        trees.n_correct[slots[k]] = 0 if too_small else n_correct
        ledger[RECLASSIFIED] += n
        ledger[TOTAL] += n
        ledger[CHECKS] += checks
        ledger[CHECKS_FULL] += checks
        k = claim(claims)


@lean
def advance_from_root(
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
    """Run generations, evaluating every child from its root."""
    trees, births, stopwatch = parts(generation)
    started = restart(stopwatch)
    while may_advance(generation, rules, until, started):
        bear(generation, rules)
        lap(stopwatch, BREED)
        claims[0] = 0
        evaluate_from_root(instances, scoring, trees, births, claims, memory, scratch, ledger)
        lap(stopwatch, EVALUATE)
        succeed(generation, rules, ledger)
        lap(stopwatch, REPLACE)


class FullEvaluator(RoutingEvaluator):
    """Evaluates without inheritance. Keeps nothing about any tree."""

    evaluate_births = staticmethod(evaluate_from_root)
    advance_generations = staticmethod(advance_from_root)

    n_bytes = 0

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None:
        super().__init__(problem, n_slots, n_jobs)
        self.memory: list[Memory] = []

    def _memory_of(self, member: int) -> Memory:
        return self.memory[member]

    def _fit(self, trees: Trees, births: Births) -> None:
        del births
        if self.scratch and trees.width <= len(self.scratch[0].begin):
            return
        n, members = len(self.instances.classes), range(self.crew.n_jobs)
        self.memory = [empty_memory(1, n, trees.width) for _ in members]
        self.scratch = [empty_scratch(n, trees.width, len(self.scoring.class_weight)) for _ in members]
