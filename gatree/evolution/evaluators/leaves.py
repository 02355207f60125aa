"""What all evaluators do at the leaves: give them their classes, look for small ones; and book a child."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import Births
from gatree.evolution.evaluators.contract import CHECKS, CHECKS_FULL, TOTAL
from gatree.evolution.population import Trees
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined
from gatree.trees.genome import LEAF, Ints


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
    """Tell whether a leaf has fewer instances than are wanted."""
    if scoring.min_leaf > 0:
        for node in range(trees.n_nodes[slot]):
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
