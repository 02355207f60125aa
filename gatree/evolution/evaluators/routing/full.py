"""The `old` evaluator: every instance of every child is classified from the root."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import Births
from gatree.evolution.evaluators.atomics import Claims, claim
from gatree.evolution.evaluators.contract import RECLASSIFIED, Evaluator
from gatree.evolution.evaluators.nodes import book, has_small_leaf
from gatree.evolution.evaluators.routing.classify import (
    Memory,
    Routed,
    Scratch,
    classify_below,
    empty_memory,
    empty_scratch,
    named,
)
from gatree.evolution.population import Trees
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import lean


@lean
def evaluate_from_root(
    trees: Trees, births: Births, claims: Claims, ledger: NDArray[np.int64], kept: Routed
) -> None:
    """Classify all instances by each tree, from its root. The memory has one row, used anew each time."""
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
    """Evaluates without inheritance. Keeps nothing about any tree."""

    kernel = staticmethod(evaluate_from_root)
    sums_numbers = True

    n_bytes = 0

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None:
        super().__init__(problem, n_slots, n_jobs)
        self.memory: list[Memory] = []  # one per thread, of one tree
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
