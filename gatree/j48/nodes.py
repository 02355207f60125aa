"""The nodes of a finished J48 tree, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.j48.tables import Floats

Int32s = NDArray[np.int32]


class Nodes(NamedTuple):
    """The nodes in preorder, one entry each; node 0 is the root."""

    attribute: Int32s  # the tested attribute, -1 for a leaf
    kind: Int32s  # of the test: see gatree.j48.tables
    threshold: Floats  # or the index of the value
    child_start: Int32s  # where the node's children start in `children`; one entry more than nodes
    children: Int32s
    counts: Floats  # the training weight of every class, and their sum
    branch_counts: Floats  # the same for the branch to the node, as its parent counted it
    is_empty: NDArray[np.bool_]  # a leaf that no training instance reached
