"""Have kernels compiled, or loaded from the cache, before a clock runs."""

from __future__ import annotations

from gatree.config import EvolutionSettings
from gatree.evolution.evolve import evolve
from gatree.evolution.problem import Problem
from gatree.jit import CACHE_FOLDER, COMPILED


def warm_up(problem: Problem, settings: EvolutionSettings) -> None:
    """Run a tiny evolution: kernels are compiled for the types of a problem and its evaluator."""
    evolve(problem, settings.model_copy(update={"population_size": 8, "n_generations": 2}))


def lacks_evolutions() -> bool:
    """Tell whether no evolution has been compiled yet."""
    return COMPILED and not (CACHE_FOLDER and any(CACHE_FOLDER.rglob("*run_generations_of_*.nbi")))
