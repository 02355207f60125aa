"""What all evaluators do at nodes: inherit counts, give leaves their classes, and book a child."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.contract import CHECKS, CHECKS_FULL, TOTAL
from gatree.evolution.population import Trees
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined
from gatree.trees.genome import LEAF, Ints


@inlined
def inherit_run(
    source: int, there: int, child: int, here: int, n: int, reached: Ints, correct: Ints
) -> tuple[int, int]:
    """Take over the counts of n nodes in a row; return their sums."""
    checks, n_correct = 0, 0
    for k in range(n):
        old, new = U(there + k), U(here + k)
        checks += reached[U(source), old]
        n_correct += correct[U(source), old]
        reached[U(child), new] = reached[U(source), old]
        correct[U(child), new] = correct[U(source), old]
    return checks, n_correct


@inlined
def inherit_nodes(trees: Trees, births: Births, k: int, reached: Ints, correct: Ints) -> tuple[int, int]:
    """Take over the parent's counts for all of a child's nodes outside the stale subtrees.

    There the two trees are the same, node by node. A stale node itself has the same instances in both.
    Returns what is inherited: the node-instance-checks saved, and the correct instances.
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


@inlined
def has_instances(tally: NDArray[np.int64]) -> bool:
    """Tell whether any instance was counted, of whatever class."""
    for label in range(len(tally)):  # noqa: SIM110  numba knows no generators
        if tally[label] > 0:
            return True
    return False


@inlined
def settle_by_gain(
    gain: NDArray[np.int64], trees: Trees, slot: int, node: int, tally: NDArray[np.int64]
) -> int:
    """Give a leaf the label that gains most with its instances; return that gain."""
    best, most = 0, np.int64(-1)
    for label in range(len(tally)):
        total = np.int64(0)
        for true in range(len(tally)):
            total += tally[true] * gain[true, label]
        if total > most:
            best, most = label, total
    if has_instances(tally):
        trees.value[slot, node] = best
    return int(most)


@inlined
def explained(target: NDArray[np.int64], order: Any, row: int, start: int, n: int) -> int:
    """Return what a leaf explains of its instances' numbers: the square of their sum by their number.

    The sum over the leaves, less that of the root, is what the tree takes from the squared error of the mean.
    Rounded down at every leaf, it is an integer that depends on nothing but the leaf's instances.
    """
    total = np.int64(0)
    for position in range(U(start), U(start) + U(n)):
        total += target[order[row, position]]
    return int(total * total // n) if n > 0 else 0


@inlined
def settle_leaf(scoring: Scoring, trees: Trees, slot: int, node: int, tally: NDArray[np.int64]) -> int:
    """Give a leaf the class that weighs most among its instances; return that weight.

    Of equal ones the lowest class wins. A leaf without instances keeps its class. With costs, it is the
    class that gains most.
    """
    if len(scoring.gain) > 0:
        return settle_by_gain(scoring.gain, trees, slot, node, tally)
    heaviest = 0
    for label in range(1, len(tally)):
        if tally[label] * scoring.class_weight[label] > tally[heaviest] * scoring.class_weight[heaviest]:
            heaviest = label
    if has_instances(tally):
        trees.value[slot, node] = heaviest
    return int(tally[heaviest] * scoring.class_weight[heaviest])


@inlined
def has_small_leaf(scoring: Scoring, trees: Trees, slot: int, reached: Ints, row: int) -> bool:
    """Tell whether a leaf has fewer instances than are wanted; the root has all there are."""
    if scoring.min_leaf > 0:
        for node in range(1, trees.n_nodes[slot]):
            if trees.attribute[slot, node] == LEAF and reached[row, node] < scoring.min_leaf:
                return True
    return False


@inlined
def book(
    ledger: NDArray[np.int64], births: Births, k: int, n_instances: int, checks: int, checks_saved: int
) -> None:
    """Book one child: the instances there are, the checks that were made, and those that were not."""
    if births.is_known[k]:
        return
    ledger[TOTAL] += n_instances
    ledger[CHECKS] += checks
    ledger[CHECKS_FULL] += checks_saved + checks
