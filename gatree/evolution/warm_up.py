"""Compile kernels, or load them from the cache, before a measurement."""

from __future__ import annotations

import numpy as np

from gatree.evolution.breed import breed, breeding_of, empty_births
from gatree.evolution.evaluators.partition import index_type
from gatree.evolution.evolve import evolve
from gatree.evolution.mutations import N_DRAWS
from gatree.evolution.population import Population
from gatree.evolution.problem import Alphabet, Problem
from gatree.kernels.decorators import plain
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import Tree


def warm_up(problem: Problem, settings: EvolutionSettings) -> None:
    """Run a tiny evolution, which compiles the kernels for the types of a problem and its evaluator."""
    evolve(problem, settings.model_copy(update={"population_size": 8, "n_generations": 2}))


def compile_breeding() -> None:
    """Breed two children, which compiles half of the code that any evolution needs."""
    settings = EvolutionSettings()
    population = Population.empty(2, 2)
    for slot in population.alive.tolist():
        population.put(slot, Tree.nested(0))
    births = empty_births(2)
    births.slot[:] = population.slots[2:]
    alphabet = Alphabet(
        testable=np.zeros(0, dtype=np.int32), n_tests=np.zeros(1, dtype=np.int32), n_classes=2
    )
    draws = np.zeros((2, 1 + N_DRAWS))
    materials = plain(alphabet), plain(breeding_of(settings))
    breed(plain(population.trees), plain(births), population.alive, *materials, draws)


def kernels_of(problem: Problem, settings: EvolutionSettings) -> tuple[str, ...]:
    """Return a key of the compiled code that an evolution runs; one warm-up per key compiles everything."""
    data = problem.instances
    types = data.codes.dtype.char, data.classes.dtype.char, index_type(problem.n_instances).__name__
    return (*types, settings.evaluator, settings.selection, settings.payoff)
