"""Compile kernels, or load them from the cache, before a measurement."""

from __future__ import annotations

from typing import Any

from gatree.evolution.evaluators.partition import index_type
from gatree.evolution.evolve import evolve
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings


def warm_up(problem: Problem, settings: EvolutionSettings) -> None:
    """Run a tiny evolution, which compiles the kernels for the types of a problem and its evaluator."""
    evolve(problem, settings.model_copy(update={"population_size": 8, "n_generations": 2}))


def kernels_of(problem: Problem, settings: EvolutionSettings) -> tuple[Any, ...]:
    """Return a key of the compiled code that an evolution runs; one warm-up per key compiles everything."""
    types = [array.dtype.char for array in problem.instances] + [index_type(problem.n_instances).__name__]
    return (*types, settings.evaluator, settings.selection, settings.payoff)
