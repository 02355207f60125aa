"""Have all kernels compiled, or loaded from the cache, before a clock runs."""

from __future__ import annotations

from gatree.config import EvolutionSettings
from gatree.evolution.evolve import evolve
from gatree.evolution.problem import Problem


def warm_up(problem: Problem, settings: EvolutionSettings) -> None:
    """Run a tiny evolution: kernels are compiled for the types of a problem and its evaluator."""
    evolve(problem, settings.model_copy(update={"population_size": 8, "n_generations": 2}))
