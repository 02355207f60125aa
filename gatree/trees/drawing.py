"""What pictures of trees share: where nodes stand, and how texts and colours are fitted in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import visible
from gatree.trees.genome import LEAF, Tree

MOST_CHARACTERS = 24  # in a line of a box


def columns(tree: Tree) -> NDArray[np.float64]:
    """Return where nodes stand, one apart at least: a test in the middle above its branches.

    The two branches move together until they touch on some level; a branch's outline is the
    places of its outermost nodes, level by level.
    """
    aside = np.zeros(tree.n_nodes)  # from the parent
    outlines: dict[int, tuple[list[float], list[float]]] = {}
    for node in range(tree.n_nodes - 1, -1, -1):
        outlines[node] = [0.0], [0.0]
        if not tree.is_leaf(node):
            left, right = outlines.pop(tree.left(node)), outlines.pop(tree.right(node))
            half = (1 + max(a - b for a, b in zip(left[1], right[0], strict=False))) / 2
            aside[tree.left(node)], aside[tree.right(node)] = -half, half
            leftmost = [x - half for x in left[0]] + [x + half for x in right[0][len(left[0]) :]]
            rightmost = [x + half for x in right[1]] + [x - half for x in left[1][len(right[1]) :]]
            outlines[node] = [0.0, *leftmost], [0.0, *rightmost]
    for inner in np.flatnonzero(tree.attribute != LEAF).tolist():
        aside[[tree.left(inner), tree.right(inner)]] += aside[inner]
    return np.asarray(aside - aside.min())


def short(x: float) -> str:
    """Write a threshold with four digits, or with all those before its point."""
    return f"{x:.{max(4, len(str(int(abs(x)))))}g}"


def pale(strong: str) -> tuple[float, float, float]:
    """Return a colour mixed with white."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(strong)
    return (red + 2) / 3, (green + 2) / 3, (blue + 2) / 3


def cut(text: str) -> str:
    """Return a text that fits into a line of a box."""
    text = visible(text)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
