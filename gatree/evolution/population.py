"""A population: a struct of arrays with one row per slot, the slots in use, and their ranking.

There are more slots than trees: children are bred into free slots while their parents still exist, and
replacement only relabels slots. The rows double in width when trees outgrow them, so only memory (and the
`max_nodes` setting) limits the size of a tree.

Slots are ranked by payoff in descending order; the sort is stable. The population is almost sorted, and few
trees join it. So the ranking is a merge sort that skips sorted runs and merges the new trees last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.problem import Alphabet
from gatree.kernels.decorators import U, inlined, lean
from gatree.trees.genome import LEAF, Ints, Tree

_FIRST_WIDTH = 32


class Trees(NamedTuple):
    """The trees of all slots, in the form that kernels take. Rows are in preorder (gatree.trees.genome)."""

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
    """Trees in slots. The first `size` of `slots` are the population, best first; the others are free."""

    trees: Trees
    slots: NDArray[np.int64]
    size: int

    @classmethod
    def empty(cls, size: int, n_offspring: int) -> Population:
        """Allocate a population and slots for its offspring."""
        n_slots = size + n_offspring
        attribute, value, span = (np.zeros((n_slots, _FIRST_WIDTH), dtype=np.int32) for _ in range(3))
        n_nodes, n_correct = np.zeros(n_slots, dtype=np.int32), np.zeros(n_slots, dtype=np.int64)
        return cls(Trees(attribute, value, span, n_nodes, n_correct), np.arange(n_slots), size)

    @property
    def alive(self) -> NDArray[np.int64]:
        return self.slots[: self.size]

    def make_room(self, n_nodes: int) -> None:
        """Double the width of the rows until a tree of ``n_nodes`` nodes fits."""
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
    """Return the rows with more columns, filled with zeros."""
    wide = np.zeros((rows.shape[0], width), dtype=rows.dtype)
    wide[:, : rows.shape[1]] = rows
    return wide


@inlined
def pick(uniform: float, n: int) -> int:
    """Map a uniform number in [0, 1) to one of 0..n-1."""
    return int(uniform * n)


@lean
def fill_initial_trees(
    trees: Trees, slots: NDArray[np.int64], alphabet: Alphabet, draws: NDArray[np.float64], n_single: int = 0
) -> None:
    """Fill slots with the initial trees of Section 2: one random test and two random leaves.

    The first `n_single` trees are single leaves, and all trees if no attribute can be tested.
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


_RUN = 16  # candidates per run of the insertion sort


class Candidates(NamedTuple):
    """Slots and their payoffs, in the form that kernels take, with a buffer to merge them."""

    slot: NDArray[np.int64]
    payoff: NDArray[np.float64]
    spare_slot: NDArray[np.int64]
    spare_payoff: NDArray[np.float64]


@inlined
def first_above(numbers: Any, n: int, bound: float) -> int:
    """Return the index of the first of n ascending numbers above a bound, or n (``searchsorted``, right)."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if numbers[U(middle)] > bound:
            high = middle
        else:
            low = middle + 1
    return low


def empty_candidates(n: int) -> Candidates:
    """Allocate ``n`` candidates."""
    slots, payoffs = np.zeros((2, n), dtype=np.int64), np.zeros((2, n))
    return Candidates(slots[0], payoffs[0], slots[1], payoffs[1])


@inlined
def _insert(candidates: Candidates, begin: int, end: int) -> None:
    """Sort a short run by insertion."""
    slots, payoffs = candidates.slot, candidates.payoff
    for i in range(begin + 1, end):
        slot, payoff = slots[U(i)], payoffs[U(i)]
        at = i
        while at > begin and payoffs[U(at - 1)] < payoff:
            slots[U(at)], payoffs[U(at)] = slots[U(at - 1)], payoffs[U(at - 1)]
            at -= 1
        slots[U(at)], payoffs[U(at)] = slot, payoff


@inlined
def _merge(candidates: Candidates, begin: int, middle: int, end: int) -> None:
    """Merge two adjacent runs from the end, with the second one copied to the buffer first."""
    slots, payoffs, spare_slots, spare_payoffs = candidates
    for i in range(middle, end):
        spare_slots[U(i)], spare_payoffs[U(i)] = slots[U(i)], payoffs[U(i)]
    left, right, at = middle - 1, end - 1, end - 1
    while right >= middle:
        if left >= begin and payoffs[U(left)] < spare_payoffs[U(right)]:
            slots[U(at)], payoffs[U(at)] = slots[U(left)], payoffs[U(left)]
            left -= 1
        else:
            slots[U(at)], payoffs[U(at)] = spare_slots[U(right)], spare_payoffs[U(right)]
            right -= 1
        at -= 1


@inlined
def _merge_if_needed(candidates: Candidates, begin: int, middle: int, end: int) -> None:
    if begin < middle < end and candidates.payoff[middle] > candidates.payoff[middle - 1]:
        _merge(candidates, begin, middle, end)


@lean
def _sort(candidates: Candidates, begin: int, end: int) -> None:
    """Sort a range of the candidates."""
    for run in range(begin, end, _RUN):
        _insert(candidates, run, min(run + _RUN, end))
    length = _RUN
    while length < end - begin:
        for run in range(begin, end - length, 2 * length):
            _merge_if_needed(candidates, run, run + length, min(run + 2 * length, end))
        length *= 2


@lean
def rank(candidates: Candidates, n: int, n_new: int) -> None:
    """Sort the first n candidates by payoff. The last n_new of them are new, in any order."""
    _sort(candidates, 0, n - n_new)
    _sort(candidates, n - n_new, n)
    _merge_if_needed(candidates, 0, n - n_new, n)
