"""What both pictures of a tree are drawn with: places, texts, boxes and branches, and colours of numbers.

The colours of a regression tree are one scale from pale to strong, with its key, and histograms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import visible
from gatree.base.extras import extras
from gatree.trees.genome import LEAF, Tree
from gatree.trees.named_tree import NamedTree
from gatree.trees.numbers import Floats, NodeNumbers
from gatree.trees.render import FAILED, PASSED, SCALE, branches, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Colour = tuple[float, float, float]
Pair = tuple[float, float]

MOST_CHARACTERS = 24  # in a line of a box
_KEY_WIDTH, _KEY_HEIGHT, _KEY_STEPS = 1.6, 0.12, 32  # inches


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


def pale(strong: str | Colour) -> Colour:
    """Return a colour mixed with white."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(strong)
    return (red + 2) / 3, (green + 2) / 3, (blue + 2) / 3


def cut(text: str) -> str:
    """Return a text that fits into a line of a box."""
    text = visible(text)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


KEY_TO_BRANCHES = f"{PASSED} the test holds   {FAILED} it does not, or the value is missing"


def whole_axes(inches: tuple[float, float], figure: Figure | None) -> Axes:
    """Return axes that fill a figure, or a new one that pyplot does not know, of a given size."""
    with extras():
        from matplotlib.figure import Figure  # not pyplot: no window, no global state, nothing to close

    if figure is None:
        figure = Figure(figsize=inches)
    else:
        figure.set_size_inches(*inches)
    return figure.add_axes((0, 0, 1, 1))


def style(points: float, weight: str = "normal", side: str = "center") -> dict[str, Any]:
    """Return the style of a text of a given size."""
    return {"ha": side, "va": "center", "fontsize": points, "fontweight": weight, "parse_math": False}


def classes_that_occur(model: NamedTree) -> list[int]:
    """Return the classes of the training instances and of the leaves."""
    given = model.tree.value[model.tree.attribute == LEAF]
    seen = np.bincount(given, minlength=model.n_classes)
    if model.counts is not None and not model.is_regression:
        seen = seen + model.counts[0]
    return np.flatnonzero(seen).tolist()


def lines_of_test(model: NamedTree, node: int, write: Callable[[float], str] = short) -> list[str]:
    """Return the test of a node as lines of a box: a long one takes two, so that its value is not cut off."""
    test, name = branches(model, node, write)[0], visible(model.attribute(node).name)
    return [test] if len(test) <= MOST_CHARACTERS else [cut(name), cut(test[len(name) + 1 :])]


def draw_branch(ax: Axes, x: Floats, start: float, end: float, answer: str, points: float) -> None:
    """Draw the line from a test at ``x[0]`` down to its branch at ``x[1]``, with the answer on it."""
    turn = (start + end) / 2
    ax.plot([x[0], x[0], x[1], x[1]], [start, turn, turn, end], color="0.6", linewidth=1, zorder=1)
    white = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    ax.text(x[1], turn, answer, **style(points), color="0.35", bbox=white, zorder=2)


def draw_box(ax: Axes, corner: Pair, width: float, height: float, face: Any) -> None:
    """Draw the box of a node."""
    from matplotlib.patches import FancyBboxPatch

    shape = "round,pad=0,rounding_size=0.08"
    frame = FancyBboxPatch(corner, width, height, boxstyle=shape, facecolor=face, edgecolor="0.35", zorder=3)
    ax.add_patch(frame)


def draw_class_bar(ax: Axes, corner: Pair, width: float, height: float, counts: NDArray[np.int64]) -> None:
    """Draw the share of every class, from left to right."""
    left, bottom = corner
    for label in np.flatnonzero(counts).tolist():
        share = width / int(counts.sum()) * int(counts[label])
        rectangle(ax, (left, bottom), share, height, colour(label))
        left += share


@dataclass(frozen=True)
class Shades:
    """A colour for every number, from pale at the lowest that a tree predicts to strong at the highest."""

    lowest: float
    highest: float

    @classmethod
    def of(cls, model: NamedTree) -> Shades:
        """Return the colours of a regression tree."""
        leaves = np.flatnonzero(model.tree.attribute == LEAF).tolist()
        predicted = [float(model.label(leaf)) for leaf in leaves]
        return cls(min(predicted), max(predicted))

    def colour(self, number: float) -> Colour:
        """Return the colour of a number, beyond the ends that of the end."""
        from matplotlib.colors import to_rgb

        low, high = self.lowest, self.highest
        share = float(np.clip((number - low) / (high - low), 0, 1)) if high > low else 0.5
        pale, strong = np.array(to_rgb(SCALE[0])), np.array(to_rgb(SCALE[1]))
        red, green, blue = (pale + (strong - pale) * share).tolist()
        return red, green, blue

    def key(self, ax: Axes, left: float, middle: float, write: Callable[[float], str], **style: Any) -> None:
        """Draw the scale with its ends, from a place on to the right."""
        if self.highest <= self.lowest:
            return
        ends = (self.lowest, self.highest)
        for end, x, side in zip(ends, (left, left + _KEY_WIDTH), ("left", "right"), strict=True):
            ax.text(x, middle - _KEY_HEIGHT, write(end), **style | {"ha": side, "va": "top"})
        for step, number in enumerate(np.linspace(*ends, _KEY_STEPS).tolist()):
            width = _KEY_WIDTH / _KEY_STEPS
            corner = left + step * width, middle - _KEY_HEIGHT / 2
            rectangle(ax, corner, width * 1.02, _KEY_HEIGHT, self.colour(number))

    def histogram(self, ax: Axes, numbers: NodeNumbers, node: int, corner: Pair, size: Pair) -> None:
        """Draw the numbers at a node, from the lowest of all samples to the highest."""
        bins, middles = numbers.bins[node], (numbers.edges[:-1] + numbers.edges[1:]) / 2
        (left, bottom), (wide, high) = corner, size
        step, tallest = wide / len(bins), max(1, int(bins.max()))
        for at in np.flatnonzero(bins).tolist():
            place = left + at * step, bottom
            rectangle(ax, place, step * 0.9, high * int(bins[at]) / tallest, self.colour(float(middles[at])))
        ax.plot([left, left + wide], [bottom, bottom], color="0.5", linewidth=0.6, zorder=4)


def rectangle(ax: Axes, corner: Pair, width: float, height: float, face: Any) -> None:
    """Draw a filled rectangle without an edge."""
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle(corner, width, height, facecolor=face, linewidth=0, zorder=4))
