"""What all evaluators do at the leaves: give them their classes, look for small ones; and book a child."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import Births
from gatree.evolution.evaluators.contract import CHECKS, CHECKS_FULL, TOTAL
from gatree.evolution.population import Trees
from gatree.evolution.scoring import Scoring
from gatree.jit import inlined
from gatree.trees.genome import LEAF, Ints


@inlined
def settle_leaf(scoring: Scoring, trees: Trees, slot: int, node: int, tally: NDArray[np.int64]) -> int:
    """Give a leaf the class that weighs most among its instances; return that weight.

    Of equal ones the lowest class wins. A leaf without instances keeps its class.
    """
    heaviest = 0
    for label in range(1, len(tally)):
        if tally[label] * scoring.class_weight[label] > tally[heaviest] * scoring.class_weight[heaviest]:
            heaviest = label
    if tally.sum() > 0:
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
