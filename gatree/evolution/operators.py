"""The genetic operators: selections of parents, replacement and mutations; registry.py has their entries.

A selection is a kernel that fills `parents`, one per row of uniform random numbers, with ranks (0 is the best
tree). `wheel` is a scratch array with an entry per tree.

A mutation is a kernel that changes one node of a child, given the child's row of random numbers, of which
NODE and OPERATOR are already used. Besides those of Table 1 there are growing and shifting. The caller infers
how later nodes have moved from the child's number of nodes.

`Operators` makes one kernel of all operators of a kind, including those of other packages.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.evolution.population import Trees, first_above, pick
from gatree.evolution.problem import Alphabet
from gatree.kernels.decorators import U, inlined, lean, one_of, stop_caching
from gatree.settings.entries import Entry
from gatree.trees.genome import LEAF, depth_of, widen_ancestors

_log = logging.getLogger(__name__)

AnyEntry = TypeVar("AnyEntry", bound=Entry)


class Operators(Generic[AnyEntry]):
    """Operators of one kind, and one kernel that calls the operator with a given index.

    An operator of another package that fails to import is logged in one line and skipped.
    """

    def __init__(self, setting: str, entries: Iterable[AnyEntry]) -> None:
        self.setting = setting
        self.entries: list[AnyEntry] = []
        self.failures: dict[str, str] = {}
        kernels: list[Any] = []
        for entry in entries:
            try:
                kernels.append(entry.load())
            except Exception as error:  # code of another package may raise anything
                if entry.path.startswith("gatree."):
                    raise
                self.failures[entry.name] = f"{type(error).__name__}: {error}".splitlines()[0]
                _log.warning("%s: %r is left out: %s", setting, entry.name, self.failures[entry.name])
                stop_caching()  # the cache key does not record which operators were compiled in
            else:
                self.entries.append(entry)
        self.kernel: Any = one_of(f"any_{setting}".replace(" ", "_"), kernels)

    def index_of(self, name: str) -> int:
        """Return the index by which the kernel calls an operator."""
        if name in self.failures:
            raise ConfigError(f"{self.setting}: {name!r} failed to import: {self.failures[name]}")
        names = [entry.name for entry in self.entries]
        if name not in names:
            raise ConfigError(f"{self.setting}: should be one of {', '.join(names)}, got {name!r}")
        return names.index(name)


Floats = NDArray[np.float64]

SCALING = 1.2
"""How much more often GAlib's linear scaling selects the best tree than an average one."""


@lean
def tournament(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:  # noqa: ARG001
    """Select each parent as the best of some random trees, one per column of draws."""
    for row in range(len(parents)):
        best = pick(draws[row, 0], len(payoff))
        for column in range(1, draws.shape[1]):
            challenger = pick(draws[row, column], len(payoff))
            if payoff[challenger] > payoff[best]:
                best = challenger
        parents[row] = best


@inlined
def fill_wheel(wheel: Floats, payoff: Floats, slope: float, shift: float) -> None:
    """Fill a roulette wheel with the cumulative sums of scaled payoffs; negative ones count as 0."""
    total = 0.0
    for rank in range(len(payoff)):
        total += max(0.0, payoff[rank] * slope + shift)
        wheel[rank] = total
    if not total > 0:  # no tree classifies anything correctly: uniform
        for rank in range(len(payoff)):
            wheel[rank] = rank + 1.0


@inlined
def spin(wheel: Floats, n: int, draw: float) -> int:
    """Return the tree that a draw selects on a wheel of n trees."""
    return min(first_above(wheel, n, draw * wheel[n - 1]), n - 1)


@inlined
def linear_scaling(payoff: Floats) -> tuple[float, float]:
    """Return slope and shift of GAlib's linear scaling of the payoffs.

    The mean stays the same, and the best becomes `SCALING` times the mean. If the worst would become
    negative, it becomes 0 instead.
    """
    best, worst, mean = payoff[0], payoff[0], 0.0
    for rank in range(len(payoff)):
        best, worst = max(best, payoff[rank]), min(worst, payoff[rank])
        mean += payoff[rank]
    mean /= len(payoff)
    if best == mean:
        return 1.0, 0.0
    if worst > (SCALING * mean - best) / (SCALING - 1):
        slope = (SCALING - 1) * mean / (best - mean)
        return slope, mean * (best - SCALING * mean) / (best - mean)
    return mean / (mean - worst), -worst * mean / (mean - worst)


@lean
def roulette(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:
    """Select each parent with probability proportional to its payoff, by the first number of its row."""
    fill_wheel(wheel, payoff, 1.0, 0.0)
    for row in range(len(parents)):
        parents[row] = spin(wheel, len(payoff), draws[row, 0])


@lean
def scaled_roulette(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:
    """Select each parent with probability proportional to its payoff after GAlib's linear scaling."""
    slope, shift = linear_scaling(payoff)
    fill_wheel(wheel, payoff, slope, shift)
    for row in range(len(parents)):
        parents[row] = spin(wheel, len(payoff), draws[row, 0])


def keep_all_but_worst(n_living: int, n_offspring: int) -> int:
    """Return how many trees stay when the offspring replace the worst; the best tree always stays."""
    return max(1, n_living - n_offspring)


def keep_all(n_living: int, n_offspring: int) -> int:
    """Return how many trees compete with the offspring: all."""
    del n_offspring
    return n_living


# The columns of a child's random numbers, by what they decide.
CUT, MUTATE, NODE, OPERATOR, ATTRIBUTE, TEST, CLASS = range(7)
N_DRAWS = 7

NO_LIMIT = np.iinfo(np.int32).max

Draws = NDArray[np.float64]


class Materials(NamedTuple):
    """The inputs of mutations: what nodes are drawn from, and the size limits; used in kernels only."""

    alphabet: Alphabet
    max_nodes: int
    max_depth: int
    draws: Draws  # [child, column]


@inlined
def copy_nodes(trees: Trees, source: int, start: int, n: int, child: int, at: int) -> None:
    """Copy n nodes of a tree, from `start` on, to position `at` of a child."""
    there, here = U(source), U(child)
    for k in range(n):
        old, new = U(start + k), U(at + k)
        trees.attribute[here, new] = trees.attribute[there, old]
        trees.value[here, new] = trees.value[there, old]
        trees.span[here, new] = trees.span[there, old]


@inlined
def change_leaf(trees: Trees, child: int, node: int, materials: Materials, row: int) -> None:
    """Leaf-Change: give a leaf one of the other classes."""
    n_classes = materials.alphabet.n_classes
    if n_classes > 1:
        other = pick(materials.draws[row, CLASS], n_classes - 1)
        trees.value[child, node] = other + (other >= trees.value[child, node])


@inlined
def change_test(trees: Trees, child: int, node: int, materials: Materials, row: int) -> None:
    """Node-Change: give an inner node a new random test."""
    alphabet, draws = materials.alphabet, materials.draws
    tested = alphabet.testable[pick(draws[row, ATTRIBUTE], len(alphabet.testable))]
    trees.attribute[child, node] = tested
    trees.value[child, node] = pick(draws[row, TEST], alphabet.n_tests[tested])


@inlined
def prune(trees: Trees, child: int, node: int, materials: Materials, row: int) -> None:
    """Node-Prune: replace an inner node and everything below it by a leaf."""
    removed = trees.span[child, node] - 1
    widen_ancestors(trees.span, child, node, -removed)
    trees.attribute[child, node] = LEAF
    trees.value[child, node] = pick(materials.draws[row, CLASS], materials.alphabet.n_classes)
    trees.span[child, node] = 1
    behind = node + 1 + removed
    copy_nodes(trees, child, behind, trees.n_nodes[child] - behind, child, node + 1)
    trees.n_nodes[child] -= removed


@inlined
def shift_test(trees: Trees, child: int, node: int, materials: Materials, row: int) -> None:
    """Shift an inner node's test to the next threshold or value, up or down."""
    n_tests = materials.alphabet.n_tests[trees.attribute[child, node]]
    if n_tests > 1:
        step = 1 if materials.draws[row, TEST] < 0.5 else -1
        moved = trees.value[child, node] + step
        trees.value[child, node] = moved if 0 <= moved < n_tests else moved - 2 * step  # ends: one way only


@inlined
def grow(trees: Trees, child: int, node: int, materials: Materials, row: int) -> None:
    """Replace a leaf by a random test with two leaves: one of a random class, the other of the old class.

    If the size or depth limit forbids that, or nothing can be tested, change the leaf's class instead.
    """
    no_room = trees.n_nodes[child] + 2 > materials.max_nodes or len(materials.alphabet.testable) == 0
    if no_room or (
        materials.max_depth < NO_LIMIT and depth_of(trees.span, child, 0, node) >= materials.max_depth
    ):
        change_leaf(trees, child, node, materials, row)
        return
    old_class = trees.value[child, node]
    widen_ancestors(trees.span, child, node, 2)
    for i in range(trees.n_nodes[child] - 1, node, -1):  # from the end: source and target overlap
        copy_nodes(trees, child, i, 1, child, i + 2)
    trees.n_nodes[child] += 2
    trees.span[child, node] = 3
    change_test(trees, child, node, materials, row)
    for leaf in (node + 1, node + 2):
        trees.attribute[child, leaf] = LEAF
        trees.span[child, leaf] = 1
    trees.value[child, node + 1] = pick(materials.draws[row, CLASS], materials.alphabet.n_classes)
    trees.value[child, node + 2] = old_class
