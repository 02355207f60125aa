"""From a tree as it was built to the arrays of a finished one: what is left of it, in preorder."""

from __future__ import annotations

import numpy as np

from gatree.j48.growing import LEAF, Growing
from gatree.j48.nodes import Nodes
from gatree.j48.tables import NUMERIC


def flat(growing: Growing) -> Nodes:
    """Return what is grown."""
    n_grown = int(growing.done[0]["n_nodes"])
    grown = growing.nodes[:n_grown]
    first_child, n_children = grown["first_child"].tolist(), grown["n_children"].tolist()
    order: list[int] = []
    children: list[int] = []
    pending = [0]
    while pending:
        node = pending.pop()
        order.append(node)
        below = range(first_child[node], first_child[node] + n_children[node])
        children += below
        pending += reversed(below)
    kept = grown.take(order)
    position = np.empty(n_grown, dtype=np.int32)
    position[order] = np.arange(len(order))
    child_start = np.zeros(len(order) + 1, dtype=np.int32)
    np.cumsum(kept["n_children"], out=child_start[1:])
    counts, branch_counts = growing.counts.take(order, axis=0), growing.branch_counts.take(order, axis=0)
    branch_counts[0] = counts[0]
    is_leaf = kept["attribute"] == LEAF
    return Nodes(
        attribute=kept["attribute"].astype(np.int32),
        kind=np.where(is_leaf, NUMERIC, kept["kind"]).astype(np.int32),
        threshold=np.where(is_leaf, np.nan, kept["threshold"]),
        child_start=child_start,
        children=position[children],
        counts=counts,
        branch_counts=branch_counts,
        is_empty=kept["is_empty"].copy(),
    )
