"""Count subtrees on bit sets, and derive leaf classes, correct instances and the ledger from the counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.bits.masks import Masks, row_at
from gatree.evolution.evaluators.bits.sets import (
    BLOCK_WORDS,
    Bits,
    count_class,
    count_failing,
    count_passing,
    fill_first_level,
    keep_failing,
    keep_passing,
    narrow,
)
from gatree.evolution.evaluators.contract import RECLASSIFIED
from gatree.evolution.evaluators.nodes import book, has_small_leaf, inherit_nodes, settle_leaf
from gatree.evolution.population import Trees
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined
from gatree.trees.genome import LEAF, Ints, toward


class NodeCounts(NamedTuple):
    """The counts kept per tree, in the form that kernels take."""

    reached: Ints  # [slot, node]
    correct: Ints  # [slot, node]: of a leaf; 0 for an inner node


class BitScratch(NamedTuple):
    """Scratch arrays."""

    sets: Bits  # [level, word]: a block of the sets on the path to a node
    everything: Bits  # [word]
    level: Ints  # [node]
    failed_test: Ints  # [node]: for a right child, the row of the test that its instances fail
    tally: NDArray[np.int64]  # [node, class]: of majority leaves


class CountContext(NamedTuple):
    """The arguments of kernels that count one tree after the other; used in kernels only."""

    scoring: Scoring
    trees: Trees
    counts: NodeCounts
    masks: Masks
    scratch: BitScratch


@inlined
def set_at(context: CountContext, slot: int, node: int, begin: int, n: int) -> None:
    """Compute a block of a node's set in level 0, along the path from the root."""
    trees, masks, sets = context.trees, context.masks, context.scratch.sets
    fill_first_level(sets, context.scratch.everything, begin, n)
    here = 0
    while here != node:
        child = toward(trees.span, slot, here, node)
        narrow(sets, masks.bits, row_at(masks, trees, slot, here), child == here + 1, begin, n)
        here = child


@inlined
def tally_set(context: CountContext, leaf: int, level: int, begin: int, n: int) -> None:
    """Count a block of a leaf's set by class."""
    masks, tally = context.masks, context.scratch.tally
    first_class = masks.first_test[-1]
    for label in range(tally.shape[1]):
        row = masks.row_of[first_class + label]
        found = count_class(context.scratch.sets, level, masks.bits, row, begin, n)
        tally[leaf, label] = found if begin == 0 else tally[leaf, label] + found


@inlined
def add_block(totals: Ints, slot: int, node: int, found: int, begin: int) -> None:
    """Add the count of a block to a node's total; the first block resets it."""
    totals[U(slot), U(node)] = found if begin == 0 else totals[U(slot), U(node)] + found


@inlined
def add_correct(context: CountContext, slot: int, leaf: int, found: int, begin: int) -> int:
    """Add the correct instances of a block to a leaf's total; return their weight."""
    weight = int(found * context.scoring.class_weight[context.trees.value[U(slot), U(leaf)]])
    add_block(context.counts.correct, slot, leaf, weight, begin)
    return weight


@inlined
def count_left_leaf(
    context: CountContext, slot: int, leaf: int, level: int, row: int, begin: int, n: int
) -> int:
    """Count a block of a left leaf; return the weight of its correct instances, 0 for majority leaves."""
    sets, bits = context.scratch.sets, context.masks.bits
    if context.scoring.majority:
        add_block(context.counts.reached, slot, leaf, keep_passing(sets, level, bits, row, begin, n), begin)
        tally_set(context, leaf, level + 1, begin, n)
        return 0
    class_row = row_at(context.masks, context.trees, slot, leaf)
    found, correct = count_passing(sets, level, bits, row, class_row, begin, n)
    add_block(context.counts.reached, slot, leaf, found, begin)
    return add_correct(context, slot, leaf, correct, begin)


@inlined
def count_right_leaf(
    context: CountContext, slot: int, leaf: int, level: int, row: int, begin: int, n: int
) -> int:
    """Count the correct instances of a block of a right leaf; `settle_counts` derives `reached`."""
    sets, bits = context.scratch.sets, context.masks.bits
    if context.scoring.majority:
        keep_failing(sets, level, bits, row, begin, n)
        tally_set(context, leaf, level + 1, begin, n)
        return 0
    class_row = row_at(context.masks, context.trees, slot, leaf)
    correct = count_failing(sets, level, bits, row, class_row, begin, n)
    return add_correct(context, slot, leaf, correct, begin)


@inlined
def count_single_leaf(context: CountContext, slot: int, leaf: int, begin: int, n: int) -> int:
    """Count a block of a stale leaf, whose set is in level 0."""
    if context.scoring.majority:
        tally_set(context, leaf, 0, begin, n)
        return 0
    class_row = row_at(context.masks, context.trees, slot, leaf)
    correct = count_class(context.scratch.sets, 0, context.masks.bits, class_row, begin, n)
    return add_correct(context, slot, leaf, correct, begin)


@inlined
def count_block_below(context: CountContext, slot: int, node: int, begin: int, n: int) -> int:
    """Count a block of a subtree, whose root's set is in level 0; return the weight of the correct."""
    trees, bits, sets = context.trees, context.masks.bits, context.scratch.sets
    level, failed_test = context.scratch.level, context.scratch.failed_test
    tree, total = U(slot), 0
    if trees.attribute[tree, U(node)] == LEAF:
        return count_single_leaf(context, slot, node, begin, n)
    level[node], failed_test[node] = 0, NONE
    for i in range(node, node + trees.span[tree, U(node)]):
        if trees.attribute[tree, U(i)] == LEAF:
            continue  # counted with its parent
        here = level[U(i)]
        if failed_test[U(i)] != NONE:
            keep_failing(sets, here - 1, bits, failed_test[U(i)], begin, n)
        row = row_at(context.masks, trees, slot, i)
        left = i + 1
        right = left + trees.span[tree, U(left)]
        if trees.attribute[tree, U(right)] == LEAF:
            total += count_right_leaf(context, slot, right, here, row, begin, n)
        else:
            level[U(right)], failed_test[U(right)] = here + 1, row
        if trees.attribute[tree, U(left)] == LEAF:
            total += count_left_leaf(context, slot, left, here, row, begin, n)
        else:  # its set stays in the next level
            level[U(left)], failed_test[U(left)] = here + 1, NONE
            found = keep_passing(sets, here, bits, row, begin, n)
            add_block(context.counts.reached, slot, left, found, begin)
    return total


@inlined
def settle_counts(
    scoring: Scoring, trees: Trees, counts: NodeCounts, tally: NDArray[np.int64], slot: int, node: int
) -> tuple[int, int]:
    """Derive the remaining counts: instances that fail a test, and the classes of majority leaves.

    Returns the node-instance checks that this replaces, and the weight of majority leaves.
    """
    reached, correct = counts
    tree = U(slot)
    checks, total = int(reached[tree, U(node)]), 0
    for i in range(node, node + trees.span[tree, U(node)]):
        if trees.attribute[tree, U(i)] != LEAF:
            left = i + 1
            right = left + trees.span[tree, U(left)]
            reached[tree, U(right)] = reached[tree, U(i)] - reached[tree, U(left)]
            correct[tree, U(i)] = 0
            checks += reached[tree, U(i)]  # the checks at its two children
        elif scoring.majority:
            correct[tree, U(i)] = settle_leaf(scoring, trees, slot, i, tally[i])
            total += correct[tree, U(i)]
    return checks, total


@inlined
def count_below(context: CountContext, slot: int, node: int) -> int:
    """Count a subtree block by block; return the weight of the correct instances, without majority leaves."""
    n_words, total = context.masks.bits.shape[1], 0
    for begin in range(0, n_words, BLOCK_WORDS):
        n = min(BLOCK_WORDS, n_words - begin)
        set_at(context, slot, node, begin, n)
        total += count_block_below(context, slot, node, begin, n)
    return total


@inlined
def classify_set_below(context: CountContext, slot: int, node: int) -> tuple[int, int]:
    """Fill the counts of a subtree whose root's `reached` is known.

    Returns the node-instance checks that this replaces, and the weight of the correct instances found.
    """
    total = count_below(context, slot, node)
    tally = context.scratch.tally
    checks, settled = settle_counts(context.scoring, context.trees, context.counts, tally, slot, node)
    return checks, total + settled


class Found(NamedTuple):
    """The counts of the nodes below stale nodes; entries of other nodes are undefined.

    Only the left child of a test is counted; the right one follows by subtraction.
    """

    reached: Ints  # [row, node]
    correct: Ints  # [row, node]: the weight of the correct instances of a leaf with a fixed class
    tally: NDArray[np.int64]  # [row, node, class]: of majority leaves; otherwise without classes


class Summed(NamedTuple):
    """The arguments of `settle_children`."""

    scoring: Scoring
    counts: NodeCounts
    found: Found  # the counts over all instances
    row_of: NDArray[np.int64]  # [birth]: its row in `found`
    n_instances: int


@inlined
def named_sums(kept: Summed) -> Summed:
    """Restore the named tuples of arguments from Python (see gatree.kernels.decorators.plain)."""
    given = Summed(*kept)
    scoring, counts, found = Scoring(*given.scoring), NodeCounts(*given.counts), Found(*given.found)
    return Summed(scoring, counts, found, given.row_of, given.n_instances)


@inlined
def take_sums(kept: Summed, trees: Trees, slot: int, node: int, row: int) -> tuple[int, int]:
    """Fill the counts of a subtree whose root's `reached` is known.

    Returns the node-instance checks that this replaces, and the weight of the correct instances found.
    """
    scoring, counts, found = kept.scoring, kept.counts, kept.found
    n_correct = 0
    for i in range(node, node + trees.span[slot, node]):
        if i != node:
            counts.reached[slot, i] = found.reached[row, i]
        if trees.attribute[slot, i] == LEAF:
            counts.correct[slot, i] = found.correct[row, i]
            n_correct += found.correct[row, i]
    checks, settled = settle_counts(scoring, trees, counts, found.tally[row], slot, node)
    return checks, n_correct + settled


@inlined
def settle_children(
    trees: Trees, births: Births, first: int, last: int, ledger: NDArray[np.int64], kept: Summed
) -> None:
    """Evaluate children: inherit counts, add those of the stale subtrees, and update the ledger."""
    scoring = kept.scoring
    reached, correct = kept.counts
    for k in range(first, last):
        child = births.slot[k]
        checks_saved, n_correct, checks = 0, 0, 0
        if births.source[k] == NONE:
            reached[child, 0] = kept.n_instances
        else:
            checks_saved, n_correct = inherit_nodes(trees, births, k, reached, correct)
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                made, more = take_sums(kept, trees, child, node, kept.row_of[k])
                checks, n_correct = checks + made, n_correct + more
                ledger[RECLASSIFIED] += reached[child, node]
        too_small = has_small_leaf(scoring, trees, child, reached, child)
        trees.n_correct[child] = 0 if too_small else n_correct
        book(ledger, births, k, kept.n_instances, checks, checks_saved)
