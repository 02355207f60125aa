"""The `bitset` evaluator: inheritance with sets of instances as bits.

A node's set is its parent's, ANDed with the mask of the test between them; a leaf's correct count is a
popcount against the mask of its class. Nodes outside the stale subtrees keep their counts, and a stale
node's set is rebuilt along the path from the root. So nothing is kept per instance and tree: only two
integers per node, and the masks, which all trees share.

The ledger counts what `new` counts, in the same integers: an AND does the work of 64 checks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.classify import add_to_ancestors, add_up
from gatree.evolution.evaluators.contract import CHECKS, CHECKS_FULL, RECLASSIFIED, TOTAL
from gatree.evolution.evaluators.inherit import inherit_nodes, total_reached
from gatree.evolution.evaluators.levels import most_levels
from gatree.evolution.evaluators.masks import STAMP, Masks, make_masks, require, with_more_rows
from gatree.evolution.evaluators.popcount import WORD, popcount
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Instances, Problem
from gatree.jit import jit, plain
from gatree.trees.genome import LEAF, Ints, toward

MASK_BUDGET_BYTES = 512 * 2**20
"""Room for the masks; when it is used up, those least recently made give way."""

Bits = NDArray[np.uint64]


class Counts(NamedTuple):
    """What is kept for every tree, as kernels take it."""

    reached: Ints  # [slot, node]
    correct: Ints  # [slot, node]


class BitScratch(NamedTuple):
    """Room to work in."""

    sets: Bits  # [level, word]: the sets on the way down
    everything: Bits  # [word]
    level: Ints  # [node]
    refused_by: Ints  # [node]: for a right child, the row of the test its instances failed
    passed: NDArray[np.uint8]  # [instance]


@jit
def keep_passing(sets: Bits, level: int, bits: Bits, row: int) -> int:
    """Make the next level's set of the instances that pass a test; return how many do."""
    n = np.uint64(0)
    for word in range(sets.shape[1]):
        sets[level + 1, word] = sets[level, word] & bits[row, word]
        n += popcount(sets[level + 1, word])
    return int(n)


@jit
def keep_failing(sets: Bits, level: int, bits: Bits, row: int) -> None:
    """Make the next level's set of the instances that fail a test."""
    for word in range(sets.shape[1]):
        sets[level + 1, word] = sets[level, word] & ~bits[row, word]


@jit
def count_passing(sets: Bits, level: int, bits: Bits, row: int, class_row: int) -> tuple[int, int]:
    """Count the instances that pass a test, and those of them that have a class."""
    n, n_correct = np.uint64(0), np.uint64(0)
    for word in range(sets.shape[1]):
        passing = sets[level, word] & bits[row, word]
        n += popcount(passing)
        n_correct += popcount(passing & bits[class_row, word])
    return int(n), int(n_correct)


@jit
def count_failing(sets: Bits, level: int, bits: Bits, row: int, class_row: int) -> int:
    """Count the instances that fail a test and have a class."""
    n_correct = np.uint64(0)
    for word in range(sets.shape[1]):
        n_correct += popcount(sets[level, word] & ~bits[row, word] & bits[class_row, word])
    return int(n_correct)


@jit
def count_here(sets: Bits, level: int, bits: Bits, class_row: int) -> int:
    """Count the instances of a set that have a class."""
    n_correct = np.uint64(0)
    for word in range(sets.shape[1]):
        n_correct += popcount(sets[level, word] & bits[class_row, word])
    return int(n_correct)


@jit
def row_at(masks: Masks, trees: Trees, slot: int, node: int) -> int:
    """Return the row of the mask of a node's test, or of a leaf's class."""
    column = trees.attribute[slot, node]
    if column == LEAF:
        column = len(masks.first_test) - 1
    return int(masks.row_of[masks.first_test[column] + trees.value[slot, node]])


@jit
def set_at(trees: Trees, slot: int, node: int, masks: Masks, scratch: BitScratch) -> None:
    """Rebuild a node's set, as level 0, along the path from the root."""
    sets, bits = scratch.sets, masks.bits
    for word in range(sets.shape[1]):
        sets[0, word] = scratch.everything[word]
    here = 0
    while here != node:
        row = row_at(masks, trees, slot, here)
        child = toward(trees.span, slot, here, node)
        flip = np.uint64(0) if child == here + 1 else ~np.uint64(0)
        for word in range(sets.shape[1]):
            sets[0, word] &= bits[row, word] ^ flip
        here = child


@jit
def classify_set_below(
    trees: Trees, slot: int, node: int, counts: Counts, masks: Masks, scratch: BitScratch
) -> None:
    """Fill the counts of a subtree whose root's set is level 0 and whose root's `reached` is known."""
    reached, correct = counts
    sets, bits, level = scratch.sets, masks.bits, scratch.level
    if trees.attribute[slot, node] == LEAF:
        correct[slot, node] = count_here(sets, 0, bits, row_at(masks, trees, slot, node))
        return
    level[node] = 0
    scratch.refused_by[node] = NONE
    for i in range(node, node + trees.span[slot, node]):
        if trees.attribute[slot, i] == LEAF:
            continue  # counted with its parent
        here = level[i]
        if scratch.refused_by[i] != NONE:
            keep_failing(sets, here - 1, bits, scratch.refused_by[i])
        row = row_at(masks, trees, slot, i)
        left = i + 1
        right = left + trees.span[slot, left]
        if trees.attribute[slot, left] == LEAF:
            class_row = row_at(masks, trees, slot, left)
            reached[slot, left], correct[slot, left] = count_passing(sets, here, bits, row, class_row)
        if trees.attribute[slot, right] == LEAF:
            correct[slot, right] = count_failing(sets, here, bits, row, row_at(masks, trees, slot, right))
        else:
            level[right] = here + 1
            scratch.refused_by[right] = row
        if trees.attribute[slot, left] != LEAF:
            level[left] = here + 1
            scratch.refused_by[left] = NONE
            reached[slot, left] = keep_passing(sets, here, bits, row)
        reached[slot, right] = reached[slot, i] - reached[slot, left]
    add_up(trees, slot, node, correct, slot)


@jit
def subtree_reached(trees: Trees, slot: int, node: int, reached: Ints) -> int:
    """Return the node-instance-checks that classifying below a node takes."""
    total = 0
    for i in range(node, node + trees.span[slot, node]):
        total += reached[slot, i]
    return total


@jit
def prepare_masks(
    instances: Instances, trees: Trees, births: Births, first: int, masks: Masks, scratch: BitScratch
) -> int:
    """Make the masks for the children, from the first on; return the first child they are not enough for."""
    instances, trees, births = Instances(*instances), Trees(*trees), Births(*births)
    masks, scratch = Masks(*masks), BitScratch(*scratch)
    masks.state[STAMP] += 1
    for k in range(first, len(births.slot)):
        slot = births.slot[k]
        for stale in births.stale[k]:
            if stale == NONE:
                continue
            here = 0
            while here != stale:
                if not require(
                    masks, instances, trees.attribute[slot, here], trees.value[slot, here], scratch.passed
                ):
                    return k
                here = toward(trees.span, slot, here, stale)
            for i in range(stale, stale + trees.span[slot, stale]):
                column = trees.attribute[slot, i]
                if column == LEAF:
                    column = len(instances.codes)
                if not require(masks, instances, column, trees.value[slot, i], scratch.passed):
                    return k
    return len(births.slot)


@jit
def evaluate_stale_sets(
    n_instances: int,
    trees: Trees,
    births: Births,
    counts: Counts,
    masks: Masks,
    scratch: BitScratch,
    ledger: NDArray[np.int64],
) -> None:
    """Evaluate children whose masks are there."""
    trees, births, counts = Trees(*trees), Births(*births), Counts(*counts)
    masks, scratch = Masks(*masks), BitScratch(*scratch)
    reached, correct = counts
    for k in range(len(births.slot)):
        child = births.slot[k]
        if births.source[k] == NONE:
            reached[child, 0], correct[child, 0] = n_instances, 0
        else:
            inherit_nodes(trees, births, k, reached, correct)
        for node in births.stale[k]:
            if node != NONE:
                before = correct[child, node]
                set_at(trees, child, node, masks, scratch)
                classify_set_below(trees, child, node, counts, masks, scratch)
                add_to_ancestors(trees, child, correct, node, correct[child, node] - before)
                ledger[RECLASSIFIED] += reached[child, node]
                ledger[CHECKS] += subtree_reached(trees, child, node, reached)
        trees.n_correct[child] = correct[child, 0]
        ledger[TOTAL] += n_instances
        ledger[CHECKS_FULL] += total_reached(trees, reached, child)


class BitsetEvaluator:
    """Evaluates with inheritance, on bit sets."""

    def __init__(self, problem: Problem, n_slots: int) -> None:
        self.instances = problem.instances
        self.n_instances = problem.n_instances
        self.masks = make_masks(problem, MASK_BUDGET_BYTES)
        n_words = self.masks.bits.shape[1]
        nothing = np.zeros((n_slots, 0), dtype=np.int32)
        self.counts = Counts(nothing, nothing)
        self.scratch = BitScratch(
            sets=np.zeros((0, n_words), dtype=np.uint64),
            everything=_first_bits(self.n_instances, n_words),
            level=np.zeros(0, dtype=np.int32),
            refused_by=np.zeros(0, dtype=np.int32),
            passed=np.zeros(n_words * WORD, dtype=np.uint8),
        )
        self.ledger = np.zeros(4, dtype=np.int64)

    @property
    def n_bytes(self) -> int:
        return self.masks.bits.nbytes + sum(array.nbytes for array in self.counts)

    def evaluate(self, trees: Trees, births: Births) -> None:
        """Evaluate the children, in as many batches as the room for masks asks for."""
        self._fit_rows(trees.width)
        self._fit_levels(most_levels(plain(trees), births.slot, self.scratch.level))
        first = 0
        while first < len(births.slot):
            last = prepare_masks(
                plain(self.instances),
                plain(trees),
                plain(births),
                first,
                plain(self.masks),
                plain(self.scratch),
            )
            if last == first:  # one tree alone has more tests than there is room for
                self.masks = with_more_rows(self.masks)
                continue
            evaluate_stale_sets(
                self.n_instances,
                plain(trees),
                tuple(array[first:last] for array in births),  # type: ignore[arg-type]
                plain(self.counts),
                plain(self.masks),
                plain(self.scratch),
                self.ledger,
            )
            first = last

    def _fit_rows(self, width: int) -> None:
        if width > len(self.scratch.level):
            self.counts = Counts(*(widened(array, width) for array in self.counts))
            level, refused_by = np.zeros(width, dtype=np.int32), np.zeros(width, dtype=np.int32)
            self.scratch = self.scratch._replace(level=level, refused_by=refused_by)

    def _fit_levels(self, wanted: int) -> None:
        if wanted > len(self.scratch.sets):
            n_words = self.scratch.sets.shape[1]
            self.scratch = self.scratch._replace(sets=np.zeros((2 * wanted, n_words), dtype=np.uint64))


def _first_bits(n: int, n_words: int) -> Bits:
    """Return the set of the first n of all bits."""
    bits = np.zeros(n_words * WORD, dtype=np.uint8)
    bits[:n] = 1
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)
