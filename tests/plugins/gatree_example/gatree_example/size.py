"""An export: the size of a tree."""

from gatree.trees.export.registry import Export


def to_size(tree):
    """Return a tree's number of nodes as text."""
    return f"{tree.n_nodes} nodes\n"


SIZE = Export("its number of nodes", to_size)
