"""A population: a struct of arrays with one row per slot, and the slots in use, best first.

There are more slots than trees: children are bred into free slots while their parents still exist, and
replacement only relabels slots. The rows double in width when trees outgrow them, so only memory (and the
`max_nodes` setting) limits the size of a tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.problem import Alphabet
from gatree.kernels.decorators import lean
from gatree.trees.genome import LEAF, Ints, Tree

_FIRST_WIDTH = 32

N_INITIAL_DRAWS = 4
"""The random numbers of an initial tree: an attribute, its test, and two classes."""

Slots = NDArray[np.int64]
"""Slot numbers."""


class Trees(NamedTuple):
    """The trees of all slots. Rows are in preorder (gatree.trees.genome)."""

    attribute: Ints  # [slot, node]
    value: Ints  # [slot, node]
    span: Ints  # [slot, node]
    n_nodes: Ints  # [slot]
    n_correct: NDArray[np.int64]  # [slot], filled by an evaluator

    @property
    def width(self) -> int:
        return int(self.span.shape[1])

    def tree(self, slot: int) -> Tree:
        """Return a copy of the tree in a slot."""
        nodes = slice(self.n_nodes[slot])
        attribute, value, span = self.attribute[slot, nodes], self.value[slot, nodes], self.span[slot, nodes]
        return Tree.known(attribute.copy(), value.copy(), span.copy())


@dataclass
class Population:
    """Trees in slots. The first `size` of `slots` are the population, best first; the others are free.

    It is a sequence of trees: ``population[0]`` is a copy of the best one.
    """

    trees: Trees
    slots: Slots
    size: int

    @classmethod
    def empty(cls, size: int, n_offspring: int) -> Population:
        """Allocate a population and slots for its offspring."""
        n_slots = size + n_offspring
        attribute, value, span = (np.zeros((n_slots, _FIRST_WIDTH), dtype=np.int32) for _ in range(3))
        n_nodes, n_correct = np.zeros(n_slots, dtype=np.int32), np.zeros(n_slots, dtype=np.int64)
        return cls(Trees(attribute, value, span, n_nodes, n_correct), np.arange(n_slots), size)

    @property
    def alive(self) -> Slots:
        """The slots of the population, best first."""
        return self.slots[: self.size]

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, rank: int) -> Tree:
        return self.tree(int(self.alive[rank]))

    def __iter__(self) -> Iterator[Tree]:
        return (self.tree(slot) for slot in self.alive.tolist())

    @property
    def n_distinct(self) -> int:
        """The number of different trees."""
        return len({(tree.attribute.tobytes(), tree.value.tobytes()) for tree in self})

    def make_room(self, n_nodes: int) -> None:
        """Double the width of the rows until a tree of ``n_nodes`` nodes fits."""
        trees, width = self.trees, self.trees.width
        while width < n_nodes:
            width *= 2
        if width > trees.width:
            self.trees = trees._replace(
                attribute=widened(trees.attribute, width),
                value=widened(trees.value, width),
                span=widened(trees.span, width),
            )

    def tree(self, slot: int) -> Tree:
        """Return a copy of the tree in a slot."""
        return self.trees.tree(slot)

    def put(self, slot: int, tree: Tree) -> None:
        """Copy a tree into a slot."""
        self.make_room(tree.n_nodes)
        self.trees.attribute[slot, : tree.n_nodes] = tree.attribute
        self.trees.value[slot, : tree.n_nodes] = tree.value
        self.trees.span[slot, : tree.n_nodes] = tree.span
        self.trees.n_nodes[slot] = tree.n_nodes


def widened(rows: Ints, width: int) -> Ints:
    """Return the rows with more columns, filled with zeros."""
    wide = np.zeros((rows.shape[0], width), dtype=rows.dtype)
    wide[:, : rows.shape[1]] = rows
    return wide


@lean
def pick(uniform: float, n: int) -> int:
    """Map a uniform number in [0, 1) to one of 0..n-1."""
    return int(uniform * n)


def fill_initial_trees(
    trees: Trees, slots: Slots, alphabet: Alphabet, draws: NDArray[np.float64], n_single: int = 0
) -> None:
    """Fill slots with the initial trees of Section 2: one random test and two random leaves.

    The first `n_single` trees are single leaves, and all trees if no attribute can be tested.
    """
    n_leaves = n_single if len(alphabet.testable) else len(slots)
    single, stumps = slots[:n_leaves], slots[n_leaves:]
    trees.attribute[slots, :3] = LEAF
    trees.span[slots, :3] = 1
    trees.value[single, 0] = draws[:n_leaves, 0] * alphabet.n_classes  # truncated, as in `pick`
    trees.n_nodes[single] = 1
    if len(stumps):
        draws = draws[n_leaves:]
        tested = alphabet.testable[(draws[:, 0] * len(alphabet.testable)).astype(np.intp)]
        trees.attribute[stumps, 0] = tested
        trees.value[stumps, 0] = draws[:, 1] * alphabet.n_tests[tested]
        trees.value[stumps, 1] = draws[:, 2] * alphabet.n_classes
        trees.value[stumps, 2] = draws[:, 3] * alphabet.n_classes
        trees.span[stumps, 0] = trees.n_nodes[stumps] = 3
