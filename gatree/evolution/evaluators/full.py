"""The `old` evaluator: every instance of every child is classified from the root."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import Births
from gatree.evolution.evaluators.classify import Memory, Scratch, classify_below, index_type
from gatree.evolution.evaluators.contract import CHECKS, CHECKS_FULL, RECLASSIFIED, TOTAL
from gatree.evolution.population import Trees
from gatree.evolution.problem import Instances, Problem
from gatree.jit import jit, plain


@jit
def evaluate_from_root(
    instances: Instances,
    trees: Trees,
    slots: NDArray[np.int64],
    memory: Memory,
    scratch: Scratch,
    ledger: NDArray[np.int64],
) -> None:
    """Classify all instances by each tree, from its root. The memory has one row, used anew each time."""
    instances = Instances(*instances)
    trees = Trees(*trees)
    memory = Memory(*memory)
    scratch = Scratch(*scratch)
    n = len(instances.classes)
    for k in range(len(slots)):
        for instance in range(n):
            memory.order[0, instance] = instance
        memory.reached[0, 0] = n
        scratch.begin[0] = 0
        checks = classify_below(instances, trees, slots[k], 0, memory, 0, scratch)
        trees.n_correct[slots[k]] = memory.correct[0, 0]
        ledger[RECLASSIFIED] += n
        ledger[TOTAL] += n
        ledger[CHECKS] += checks
        ledger[CHECKS_FULL] += checks


class FullEvaluator:
    """Evaluates without inheritance. Keeps nothing about any tree."""

    n_bytes = 0

    def __init__(self, problem: Problem, n_slots: int) -> None:
        del n_slots  # nothing is kept per tree
        self.instances = problem.instances
        self.ledger = np.zeros(4, dtype=np.int64)
        self._fit_rows(0)

    def evaluate(self, trees: Trees, births: Births) -> None:
        """Classify every instance by every child."""
        if trees.width > len(self.scratch.begin):
            self._fit_rows(trees.width)
        evaluate_from_root(
            plain(self.instances),
            plain(trees),
            births.slot,
            plain(self.memory),
            plain(self.scratch),
            self.ledger,
        )

    def _fit_rows(self, width: int) -> None:
        n = len(self.instances.classes)
        self.memory = Memory(
            order=np.zeros((1, n), dtype=index_type(n)),
            reached=np.zeros((1, width), dtype=np.int32),
            correct=np.zeros((1, width), dtype=np.int32),
        )
        self.scratch = Scratch(np.zeros(n, dtype=index_type(n)), np.zeros(width, dtype=np.int32))
