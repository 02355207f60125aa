"""The evaluators: several ways to count the instances that trees classify correctly.

    old            every instance, from the root (routing/full.py)
    new            lossless inheritance, indices at the leaves (routing/inherit.py)
    new-all-nodes  the same with indices at every node (routing/all_nodes.py)
    bitset         lossless inheritance on bit sets (bits/bitset.py)

All fulfil the contract of contract.py and give the same integers.
"""

from __future__ import annotations

from gatree.config import EvaluatorName
from gatree.errors import ConfigError
from gatree.evolution.evaluators.bits.bitset import BitsetEvaluator
from gatree.evolution.evaluators.contract import Evaluator, Ledger
from gatree.evolution.evaluators.routing.all_nodes import AllNodesEvaluator
from gatree.evolution.evaluators.routing.full import FullEvaluator
from gatree.evolution.evaluators.routing.inherit import InheritEvaluator
from gatree.evolution.problem import Problem

__all__ = ["EVALUATORS", "Evaluator", "Ledger", "make_evaluator"]

EVALUATORS: dict[EvaluatorName, type[Evaluator]] = {
    "old": FullEvaluator,
    "new": InheritEvaluator,
    "new-all-nodes": AllNodesEvaluator,
    "bitset": BitsetEvaluator,
}


def make_evaluator(
    name: EvaluatorName, problem: Problem, n_slots: int, n_jobs: int = 1, subtree_cache: bool = False
) -> Evaluator:
    """Return a fresh evaluator for a population of so many slots, working in so many threads."""
    if name == "bitset":
        return BitsetEvaluator(problem, n_slots, n_jobs, subtree_cache)
    if subtree_cache:
        raise ConfigError(f"subtree_cache: only the evaluator bitset has one, not {name!r}")
    return EVALUATORS[name](problem, n_slots, n_jobs)
