"""The style of all figures, as files (SVG and PNG) and as SVG inside a page, and labels of points.

Colours that the colour-blind can tell apart, and markers or dashes as well, so that print without colour is
enough. The same data give the same bytes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, TypedDict

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox
from matplotlib.typing import RcKeyType

from gatree.base.files import save_figure

_SIZE = 7.0  # points
_LETTER = 0.6 * _SIZE  # about the width of a letter


def _places() -> Iterator[tuple[float, float, str]]:
    """Yield offsets of a name from its point, in points, and its alignment, the most natural first."""
    for reach in (1, 2, 3):
        yield 5 * reach, -3, "left"
        yield -5 * reach, -3, "right"
        yield 0, 5 * reach, "center"
        yield 0, -5 * reach - _SIZE, "center"
        yield 4, 5 * reach, "left"
        yield -4, 5 * reach, "right"
        yield 4, -5 * reach - _SIZE, "left"
        yield -4, -5 * reach - _SIZE, "right"


def _box(at: tuple[float, float], place: tuple[float, float, str], name: str) -> Bbox:
    """Return where a name would be written."""
    (x, y), (right, up, align), width = at, place, _LETTER * len(name)
    left = x + right - {"left": 0.0, "center": width / 2, "right": width}[align]
    return Bbox.from_bounds(left, y + up, width, _SIZE)


def label_points(
    axes: Axes, points: Iterable[tuple[str, float, float]], others: Iterable[tuple[float, float]] = ()
) -> None:
    """Write each point's name next to it, where it overlaps points, other ones too, and names least.

    The figure's layout should be known (`Figure.draw_without_rendering`).
    """
    figure = axes.get_figure(root=True)
    if figure is None:
        return
    scale = 72 / figure.dpi
    named = list(points)
    every = [*((x, y) for _, x, y in named), *others]
    where = axes.transData.transform(np.array(every)) * scale
    frame = Bbox.from_extents(*(np.asarray(axes.get_window_extent().extents) * scale))
    taken = [Bbox.from_extents(x - 3, y - 3, x + 3, y + 3) for x, y in where]
    for (name, x, y), spot in zip(named, where, strict=False):
        at = (float(spot[0]), float(spot[1]))
        best = min(_places(), key=lambda place: _cost(_box(at, place, name), taken, frame))
        taken.append(_box(at, best, name))
        text = axes.annotate(
            name,
            (x, y),
            xytext=best[:2],
            textcoords="offset points",
            fontsize=_SIZE,
            ha=best[2],
            va="bottom",
            color="#333333",
            parse_math=False,
        )
        if mpl.rcParams["svg.fonttype"] != "none":  # a page has a halo of its own, and texts that stay texts
            text.set_path_effects([withStroke(linewidth=1.5, foreground="white")])


def _cost(box: Bbox, taken: Iterable[Bbox], frame: Bbox) -> float:
    """Return the area of a box that lies outside the frame, twice, and that it shares with what is there."""

    def shared(other: Bbox) -> float:
        both = Bbox.intersection(box, other)
        return 0.0 if both is None else both.width * both.height

    outside = box.width * box.height - shared(frame)
    return round(2 * outside + sum(map(shared, taken)), 1)


# Okabe and Ito's palette.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#767676"

STYLE: dict[RcKeyType, str | float] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "savefig.dpi": 200,
    "svg.hashsalt": "gatree",
}

# Text stays text: small, and can be found and read aloud.
_INLINE: dict[RcKeyType, str] = {"svg.fonttype": "none"}
_REFERENCE = re.compile(r'(\bid="|xlink:href="#|\bhref="#|url\(#)')


class Look(TypedDict, total=False):
    """How a line or points look."""

    color: str
    marker: str
    lw: float
    ls: str
    mfc: str
    label: str
    solid_capstyle: Literal["butt", "projecting", "round"]


def new_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure with one pair of axes."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def save(draw: Callable[[], Figure], folder: Path, stem: str) -> list[Path]:
    """Draw a figure in the style of all and write it as SVG and PNG; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({**mpl.rcParamsDefault, **STYLE}):
        figure = draw()
        paths = [folder / f"{stem}.svg", folder / f"{stem}.png"]
        save_figure(figure, paths[0], metadata={"Date": None, "Creator": None})
        save_figure(figure, paths[1], metadata={"Software": None})
    return paths


def inline_svg(draw: Callable[[], Figure], prefix: str, label: str) -> Markup:
    """Return a figure as an ``<svg>`` element.

    Its ids begin with the prefix, so that no other element of a page has them. Screen readers read the label.
    """
    text = io.StringIO()
    with mpl.rc_context({**mpl.rcParamsDefault, **STYLE, **_INLINE}):
        draw().savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*\n\s*", "\n", svg)
    svg = _REFERENCE.sub(lambda match: f"{match[1]}{prefix}-", svg)
    attributes = Markup('<svg role="img" aria-label="{}"').format(label)
    return Markup(svg.replace("<svg", attributes, 1))
