"""Figures and trees as SVG inside a page: no files, no network, and no two elements with the same id."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.figure import Figure

from gatree.paper.figures import STYLE

_INLINE: Any = {"svg.fonttype": "none"}  # text stays text: small, and can be found and read aloud
_REFERENCE = re.compile(r'(\bid="|xlink:href="#|\bhref="#|url\(#)')


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
