"""What follows from counts below stale nodes: children inherit the rest, get their classes, and are booked.

The counts are those of one sweep over the instances, or the sums of many shards; from here on it is the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.bits.set_counts import NodeCounts, settle_counts
from gatree.evolution.evaluators.contract import RECLASSIFIED
from gatree.evolution.evaluators.inheriting import inherit_nodes
from gatree.evolution.evaluators.leaves import book, has_small_leaf
from gatree.evolution.population import Trees
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import inlined
from gatree.trees.genome import LEAF, Ints


class Found(NamedTuple):
    """The counts of the nodes below stale nodes; what other nodes have here means nothing.

    Of the two children of a test the left one is counted: the others go to the right.
    """

    reached: Ints  # [row, node]
    correct: Ints  # [row, node]: the weight of the correct instances of a leaf whose class is settled
    tally: NDArray[np.int64]  # [row, node, class]: of a leaf that is to get the class of most; else no class


class Summed(NamedTuple):
    """All that settling works on."""

    scoring: Scoring
    counts: NodeCounts
    found: Found  # the counts of all instances together
    row_of: NDArray[np.int64]  # [birth]: its row in `found`
    n_instances: int


@inlined
def named_sums(kept: Summed) -> Summed:
    """Give names to what came plain from Python (see gatree.kernels.decorators.plain)."""
    given = Summed(*kept)
    scoring, counts, found = Scoring(*given.scoring), NodeCounts(*given.counts), Found(*given.found)
    return Summed(scoring, counts, found, given.row_of, given.n_instances)


@inlined
def take_sums(kept: Summed, trees: Trees, slot: int, node: int, row: int) -> tuple[int, int]:
    """Fill the counts of a subtree whose root's `reached` is known.

    Returns the node-instance-checks that this replaces, and the weight of the correct instances found.
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
    """Let some children inherit, take over the counts of what is stale, and book the work."""
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
