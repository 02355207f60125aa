"""A mutation that exchanges the classes of two leaves."""

from gatree.kernels.decorators import inlined
from gatree.trees.genome import LEAF


@inlined
def swap_leaves(trees, child, node, materials, row):
    """Exchange the classes below a test whose both branches are leaves."""
    left = node + 1
    right = left + trees.span[child, left]
    if trees.attribute[child, left] == LEAF and trees.attribute[child, right] == LEAF:
        trees.value[child, left], trees.value[child, right] = (
            trees.value[child, right],
            trees.value[child, left],
        )
