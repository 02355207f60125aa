"""The figures of the part of a page that compares an experiment with the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from gatree.base.errors import ResultError
from gatree.experiments.record import Record
from gatree.paper.figures import FIGURES, NEED_NO_RESULTS
from gatree.report.inline_svg import inline_svg

_CAPTIONS = {
    "savings": "Mean savings per data set, ours against the paper's. On the line both are equal.",
    "times": "Seconds of an evolution with inheritance (new) against without (old), one point per cell.",
    "speed-up": "How many times faster inheritance makes a whole evolution, by number of instances.",
    "5": "Figure 5: share of node-instance-checks saved, by depth of the tree: theory, and as counted.",
    "6": "Figure 6: accuracy and size of the best tree over the generations of a cross-validation.",
}


@dataclass(frozen=True)
class PageFigure:
    """A drawing, or what is missing to draw it."""

    name: str
    caption: str
    svg: Markup | None
    why_not: str = ""


def figures_of_records(done: Sequence[Record]) -> dict[str, PageFigure]:
    """Return the figures that are drawn from finished cells."""
    return {
        name: _page_figure(name, draw, done) for name, draw in FIGURES.items() if name not in NEED_NO_RESULTS
    }


def all_figures(of_records: Mapping[str, PageFigure]) -> list[PageFigure]:
    """Return the figures in order, those included that need no records."""
    return [of_records.get(name) or _page_figure(name, draw, ()) for name, draw in FIGURES.items()]


def _page_figure(name: str, draw: Callable[[Sequence[Record]], Any], done: Sequence[Record]) -> PageFigure:
    caption = _CAPTIONS[name]
    try:
        svg = inline_svg(lambda: draw(done), f"figure-{name}", caption)
    except ResultError as error:
        return PageFigure(name, caption, None, str(error))
    return PageFigure(name, caption, svg)
