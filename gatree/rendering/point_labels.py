"""Names beside the points of a figure, placed so that they do not cover each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

_SIZE = 7.0  # points
_LETTER = 0.6 * _SIZE  # about the width of a letter


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: _Box) -> float:
        """Return the area that two boxes share."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(wide, 0.0) * max(high, 0.0)


@dataclass(frozen=True)
class _Place:
    """Where a name may stand: its offset from the point, in points, and its alignment."""

    x: float
    y: float
    align: str

    def box(self, at: tuple[float, float], name: str) -> _Box:
        width = _LETTER * len(name)
        left = at[0] + self.x - {"left": 0.0, "center": width / 2, "right": width}[self.align]
        return _Box(left, at[1] + self.y, left + width, at[1] + self.y + _SIZE)


def _places() -> Iterator[_Place]:
    """Yield the places, the nearest and most natural first."""
    for reach in (1, 2, 3):
        yield _Place(5 * reach, -3, "left")
        yield _Place(-5 * reach, -3, "right")
        yield _Place(0, 5 * reach, "center")
        yield _Place(0, -5 * reach - _SIZE, "center")
        yield _Place(4, 5 * reach, "left")
        yield _Place(-4, 5 * reach, "right")
        yield _Place(4, -5 * reach - _SIZE, "left")
        yield _Place(-4, -5 * reach - _SIZE, "right")


def laid_out(figure: Figure) -> None:
    """Find out where the axes of a figure lie."""
    figure.draw_without_rendering()


def label_points(axes: Axes, points: Iterable[tuple[str, float, float]]) -> None:
    """Write each point's name beside it, where it covers least of the points and the other names.

    The figure's layout should be known (`laid_out`).
    """
    figure = axes.get_figure(root=True)
    if figure is None:
        return
    scale = 72 / figure.dpi
    named = list(points)
    where = axes.transData.transform(np.array([(x, y) for _, x, y in named])) * scale
    frame = _Box(*(np.asarray(axes.get_window_extent().extents) * scale))
    taken = [_Box(x - 3, y - 3, x + 3, y + 3) for x, y in where]
    for (name, x, y), spot in zip(named, where, strict=True):
        at = (float(spot[0]), float(spot[1]))
        best = min(_places(), key=lambda place: _cost(place.box(at, name), taken, frame))
        taken.append(best.box(at, name))
        where_to: dict[str, Any] = {
            "xytext": (best.x, best.y),
            "textcoords": "offset points",
            "ha": best.align,
        }
        text = axes.annotate(
            name, (x, y), fontsize=_SIZE, va="bottom", color="#333333", parse_math=False, **where_to
        )
        if mpl.rcParams["svg.fonttype"] != "none":  # a page has a halo of its own, and texts that stay texts
            text.set_path_effects([withStroke(linewidth=1.5, foreground="white")])


def _cost(box: _Box, taken: Iterable[_Box], frame: _Box) -> float:
    outside = (box.right - box.left) * (box.top - box.bottom) - box.overlap(frame)
    return round(2 * outside + sum(box.overlap(other) for other in taken), 1)
