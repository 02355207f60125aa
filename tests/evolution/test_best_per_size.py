"""The best tree of each size equals that of a search over all trees of the evolution."""

from __future__ import annotations

import numpy as np

from gatree import load_dataset
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.outcome import BestPerSize
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import predict


def test_champions_are_the_best_of_all_trees():
    settings = EvolutionSettings(population_size=60, n_generations=80, mutation_rate=0.5, seed=3)
    champions, most_correct = BestPerSize(), {}

    def watch(evolution: Evolution) -> None:
        champions.watch(evolution.population)
        for slot in evolution.population.alive:
            size = int(evolution.population.trees.n_nodes[slot])
            correct = int(evolution.population.trees.n_correct[slot])
            most_correct[size] = max(correct, most_correct.get(size, 0))

    outcome = evolve(load_dataset("glass"), settings, watch)
    found = champions.champions()
    assert [(c.tree.n_nodes, c.n_correct) for c in found] == sorted(most_correct.items())
    assert len(found) > 3
    assert outcome.best in [champion.tree for champion in found]


def test_counts_equal_those_of_the_trees():
    evolution: Evolution | None = None
    champions = BestPerSize()

    def watch(now: Evolution) -> None:
        nonlocal evolution
        evolution = now
        champions.watch(now.population)

    evolve(load_dataset("zoo"), EvolutionSettings(n_generations=30, evaluator="bitset"), watch)
    instances = evolution.problem.instances
    for champion in champions.champions():
        predicted = predict(champion.tree, instances.codes, instances.is_numeric)
        assert np.count_nonzero(predicted == instances.classes) == champion.n_correct


def test_large_trees():
    settings = EvolutionSettings(population_size=200, n_generations=150, x_factor="1e12")
    champions = BestPerSize()
    outcome = evolve(load_dataset("balance-scale"), settings, lambda now: champions.watch(now.population))
    assert outcome.best.n_nodes > 32
    assert outcome.best in [champion.tree for champion in champions.champions()]
