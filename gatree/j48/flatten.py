"""From linked nodes, as a tree is grown and pruned, to the arrays of a finished one."""

from __future__ import annotations

import numpy as np

from gatree.j48.grow import Node, preorder
from gatree.j48.nodes import Nodes
from gatree.j48.tables import NUMERIC


def flat(root: Node) -> Nodes:
    """Return the nodes as arrays."""
    nodes = list(preorder(root))
    index = {id(node): position for position, node in enumerate(nodes)}
    branch_counts = [root.counts] * len(nodes)
    for node in nodes:
        for branch, child in enumerate(node.children):
            assert node.split is not None
            branch_counts[index[id(child)]] = node.split.table[branch]
    splits = [node.split for node in nodes]
    return Nodes(
        attribute=np.array([split.attribute if split else -1 for split in splits], dtype=np.int32),
        kind=np.array([split.kind if split else NUMERIC for split in splits], dtype=np.int32),
        threshold=np.array([split.threshold if split else np.nan for split in splits]),
        child_start=np.cumsum([0, *(len(node.children) for node in nodes)], dtype=np.int32),
        children=np.array([index[id(child)] for node in nodes for child in node.children], dtype=np.int32),
        counts=np.array([node.counts for node in nodes]),
        branch_counts=np.array(branch_counts),
        is_empty=np.array([node.is_empty for node in nodes]),
    )
