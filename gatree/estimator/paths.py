"""The way of every sample through a tree, as scikit-learn's users expect it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from gatree.trees.genome import Tree


def decision_path(tree: Tree, reached: NDArray[np.int64]) -> csr_matrix:
    """Return an indicator matrix of the nodes that every sample passes, given the leaf that it reaches."""
    above = [[0]]  # the nodes on the way to each node, itself included
    for node in range(1, tree.n_nodes):
        parent = next(p for p in reversed(above[-1]) if node < p + tree.span[p])
        above.append([*above[parent], node])
    ends = np.cumsum([0, *(len(above[leaf]) for leaf in reached)])
    nodes = np.concatenate([above[leaf] for leaf in reached])
    shape = (len(reached), tree.n_nodes)
    return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, ends), shape=shape)
