"""Constraints: the class may only rise, or only fall, with an attribute. Other trees earn nothing.

Looked at are the classes of the leaves on the two sides of each test of the attribute: all those to the left
must be at most, or at least, all those to the right. What passes is monotonic; a few trees that are so, too,
do not pass.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import Trees
from gatree.kernels.decorators import inlined
from gatree.trees.genome import LEAF


@inlined
def classes_below(trees: Trees, slot: int, node: int) -> tuple[int, int]:
    """Return the lowest and the highest class of the leaves below a node."""
    lowest, highest = np.int32(2**31 - 1), np.int32(-1)
    for here in range(node, node + trees.span[slot, node]):
        if trees.attribute[slot, here] == LEAF:
            lowest = min(lowest, trees.value[slot, here])
            highest = max(highest, trees.value[slot, here])
    return int(lowest), int(highest)


@inlined
def is_monotonic(trees: Trees, slot: int, directions: NDArray[np.int8]) -> bool:
    """Tell whether a tree keeps to the directions, one per attribute: 1 to rise, -1 to fall, 0 for any."""
    for node in range(trees.n_nodes[slot]):
        tested = trees.attribute[slot, node]
        if tested != LEAF and directions[tested] != 0:
            left = node + 1
            left_lowest, left_highest = classes_below(trees, slot, left)
            right_lowest, right_highest = classes_below(trees, slot, left + trees.span[slot, left])
            if directions[tested] > 0 and left_highest > right_lowest:
                return False
            if directions[tested] < 0 and left_lowest < right_highest:
                return False
    return True
