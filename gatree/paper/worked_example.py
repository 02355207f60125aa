"""The paper's worked example (Section 3.1): Table 2's data, Figures 2 and 3's trees, one crossover.

The trees are run through the real breeding and the real `new` evaluator; what had to be recomputed
is what its stale nodes say. Fitness is exact. As in the paper's arithmetic, accuracy is the number of
correct instances, size the number of leaves, and x is 1.

The figures' trees are inferred: up to exchanging A1 with A2, T1's left test, and T2's lone leaf, these
are the only ones that give the published numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.evolution.breed import breed, breeding_of, empty_births
from gatree.evolution.evaluators.contract import Ledger
from gatree.evolution.evaluators.old_and_new import InheritEvaluator
from gatree.evolution.operators import CUT, MUTATE, N_DRAWS
from gatree.evolution.payoff import payoff
from gatree.evolution.population import Population
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import plain
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import Tree

_N, _Y = 0, 1
_A1, _A2, _A3 = 0, 1, 2

T1 = Tree.nested((_A1, _N, (_A2, _N, _N, _Y), (_A2, _N, _N, _Y)))
T2 = Tree.nested((_A2, _N, (_A3, _N, _N, _Y), _Y))
CUT_T1, CUT_T2 = 4, 1  # the right branch of T1, the left branch of T2


@dataclass(frozen=True)
class Branch:
    """One side of a tree's root: its share of the fitness, and whether it has to be computed again."""

    n_correct: int
    n_leaves: int
    recomputed: bool


@dataclass(frozen=True)
class Scored:
    """A tree of the example with the instances at its leaves and its fitness."""

    name: str
    tree: Tree
    instances: dict[int, tuple[int, ...]]  # by leaf, as node numbers
    branches: tuple[Branch, Branch]

    @property
    def n_correct(self) -> int:
        return sum(branch.n_correct for branch in self.branches)

    @property
    def fitness(self) -> Fraction:
        """Eq. 1 with x = 1, accuracy as a count and size as leaves."""
        one = Fraction(1)
        return Fraction(payoff(self.n_correct * one, one, self.tree.n_leaves, one))


@dataclass(frozen=True)
class Example:
    """The example, before and after its crossover."""

    parents: tuple[Scored, Scored]
    children: tuple[Scored, Scored]
    ledger: Ledger


def sample_data() -> Dataset:
    """Return Table 2."""
    rows = np.array([[_N, _N, _Y, _Y], [_N, _Y, _N, _N], [_Y, _N, _N, _N], [_Y, _Y, _Y, _Y]], dtype=np.int32)
    return Dataset(
        name="Table 2",
        attributes=tuple(Attribute(name, "nominal", ("N", "Y")) for name in ("A1", "A2", "A3")),
        columns=(rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2].copy()),
        class_attribute=Attribute("Class", "nominal", ("N", "Y")),
        classes=rows[:, 3].copy(),
        class_position=3,
    )


def worked_example() -> Example:
    """Evaluate T1 and T2, cross them, and evaluate T3 and T4 by inheritance."""
    problem = Problem.of(sample_data())
    population = Population.empty(size=2, n_offspring=2)
    population.put(0, T1)
    population.put(1, T2)
    evaluator = InheritEvaluator(problem, n_slots=4)
    births = empty_births(2)
    births.slot[:] = 0, 1
    births.stale[:, 0] = 0
    evaluator.evaluate(population.trees, births)
    parents = (_scored(population, evaluator, 0, CUT_T1), _scored(population, evaluator, 1, CUT_T2))
    evaluator.ledger[:] = 0
    births.slot[:] = 2, 3
    breed(
        plain(population.trees),
        np.array([0, 1]),
        plain(births),
        plain(problem.alphabet),
        plain(breeding_of(EvolutionSettings(mutation_rate=0.0))),
        _cuts(),
    )
    evaluator.evaluate(population.trees, births)
    stale_t3, stale_t4 = births.stale[:, 0].tolist()
    children = (_scored(population, evaluator, 2, stale_t3), _scored(population, evaluator, 3, stale_t4))
    return Example(parents, children, Ledger(*evaluator.ledger.tolist()))


def _cuts() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the random numbers that choose the example's crossover nodes."""
    draws = np.ones((2, N_DRAWS))
    draws[:, CUT] = (CUT_T1 + 0.5) / T1.n_nodes, (CUT_T2 + 0.5) / T2.n_nodes
    draws[:, MUTATE] = 1.0
    return draws


def _scored(population: Population, evaluator: InheritEvaluator, slot: int, stale: int) -> Scored:
    tree, memory = population.tree(slot), evaluator.memory
    instances, start = {}, 0
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            end = start + int(memory.reached[slot, node])
            instances[node] = tuple(sorted(int(i) for i in memory.order[slot, start:end]))
            start = end
    branches = [
        Branch(
            n_correct=int(memory.correct[slot, child : child + tree.span[child]].sum()),
            n_leaves=(int(tree.span[child]) + 1) // 2,
            recomputed=child <= stale < child + tree.span[child],
        )
        for child in (tree.left(0), tree.right(0))
    ]
    return Scored(f"T{slot + 1}", tree, instances, (branches[0], branches[1]))
