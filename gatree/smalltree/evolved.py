"""Evolve trees for a search to start with, by the paper's evolution with lossless inheritance.

Greedy trees do not see an interaction of columns that are worthless alone. An evolution does: it rewards a
tree only for what all its tests do together. It works on at most 5,000 rows and 31 thresholds per attribute,
and its best trees of all sizes are improved on all rows like any other tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.answer import Classes
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.dataset import Dataset
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.population import Population
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings, XFactor
from gatree.smalltree.draft import NO_TREES, Draft
from gatree.smalltree.task import DistinctRows, Longs
from gatree.trees.genome import LEAF, Tree

_MOST_ROWS = 5_000
_MOST_THRESHOLDS = 31
_MOST_NODES = 127
_OBSERVED_EVERY = 5  # generations


@dataclass(frozen=True)
class Champion:
    """The most accurate tree of its size."""

    tree: Tree
    n_correct: int


GOOD_TREES = EvolutionSettings(
    population_size=3000,
    n_generations=400,
    mutation_rate=1.0,
    crossover_rate=1.0,
    prune_share=0.25,
    shift_share=0.25,
    grow_share=1.0,
    generation_gap=0.25,
    replacement="best",
    x_factor=XFactor(1e5, 1e4),
    leaf_class="majority",
    min_leaf=1,
    numeric_tests="auto",
    evaluator="bitset",
)
"""Settings that find good small trees; chosen by measurement over the included data sets."""


class BestPerSize:
    """The most accurate tree of each number of nodes, the first one among equals.

    Call `watch` after every generation. It costs a few array operations, and copies a tree only when the
    tree beats the champion of its size.
    """

    def __init__(self) -> None:
        self._champions: dict[int, Champion] = {}

    def watch(self, population: Population) -> None:
        """Record new champions of a population."""
        trees = population.trees
        n_nodes, n_correct = trees.n_nodes[population.alive], trees.n_correct[population.alive]
        best_first = np.lexsort((-n_correct, n_nodes))  # of each size
        sizes, places = np.unique(n_nodes[best_first], return_index=True)
        for size, rank in zip(sizes.tolist(), best_first[places].tolist(), strict=True):
            if size not in self._champions or n_correct[rank] > self._champions[size].n_correct:
                tree = population.tree(int(population.alive[rank]))
                self._champions[size] = Champion(tree, int(n_correct[rank]))

    def champions(self) -> list[Champion]:
        """Return the best tree of each size, the smallest first."""
        return [self._champions[size] for size in sorted(self._champions)]


class EvolutionEffort(NamedTuple):
    """The effort for an evolution; a population below two is none."""

    population: int
    generations: int

    def up_to(self, most: int) -> EvolutionEffort:
        """Return an effort of at most a number of trees and of generations."""
        return EvolutionEffort(min(self.population, most), min(self.generations, most))


NO_EVOLUTION = EvolutionEffort(0, 0)


def evolved_trees(
    rows: DistinctRows, effort: EvolutionEffort, seed: int, is_over: Callable[[], bool] = lambda: False
) -> Draft:
    """Return the best tree of every size that an evolution finds, if it is better than all smaller ones.

    There are none for numbers, nor where the first test is given. Constraints are left to the search, which
    prunes the trees. ``is_over`` ends the evolution with the trees so far.
    """
    if effort.population < 2 or not rows.are_classes or rows.limits.first != LEAF:
        return NO_TREES
    stake = rows.weight * rows.worth[rows.cases.classes]
    problem = Problem.of(_as_dataset(rows, drawn(stake, _MOST_ROWS, seed)), "observed", _MOST_THRESHOLDS)
    if len(problem.alphabet.testable) == 0:
        return NO_TREES
    settings = GOOD_TREES.model_copy(
        update={
            "population_size": effort.population,
            "n_generations": effort.generations,
            "max_nodes": _MOST_NODES,
            "seed": seed,
        }
    )
    best = BestPerSize()

    def observe(evolution: Evolution) -> bool:
        is_last = is_over() or evolution.generation == effort.generations
        if is_last or evolution.generation % _OBSERVED_EVERY == 0:
            best.watch(evolution.population)
        return is_last

    evolve(problem, settings, observe)
    return _drafted(problem, _better_than_smaller(best))


def drawn(stake: Longs, most: int, seed: int) -> NDArray[np.intp]:
    """Return rows repeated by their stakes, in lowest terms; above ``most``, a stratified sample of these."""
    ends = np.cumsum(stake // max(1, int(np.gcd.reduce(stake))))
    n = min(most, int(ends[-1]))
    places = (np.arange(n) + np.random.default_rng(seed).random(n)) * (ends[-1] / n)
    return np.asarray(np.searchsorted(ends, places.astype(np.int64), side="right"))


def _as_dataset(rows: DistinctRows, chosen: NDArray[np.intp]) -> Dataset:
    """Return rows as a data set whose values are the codes of the search."""
    cases = rows.cases
    attributes, columns = list[Attribute](), list[Column]()
    for position, (codes, n_tests) in enumerate(zip(cases.codes, cases.n_tests.tolist(), strict=True)):
        column = codes[chosen]
        if cases.is_numeric[position]:
            attributes.append(Attribute(str(position), "numeric"))
            columns.append(column.astype(np.float64))
        else:
            attributes.append(Attribute(str(position), "nominal", tuple(map(str, range(n_tests)))))
            columns.append(np.where(column < n_tests, column, MISSING).astype(np.int32))
    return Dataset(
        name="rows",
        attributes=tuple(attributes),
        columns=tuple(columns),
        answer=Classes(
            Attribute("class", "nominal", tuple(map(str, range(cases.n_classes)))),
            cases.classes[chosen].astype(np.int32),
        ),
        answer_position=len(attributes),
    )


def _better_than_smaller(best: BestPerSize) -> list[Tree]:
    trees, most_correct = list[Tree](), -1
    for champion in best.champions():
        if champion.n_correct > most_correct:
            trees.append(champion.tree)
            most_correct = champion.n_correct
    return trees


def _drafted(problem: Problem, trees: list[Tree]) -> Draft:
    """Return trees, one after the other, in the codes of the search: thresholds are rounded down to codes."""
    attribute, value, span = (
        np.concatenate([getattr(tree, part) for tree in trees]).astype(np.int32)
        for part in ("attribute", "value", "span")
    )
    for position in np.flatnonzero(problem.coding.is_numeric).tolist():
        here = attribute == position
        codes = np.floor(problem.coding.thresholds[position])
        value[here] = codes[value[here]]
    return Draft(attribute, value, span)
