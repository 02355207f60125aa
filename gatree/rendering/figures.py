"""The style of all figures, as files (SVG and PNG) and as SVG inside a page.

Colours that the colour-blind can tell apart, and markers or dashes as well, so that print without colour is
enough. The same data give the same bytes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gatree.base.atomic_write import save_figure

# Okabe and Ito's palette.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#767676"

STYLE: Any = {
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

_INLINE: Any = {"svg.fonttype": "none"}  # text stays text: small, and can be found and read aloud
_REFERENCE = re.compile(r'(\bid="|xlink:href="#|\bhref="#|url\(#)')


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

    Parameters
    ----------
    draw : callable
        Makes the figure; called with the style of our figures.
    prefix : str
        What sets the ids of this element apart from those of others.
    label : str
        What a screen reader says.
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
