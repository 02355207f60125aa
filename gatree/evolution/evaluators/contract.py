"""The contract of an evaluator, and the ledger it keeps.

An evaluator fills `n_correct` for the trees just born and books the work in integers. Payoffs are
computed elsewhere, from those integers, so two evaluators agree exactly or there is a bug.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import Births
from gatree.evolution.evaluators.crew import Crew
from gatree.evolution.generation import Generation, Rules
from gatree.evolution.population import Trees
from gatree.evolution.problem import Problem

# The columns of a ledger.
RECLASSIFIED, TOTAL, CHECKS, CHECKS_FULL = range(4)


@dataclass(frozen=True)
class Ledger:
    """What the evaluation of all offspring has cost, and what it would cost without inheritance."""

    instances_reclassified: int
    instances_total: int
    node_instance_checks: int
    node_instance_checks_full: int

    @property
    def instances_saved(self) -> float:
        """The share of instances not classified again: the paper's "Train Savings", as a fraction."""
        return _share_saved(self.instances_reclassified, self.instances_total)

    @property
    def checks_saved(self) -> float:
        """The share of node-instance-checks not made."""
        return _share_saved(self.node_instance_checks, self.node_instance_checks_full)


def _share_saved(done: int, total: int) -> float:
    return 1 - done / total if total else 0.0


class Evaluator(Protocol):
    """Computes `n_correct` of trees, for one problem and one population."""

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None: ...

    def evaluate(self, trees: Trees, births: Births) -> None:
        """Fill ``trees.n_correct`` for the slots of the births, and book the work."""

    def advance(self, generation: Generation, rules: Rules, until: int) -> bool:
        """Run generations in one compiled call, up to `until` or to where `may_advance` ends.

        Returns whether it can do so at all; if not, nothing has happened and `evaluate` has to be called
        between the steps of each generation.
        """

    crew: Crew
    """The threads that do the work, and their ledgers."""

    @property
    def ledger(self) -> NDArray[np.int64]:
        """The four totals so far, in the order of `Ledger`."""

    @property
    def n_bytes(self) -> int:
        """The memory that is kept for the trees' instances."""
