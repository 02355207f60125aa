"""Have kernels compiled, or loaded from the cache, before a clock runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from gatree.evolution.evaluators.shards.server import LocalWorker
from gatree.evolution.evaluators.shards.sources import Slice
from gatree.evolution.evaluators.shards.workers import ShardWorkers
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.problem import Instances, Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS

_ENOUGH = 64


def warm_up(problem: Problem, settings: EvolutionSettings, in_shards: bool = False) -> None:
    """Run a tiny evolution: kernels are compiled for the types of a problem and its evaluator.

    In shards, they are those that the shards' processes will want, which then find them on the disk.
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
    """Return what decides which compiled code an evolution runs: after one warm-up each, all is compiled."""
    evaluator = EVALUATORS[settings.evaluator].load().suited_to(problem)
    types = [array.dtype.char for array in problem.instances]
    return (*types, evaluator, settings.n_jobs > 1)
