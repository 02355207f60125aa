"""The evaluators: several ways to count the instances that trees classify correctly.

`EVALUATORS` in settings/registry.py lists them. All fulfil contract.py and give the same integers.
"""

from __future__ import annotations

from gatree.base.errors import ConfigError
from gatree.evolution.evaluators.contract import Evaluator, Ledger
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvaluatorName
from gatree.settings.registry import EVALUATORS

__all__ = ["Evaluator", "Ledger", "make_evaluator"]


def make_evaluator(
    name: EvaluatorName, problem: Problem, n_slots: int, n_jobs: int = 1, subtree_cache: bool = False
) -> Evaluator:
    """Return a fresh evaluator for a population of so many slots, working in so many threads."""
    kind: type[Evaluator] = EVALUATORS[name].load()
    if not subtree_cache:
        return kind.suited_to(problem)(problem, n_slots, n_jobs)
    if not kind.has_subtree_cache:
        raise ConfigError(f"subtree_cache: only the evaluator bitset has one, not {name!r}")
    return kind(problem, n_slots, n_jobs, subtree_cache)  # type: ignore[call-arg]
