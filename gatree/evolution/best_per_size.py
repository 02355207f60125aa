"""The most accurate tree of each size that an evolution has produced.

A small tree that is nearly as accurate may be worth more to its reader than the one with the highest
payoff. `BestPerSize` observes an evolution after every generation; the engine does not depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.evolve import Evolution
from gatree.trees.genome import Tree


@dataclass(frozen=True)
class Champion:
    """The most accurate tree of its size."""

    tree: Tree
    n_correct: int


class BestPerSize:
    """The most accurate tree of each number of nodes, the first one among equals.

    Call `watch` after every generation. It costs a few array operations, and copies a tree only when the
    tree beats the champion of its size.
    """

    def __init__(self) -> None:
        self._champions: dict[int, Champion] = {}
        self._most_correct: NDArray[np.int64] = np.full(16, -1, dtype=np.int64)  # by number of nodes

    def watch(self, evolution: Evolution) -> None:
        """Record new champions of the current population."""
        population = evolution.population
        n_nodes, n_correct = (part[population.alive] for part in population.trees[3:5])
        self._make_room(int(n_nodes.max()))
        for rank in np.flatnonzero(n_correct > self._most_correct[n_nodes]):
            size, correct = int(n_nodes[rank]), int(n_correct[rank])
            if correct > self._most_correct[size]:  # not beaten by another of this generation
                self._most_correct[size] = correct
                tree = population.tree(int(population.alive[rank]))
                self._champions[size] = Champion(tree, correct)

    def _make_room(self, largest: int) -> None:
        short = largest + 1 - len(self._most_correct)
        if short > 0:
            more = np.full(max(short, len(self._most_correct)), -1, dtype=np.int64)
            self._most_correct = np.concatenate([self._most_correct, more])

    def champions(self) -> list[Champion]:
        """Return the best tree of each size, the smallest first."""
        return [self._champions[size] for size in sorted(self._champions)]
