"""The colours of a regression tree in pictures: one scale from pale to strong, its key, and histograms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gatree.trees.genome import LEAF
from gatree.trees.named_tree import NamedTree
from gatree.trees.numbers import NodeNumbers
from gatree.trees.render import SCALE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Colour = tuple[float, float, float]
Pair = tuple[float, float]

_KEY_WIDTH, _KEY_HEIGHT, _KEY_STEPS = 1.6, 0.12, 32  # inches


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
