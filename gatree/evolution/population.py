"""A population: a struct of arrays with one row per slot, and which slots are alive.

There are more slots than trees: children are bred into free slots while their parents live on, and
replacement only re-labels slots. Rows double when trees outgrow them, so nothing limits a tree's
size but memory (and the `max_nodes` setting).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.problem import Alphabet
from gatree.kernels.decorators import inlined, lean
from gatree.trees.genome import LEAF, Ints, Tree

_FIRST_WIDTH = 32


class Trees(NamedTuple):
    """The trees of all slots, as kernels take them. Rows are in preorder (see gatree.trees.genome)."""

    attribute: Ints  # [slot, node]
    value: Ints  # [slot, node]
    span: Ints  # [slot, node]
    n_nodes: Ints  # [slot]
    n_correct: NDArray[np.int64]  # [slot], filled by an evaluator

    @property
    def width(self) -> int:
        return int(self.span.shape[1])


@dataclass
class Population:
    """Trees in slots; the first `size` of `slots` are alive, best first, the others are free."""

    trees: Trees
    slots: NDArray[np.int64]
    size: int

    @classmethod
    def empty(cls, size: int, n_offspring: int) -> Population:
        """Return a population with room for its trees and their offspring."""
        n_slots = size + n_offspring
        attribute, value, span = (np.zeros((n_slots, _FIRST_WIDTH), dtype=np.int32) for _ in range(3))
        n_nodes, n_correct = np.zeros(n_slots, dtype=np.int32), np.zeros(n_slots, dtype=np.int64)
        return cls(Trees(attribute, value, span, n_nodes, n_correct), np.arange(n_slots), size)

    @property
    def alive(self) -> NDArray[np.int64]:
        return self.slots[: self.size]

    @property
    def free(self) -> NDArray[np.int64]:
        return self.slots[self.size :]

    def make_room(self, n_nodes: int) -> None:
        """Widen the rows, by doubling, until a tree of so many nodes fits."""
        width = self.trees.width
        while width < n_nodes:
            width *= 2
        if width > self.trees.width:
            attribute, value, span = (widened(rows, width) for rows in self.trees[:3])
            self.trees = self.trees._replace(attribute=attribute, value=value, span=span)

    def tree(self, slot: int) -> Tree:
        """Return a copy of the tree in a slot."""
        n_nodes = self.trees.n_nodes[slot]
        return Tree.known(*(rows[slot, :n_nodes].copy() for rows in self.trees[:3]))

    def put(self, slot: int, tree: Tree) -> None:
        """Copy a tree into a slot."""
        self.make_room(tree.n_nodes)
        for rows, row in zip(self.trees[:3], (tree.attribute, tree.value, tree.span), strict=True):
            rows[slot, : tree.n_nodes] = row
        self.trees.n_nodes[slot] = tree.n_nodes


def widened(rows: Ints, width: int) -> Ints:
    """Return the rows with more columns, the new ones zero."""
    wide = np.zeros((rows.shape[0], width), dtype=rows.dtype)
    wide[:, : rows.shape[1]] = rows
    return wide


@inlined
def pick(uniform: float, n: int) -> int:
    """Turn a uniform number in [0, 1) into one of 0..n-1."""
    return int(uniform * n)


@lean
def plant(
    trees: Trees, slots: NDArray[np.int64], alphabet: Alphabet, draws: NDArray[np.float64], n_single: int = 0
) -> None:
    """Fill slots with the initial trees of Section 2: one random test and two random leaves.

    The first `n_single`, and all where no attribute can be tested, are single leaves.
    """
    for row in range(len(slots)):
        slot = slots[row]
        if row < n_single or len(alphabet.testable) == 0:
            trees.attribute[slot, 0] = LEAF
            trees.value[slot, 0] = pick(draws[row, 0], alphabet.n_classes)
            trees.span[slot, 0] = 1
            trees.n_nodes[slot] = 1
            continue
        tested = alphabet.testable[pick(draws[row, 0], len(alphabet.testable))]
        trees.attribute[slot, 0] = tested
        trees.value[slot, 0] = pick(draws[row, 1], alphabet.n_tests[tested])
        trees.span[slot, 0] = 3
        for child in range(1, 3):
            trees.attribute[slot, child] = LEAF
            trees.value[slot, child] = pick(draws[row, 1 + child], alphabet.n_classes)
            trees.span[slot, child] = 1
        trees.n_nodes[slot] = 3
