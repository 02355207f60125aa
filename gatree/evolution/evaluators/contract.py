"""The interface of an evaluator, and the ledger of its work.

An evaluator fills `n_correct` of the new trees and adds the work to its ledger, in integers. Payoffs are
computed elsewhere from those integers, so any difference between two evaluators is a bug.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from gatree.evolution.breed import Births
from gatree.evolution.population import Trees
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS

# The columns of a ledger.
RECLASSIFIED, TOTAL, CHECKS, CHECKS_FULL = range(4)


@dataclass(frozen=True)
class Ledger:
    """The cost of evaluating all offspring, with and without inheritance."""

    instances_reclassified: int
    instances_total: int
    node_instance_checks: int
    node_instance_checks_full: int

    @property
    def instances_saved(self) -> float:
        """The share of instances not reclassified: the paper's "Train Savings", as a fraction."""
        return _share_saved(self.instances_reclassified, self.instances_total)

    @property
    def checks_saved(self) -> float:
        """The share of node-instance checks saved."""
        return _share_saved(self.node_instance_checks, self.node_instance_checks_full)


def _share_saved(done: int, total: int) -> float:
    return 1 - done / total if total else 0.0


class Evaluator(ABC):
    """Compute `n_correct` of trees, for one problem and one population of ``n_slots`` slots.

    Its entry is in gatree.settings.registry.
    """

    def __init__(self, problem: Problem, settings: EvolutionSettings, n_slots: int) -> None:
        del n_slots  # subclasses keep data per slot
        self.instances = problem.instances
        self.has_majority_leaves = settings.leaf_class == "majority"
        self.min_leaf = settings.min_leaf
        self.n_classes = problem.alphabet.n_classes
        self.ledger = np.zeros(4, dtype=np.int64)  # in the order of `Ledger`

    @property
    @abstractmethod
    def n_bytes(self) -> int:
        """The memory kept for the trees' instances."""

    @abstractmethod
    def evaluate(self, trees: Trees, births: Births) -> None:
        """Fill ``trees.n_correct`` for the slots of the births, and add the work to the ledger.

        With majority leaves, also fill ``trees.value`` of the leaves. A child with a leaf of fewer than
        `min_leaf` instances has none correct. A child that ``is_known`` equals its source and is not work.
        """


def make_evaluator(problem: Problem, settings: EvolutionSettings, n_slots: int) -> Evaluator:
    """Return the evaluator of the settings for a population of ``n_slots`` slots."""
    evaluator: Evaluator = EVALUATORS[settings.evaluator].load()(problem, settings, n_slots)
    return evaluator
