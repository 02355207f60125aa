"""Compile kernels, or load them from the cache, before a measurement."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gatree.evolution.evaluators.bitset import BLOCK_WORDS
from gatree.evolution.evolve import evolve
from gatree.evolution.problem import Instances, Problem
from gatree.kernels.words import WORD
from gatree.settings.evolution_settings import EvolutionSettings

_ENOUGH = 2 * BLOCK_WORDS * WORD  # instances for two threads


def warm_up(problem: Problem, settings: EvolutionSettings) -> None:
    """Run a tiny evolution, which compiles the kernels for the types of a problem and its evaluator."""
    tiny: dict[str, Any] = {"population_size": 8, "n_generations": 2}
    if settings.n_jobs > 1:
        codes, is_numeric, classes = problem.instances
        blank = np.zeros((len(codes), _ENOUGH), codes.dtype), is_numeric, np.zeros(_ENOUGH, classes.dtype)
        problem = replace(problem, instances=Instances(*blank))
    evolve(problem, settings.model_copy(update=tiny))


def kernels_of(problem: Problem, settings: EvolutionSettings) -> tuple[Any, ...]:
    """Return a key of the compiled code that an evolution runs; one warm-up per key compiles everything."""
    types = [array.dtype.char for array in problem.instances]
    return (*types, settings.evaluator, settings.n_jobs > 1)
