"""How deep nodes and trees are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import Trees
from gatree.kernels.decorators import inlined, lean
from gatree.trees.genome import LEAF, Ints, toward


@inlined
def level_of(trees: Trees, slot: int, node: int) -> int:
    """Return how many tests lie above a node."""
    here, level = 0, 0
    while here != node:
        here = toward(trees.span, slot, here, node)
        level += 1
    return level


@inlined
def n_levels(trees: Trees, slot: int, level: Ints) -> int:
    """Return the number of levels of a tree; `level` is scratch."""
    level[0] = 0
    deepest = 0
    for i in range(trees.n_nodes[slot]):
        if trees.attribute[slot, i] != LEAF:
            left = i + 1
            level[left] = level[left + trees.span[slot, left]] = level[i] + 1
            deepest = max(deepest, level[left])
    return deepest + 1


@lean
def most_levels(trees: Trees, slots: NDArray[np.int64], level: Ints) -> int:
    """Return the number of levels of the deepest of some trees."""
    trees = Trees(*trees)
    most = 1
    for k in range(len(slots)):
        most = max(most, n_levels(trees, slots[k], level))
    return most
