"""The paper's trees run through the engine: its worked example, and its theory counted.

The example (Section 3.1): Table 2's data, Figures 2 and 3's trees, one crossover. The trees are run through
the real breeding and the real `new` evaluator; what had to be recomputed is what its stale nodes say. Fitness
is exact. As in the paper's arithmetic, accuracy is the number of correct instances, size the number of
leaves, and x is 1. The figures' trees are inferred: up to exchanging A1 with A2, T1's left test, and T2's
lone leaf, these are the only ones that give the published numbers.

The theory (Section 3.2): for each shape and depth a data set whose instances spread over the leaves exactly
as the derivation assumes. Every node is declared stale in turn, the evaluator re-classifies, and its ledger
says how many node-instance-checks that took. Equal to the exact sums of `gatree.paper.theory` or something
is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gatree.base.errors import ConfigError
from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.evolution.breed import NONE, Births, breed, breeding_of, empty_births
from gatree.evolution.evaluators.contract import Ledger, make_evaluator
from gatree.evolution.evaluators.partition import InheritEvaluator
from gatree.evolution.mutations import CUT, MUTATE, N_DRAWS
from gatree.evolution.payoff import payoff
from gatree.evolution.population import Population
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import plain
from gatree.paper.theory import SHAPES, Shape
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import LEAF, Tree

# --- the worked example -----------------------------------------------------------------------------

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
        answer=Classes(Attribute("Class", "nominal", ("N", "Y")), rows[:, 3].copy()),
        answer_position=3,
    )


def worked_example() -> Example:
    """Evaluate T1 and T2, cross them, and evaluate T3 and T4 by inheritance."""
    problem = Problem.of(sample_data())
    population = Population.empty(size=2, n_offspring=2)
    population.put(0, T1)
    population.put(1, T2)
    settings = EvolutionSettings(mutation_rate=0.0)
    evaluator = InheritEvaluator(problem, settings, n_slots=4)
    births = empty_births(2)
    births.slot[:] = 0, 1
    births.stale[:, 0] = 0
    evaluator.evaluate(population.trees, births)
    parents = (_scored(population, evaluator, 0, CUT_T1), _scored(population, evaluator, 1, CUT_T2))
    evaluator.ledger[:] = 0
    births.slot[:] = 2, 3
    cuts = np.ones((2, N_DRAWS))  # the random numbers that choose the example's crossover nodes
    cuts[:, CUT] = (CUT_T1 + 0.5) / T1.n_nodes, (CUT_T2 + 0.5) / T2.n_nodes
    cuts[:, MUTATE] = 1.0
    breed(
        plain(population.trees),
        plain(births),
        np.array([0, 1]),
        plain(problem.alphabet),
        plain(breeding_of(settings)),
        cuts,
    )
    evaluator.evaluate(population.trees, births)
    stale_t3, stale_t4 = births.stale[:, 0].tolist()
    children = (_scored(population, evaluator, 2, stale_t3), _scored(population, evaluator, 3, stale_t4))
    return Example(parents, children, Ledger(*evaluator.ledger.tolist()))


def _scored(population: Population, evaluator: InheritEvaluator, slot: int, stale: int) -> Scored:
    tree, routed = population.tree(slot), evaluator.routed
    instances, start = {}, 0
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            end = start + int(routed.reached[slot, node])
            instances[node] = tuple(sorted(int(i) for i in routed.order[slot, start:end]))
            start = end
    branches = [
        Branch(
            n_correct=int(routed.correct[slot, child : child + tree.span[child]].sum()),
            n_leaves=(int(tree.span[child]) + 1) // 2,
            recomputed=child <= stale < child + tree.span[child],
        )
        for child in (tree.left(0), tree.right(0))
    ]
    return Scored(f"T{slot + 1}", tree, instances, (branches[0], branches[1]))


# --- the theory, counted ----------------------------------------------------------------------------

DEEPEST = {"complete": 11, "linear": 1000, "weighted linear": 14}
"""How deep a tree is still built: complete trees have 2^k leaves, weighted ones need 2^k instances."""


@dataclass(frozen=True)
class Counted:
    """R and R' of one tree, as the evaluator counted them."""

    n_nodes: int
    from_root: Fraction
    below: Fraction


def leaf_sizes(shape: str, k: int) -> list[int]:
    """Return the instances at each leaf, from left to right, for the fewest instances that spread evenly."""
    if shape == "complete":
        return [1] * 2**k
    if shape == "linear":
        return [1] * (k + 1)
    return [2 ** (k - level) for level in range(1, k + 1)] + [1]


def build(shape: str, k: int) -> tuple[Problem, Tree]:
    """Return a tree of this shape and depth, and a data set that spreads over its leaves as it should.

    The only attribute is an instance's position, and a test asks whether it lies left of a cut.
    """
    sizes = leaf_sizes(shape, k)
    cuts = (np.cumsum(sizes) - 1).tolist()  # the last position in each leaf
    tree = Tree.from_preorder(*zip(*(_balanced(cuts) if shape == "complete" else _linear(cuts)), strict=True))
    n = sum(sizes)
    dataset = Dataset(
        name=f"{shape} {k}",
        attributes=(Attribute("position", "numeric"),),
        columns=(np.arange(n, dtype=np.float64),),
        answer=Classes(Attribute("class", "nominal", ("a", "b")), (np.arange(n) % 2).astype(np.int32)),
        answer_position=1,
    )
    return Problem.of(dataset), tree


_LEAF = (LEAF, 0)


def _linear(cuts: list[int]) -> list[tuple[int, int]]:
    """Return the nodes in preorder: at each level a test and its left leaf; at last the right leaf."""
    return [node for cut in cuts[:-1] for node in ((0, cut), _LEAF)] + [_LEAF]


def _balanced(cuts: list[int]) -> list[tuple[int, int]]:
    """Return the nodes in preorder: every test parts its leaves in two halves."""
    half = len(cuts) // 2
    return [(0, cuts[half - 1]), *_balanced(cuts[:half]), *_balanced(cuts[half:])] if half else [_LEAF]


def count(shape: str, k: int) -> Counted:
    """Declare every node of such a tree stale in turn, and let the `new` evaluator count."""
    if not 1 <= k <= DEEPEST[shape]:
        raise ConfigError(f"a {shape} tree is counted for depths 1 to {DEEPEST[shape]}, not {k}")
    problem, tree = build(shape, k)
    parent, child = 0, 1
    population = Population.empty(1, 1)
    for slot in (parent, child):
        population.put(slot, tree)
    evaluator = make_evaluator(problem, EvolutionSettings(evaluator="new"), n_slots=2)
    evaluator.evaluate(population.trees, _birth(parent, NONE, stale=0))
    below, from_root = Fraction(0), Fraction(0)
    for node, level in enumerate(tree.depths().tolist()):
        evaluator.ledger[:] = 0
        evaluator.evaluate(population.trees, _birth(child, parent, node))
        ledger = Ledger(*(int(total) for total in evaluator.ledger))
        way_down = level * ledger.instances_reclassified
        below += Fraction(ledger.node_instance_checks, ledger.node_instance_checks_full)
        from_root += Fraction(ledger.node_instance_checks + way_down, ledger.node_instance_checks_full)
    return Counted(tree.n_nodes, from_root / tree.n_nodes, below / tree.n_nodes)


def _birth(slot: int, source: int, stale: int) -> Births:
    births = empty_births(1)
    births.slot[0], births.source[0] = slot, source
    births.stale[0, 0] = stale
    return births


@dataclass(frozen=True)
class Line:
    """One shape at one depth: exact, the paper's, and (if it was counted) the engine's."""

    shape: Shape
    k: int
    counted: Counted | None

    @property
    def agrees(self) -> bool:
        """Whether the count equals the exact sums and does not exceed what the paper gives."""
        counted, shape = self.counted, self.shape
        if counted is None:
            return True
        exact = (counted.from_root, counted.below) == (shape.from_root(self.k), shape.below(self.k))
        bounds = ((counted.from_root, shape.paper_from_root), (counted.below, shape.paper_below))
        return exact and all(bound is None or value <= bound(self.k) for value, bound in bounds)


def lines(depths: Sequence[int], check: bool) -> list[Line]:
    """Return all shapes at these depths, counted by the engine where asked for and not too large."""
    return [
        Line(shape, k, count(shape.name, k) if check and k <= DEEPEST[shape.name] else None)
        for shape in SHAPES
        for k in depths
    ]
