"""Breed and evaluate given trees outside an evolution."""

import numpy as np

from gatree.evolution.breed import Births, breed, breeding_of, empty_births
from gatree.evolution.evaluators.contract import Ledger, make_evaluator
from gatree.evolution.mutations import N_DRAWS
from gatree.evolution.population import Population
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import plain
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import Tree


def births_in(slots):
    births = empty_births(len(slots))
    births.slot[:] = slots
    return births


class ManualBreeding:
    """Parents in slots, as many free slots for children, and an evaluator that has evaluated the parents."""

    def __init__(self, problem: Problem, parents: list[Tree], evaluator: str = "new") -> None:
        n = len(parents)
        self.problem = problem
        self.population = Population.empty(n, n)
        for slot, tree in enumerate(parents):
            self.population.put(slot, tree)
        self.population.make_room(2 * max(tree.n_nodes for tree in parents) + 2)
        self.evaluator = make_evaluator(problem, EvolutionSettings(evaluator=evaluator), 2 * n)
        births = births_in(np.arange(n))
        births.stale[:, 0] = 0
        self.evaluate(births)
        self.evaluator.ledger[:] = 0

    def evaluate(self, births: Births) -> None:
        self.evaluator.evaluate(self.population.trees, births)

    def breed(self, draws, mutation_rate=0.0, **others) -> Births:
        """Breed parents 0 and 1, 2 and 3, ...; the children are in the slots after the parents."""
        n = self.population.size
        births = births_in(np.arange(n, 2 * n))
        assert np.shape(draws) == (n, N_DRAWS)
        breeding = breeding_of(EvolutionSettings(mutation_rate=mutation_rate, **others))
        trees, alphabet = plain(self.population.trees), plain(self.problem.alphabet)
        breed(trees, plain(births), np.arange(n), alphabet, plain(breeding), draws)
        return births

    @property
    def ledger(self) -> Ledger:
        return Ledger(*self.evaluator.ledger.tolist())

    def tree(self, slot: int) -> Tree:
        return self.population.tree(slot)
