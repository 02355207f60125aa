"""The history of an evolution: a row of numbers per generation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import Slots, Trees
from gatree.kernels.decorators import lean

RECORD = np.dtype(
    [
        ("best_payoff", np.float64),
        ("mean_payoff", np.float64),
        ("best_correct", np.int64),
        ("total_correct", np.int64),  # over the population
        ("best_nodes", np.int64),
        ("total_nodes", np.int64),  # over the population
        ("instances_reclassified", np.int64),  # so far
        ("instances_total", np.int64),  # so far
        ("digest", np.uint64),  # of the population: order, size, correct count; only for this version
    ]
)

_START = np.uint64(0xCBF29CE484222325)
_STEP = np.uint64(0x9E3779B97F4A7C15)


@lean
def record(
    history: Any,
    generation: int,
    trees: Trees,
    alive: Slots,
    payoff: NDArray[np.float64],
    ledger: NDArray[np.int64],
) -> int:
    """Write the row of one generation: its trees, best first, and the ledger so far.

    Returns the number of nodes of the largest tree.
    """
    trees = Trees(*trees)
    total_correct, total_nodes, most_nodes = np.int64(0), np.int64(0), np.int64(0)
    total_payoff = 0.0
    digest = _START
    for rank in range(len(alive)):
        slot = alive[rank]
        n_correct, n_nodes = trees.n_correct[slot], np.int64(trees.n_nodes[slot])
        total_correct += n_correct
        total_nodes += n_nodes
        most_nodes = max(most_nodes, n_nodes)
        total_payoff += payoff[rank]
        tree = (
            np.uint64(slot) + (np.uint64(n_nodes) << np.uint64(16)) + (np.uint64(n_correct) << np.uint64(32))
        )
        digest = (digest ^ tree) * _STEP  # odd, so the multiplication is invertible
    row = history[generation]
    row["best_payoff"] = payoff[0]
    row["mean_payoff"] = total_payoff / len(alive)
    row["best_correct"] = trees.n_correct[alive[0]]
    row["total_correct"] = total_correct
    row["best_nodes"] = trees.n_nodes[alive[0]]
    row["total_nodes"] = total_nodes
    row["instances_reclassified"] = ledger[0]
    row["instances_total"] = ledger[1]
    row["digest"] = digest
    return int(most_nodes)
