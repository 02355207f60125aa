"""A brood: random trees of a given size, and children of them to evaluate again and again.

An evolution decides itself how large its trees are; here the benchmark does. Evaluating a brood does not
change its parents, so it can be repeated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gatree.evolution.breed import Births, breed, breeding_of, empty_births
from gatree.evolution.evaluators import Evaluator, Ledger, make_evaluator
from gatree.evolution.operators import N_DRAWS
from gatree.evolution.population import Population
from gatree.evolution.problem import Alphabet, Problem
from gatree.kernels.decorators import plain
from gatree.settings.evolution_settings import EvaluatorName, EvolutionSettings
from gatree.trees.genome import Tree


def random_tree(alphabet: Alphabet, n_nodes: int, rng: np.random.Generator) -> Tree:
    """Return a random tree with the given odd number of nodes, split at random."""
    return Tree.nested(_random_shape(alphabet, (n_nodes + 1) // 2, rng))


def _random_shape(alphabet: Alphabet, n_leaves: int, rng: np.random.Generator) -> Any:
    if n_leaves == 1:
        return int(rng.integers(alphabet.n_classes))
    tested = int(rng.choice(alphabet.testable))
    left = int(rng.integers(1, n_leaves))
    return (
        tested,
        int(rng.integers(alphabet.n_tests[tested])),
        _random_shape(alphabet, left, rng),
        _random_shape(alphabet, n_leaves - left, rng),
    )


class Brood:
    """An even number of random trees, and as many children of theirs, bred by crossover alone."""

    def __init__(self, problem: Problem, n_trees: int, n_nodes: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.problem = problem
        self.population = Population.empty(n_trees, n_trees)
        for slot in range(n_trees):
            self.population.put(slot, random_tree(problem.alphabet, n_nodes, rng))
        self.population.make_room(2 * n_nodes)
        self.parents, self.children = empty_births(n_trees), empty_births(n_trees)
        self.parents.slot[:] = np.arange(n_trees)
        self.parents.stale[:, 0] = 0
        self.children.slot[:] = np.arange(n_trees, 2 * n_trees)
        self._breed(rng)

    def _breed(self, rng: np.random.Generator) -> None:
        n = len(self.parents.slot)
        breeding = breeding_of(EvolutionSettings(mutation_rate=0.0))
        trees, children, alphabet = self.population.trees, self.children, self.problem.alphabet
        breed(
            plain(trees),
            np.arange(n),
            plain(children),
            plain(alphabet),
            plain(breeding),
            rng.random((n, N_DRAWS)),
        )

    def evaluator(self, name: EvaluatorName) -> Evaluator:
        """Return an evaluator that has seen the parents."""
        evaluator = make_evaluator(name, self.problem, 2 * len(self.parents.slot))
        self.evaluate(evaluator, self.parents)
        return evaluator

    def evaluate(self, evaluator: Evaluator, births: Births | None = None) -> None:
        """Evaluate the children."""
        evaluator.evaluate(self.population.trees, births or self.children)

    def ledger(self, evaluator: Evaluator) -> Ledger:
        """Return what one evaluation of the children books."""
        evaluator.ledger[:] = 0
        self.evaluate(evaluator)
        return Ledger(*(int(total) for total in evaluator.ledger))
