"""What the evaluators do alike with a child: inherit its counts, label its leaves, book its work."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.contract import CHECKS, CHECKS_FULL, TOTAL
from gatree.evolution.population import Trees
from gatree.kernels.decorators import U, lean
from gatree.trees.genome import LEAF, Ints

Counts = NDArray[np.int64]


@lean
def inherit_run(
    source: int, there: int, child: int, here: int, n: int, reached: Ints, correct: Ints
) -> tuple[int, int]:
    """Copy the counts of n consecutive nodes; return their sums."""
    checks, n_correct = 0, 0
    for k in range(n):
        old, new = U(there + k), U(here + k)
        checks += reached[U(source), old]
        n_correct += correct[U(source), old]
        reached[U(child), new] = reached[U(source), old]
        correct[U(child), new] = correct[U(source), old]
    return checks, n_correct


@lean
def inherit_counts(trees: Trees, births: Births, k: int, reached: Ints, correct: Ints) -> tuple[int, int]:
    """Copy the parent's counts to the nodes of a child outside its stale subtrees.

    There the two trees are identical. A stale node itself has the same instances in both.
    Returns the inherited totals: the node-instance checks saved, and the correct instances.
    """
    child, source = births.slot[k], births.source[k]
    here, there = 0, 0
    checks, n_correct = 0, 0
    for which in range(2):
        stale = births.stale[k, which]
        if stale != NONE:
            n = stale - here
            more_checks, more_correct = inherit_run(source, there, child, here, n, reached, correct)
            checks, n_correct = checks + more_checks, n_correct + more_correct
            there += n
            reached[child, stale] = reached[source, there]
            here, there = stale + trees.span[child, stale], there + trees.span[source, there]
    n = trees.n_nodes[child] - here
    more_checks, more_correct = inherit_run(source, there, child, here, n, reached, correct)
    return checks + more_checks, n_correct + more_correct


@lean
def label_leaf(trees: Trees, slot: int, leaf: int, tally: Counts) -> int:
    """Give a leaf the class of most of its instances, and return their number.

    Ties go to the lowest class. A leaf without instances keeps its class.
    """
    label = 0
    for other in range(1, len(tally)):
        if tally[other] > tally[label]:
            label = other
    if tally[label] > 0:
        trees.value[slot, leaf] = label
    return int(tally[label])


@lean
def has_small_leaf(trees: Trees, slot: int, reached: Ints, row: int, min_leaf: int) -> bool:
    """Return whether a leaf other than the root has fewer than `min_leaf` instances."""
    if min_leaf > 0:
        for node in range(1, trees.n_nodes[slot]):
            if trees.attribute[slot, node] == LEAF and reached[row, node] < min_leaf:
                return True
    return False


@lean
def book(ledger: Counts, n_instances: int, checks: int, checks_saved: int) -> None:
    """Add one evaluated child to the ledger: its instances, the checks made, and the checks saved."""
    ledger[TOTAL] += n_instances
    ledger[CHECKS] += checks
    ledger[CHECKS_FULL] += checks_saved + checks
