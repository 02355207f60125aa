"""Compile kernels, or load them from the cache, before a measurement."""

from __future__ import annotations

from typing import Any

import numpy as np

from gatree.evolution.evaluators.shards.shard import LocalWorker
from gatree.evolution.evaluators.shards.workers import ShardWorkers, Slice
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.problem import Instances, Problem
from gatree.settings.evolution_settings import EvolutionSettings

_ENOUGH = 64


def warm_up(problem: Problem, settings: EvolutionSettings, in_shards: bool = False) -> None:
    """Run a tiny evolution, which compiles the kernels for the types of a problem and its evaluator.

    With ``in_shards`` these are the kernels that the shards' processes load from the cache later.
    """
    tiny = settings.model_copy(update={"population_size": 8, "n_generations": 2})
    if in_shards:
        codes, is_numeric, classes = problem.instances
        blank = np.zeros((len(codes), _ENOUGH), codes.dtype), is_numeric, np.zeros(_ENOUGH, classes.dtype)
        Evolution(
            problem, tiny, workers=ShardWorkers([Slice(Instances(*blank), 0, _ENOUGH)], LocalWorker)
        ).advance(2)
    else:
        evolve(problem, tiny)


def kernels_of(problem: Problem, settings: EvolutionSettings) -> tuple[Any, ...]:
    """Return a key of the compiled code that an evolution runs; one warm-up per key compiles everything."""
    types = [array.dtype.char for array in problem.instances]
    return (*types, settings.evaluator, settings.n_jobs > 1)
