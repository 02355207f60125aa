"""The evaluators: alternative ways to count the instances that trees classify correctly.

`EVALUATORS` in settings/registry.py lists them. All implement contract.py and return the same integers.
"""

from __future__ import annotations

from gatree.evolution.evaluators.contract import Evaluator, Ledger
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvaluatorName
from gatree.settings.registry import EVALUATORS

__all__ = ["Evaluator", "Ledger", "make_evaluator"]


def make_evaluator(name: EvaluatorName, problem: Problem, n_slots: int, n_jobs: int = 1) -> Evaluator:
    """Return a new evaluator for a population of ``n_slots`` slots that runs in ``n_jobs`` threads."""
    evaluator: Evaluator = EVALUATORS[name].load()(problem, n_slots, n_jobs)
    return evaluator
