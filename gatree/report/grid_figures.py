"""Figures of an experiment's own grid: accuracy, savings and time against size, a panel per data set."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatree.base.errors import ResultError
from gatree.experiments.design import Axis
from gatree.experiments.frame import Results
from gatree.paper.figures import write_figure as write_papers_figure
from gatree.rendering.figures import BLUE, GREEN, GREY, ORANGE, PURPLE, save
from gatree.report.explorer import Plot, axis_label, plots_of, written_value
from gatree.report.points import Point, Points, front

_COLUMNS = 3
_MOST_PANELS = 24
_LOOKS = tuple(zip((BLUE, ORANGE, GREEN, PURPLE) * 3, "o^sDvphd<8>H", strict=True))
_BASELINE_LOOKS = (("black", "*"), ("black", "X"), ("black", "P"), ("black", "d"))

GRID_FIGURES = {"accuracy-size": "accuracy", "savings-size": "savings", "time-size": "seconds"}
"""By the name of a figure, what it shows against the size."""


def grid_figure(name: str, results: Results) -> Figure:
    """Draw the points of a grid; what has not been cross-validated is shown by its training accuracy."""
    points = Points.of(results).comparable
    plots = {plot.metric.name: plot for plot in plots_of(points)}
    plot = plots.get(GRID_FIGURES[name])
    if plot is None and name == "accuracy-size":
        plot = plots.get("train_accuracy")
    if plot is None:
        raise ResultError(f"the journal has no points for {name}: no evolution is finished; run: gatree run")
    return _panels(points, plot)


def _panels(points: Points, plot: Plot) -> Figure:
    axis = next((axis for axis in points.design.axes if axis.name != "study"), None)
    shown = [p for p in points.of_kind(*plot.kinds) if getattr(p, plot.metric.name) is not None]
    datasets = [name for name in points.design.datasets if any(p.dataset == name for p in shown)]
    n_rows = ceil(min(len(datasets), _MOST_PANELS) / _COLUMNS)
    figure = Figure(figsize=(7.6, 0.8 + 2.0 * n_rows), layout="constrained")
    panels = list(figure.subplots(n_rows, _COLUMNS, squeeze=False).flat)
    for axes, dataset in zip(panels, datasets, strict=False):
        _panel(axes, [p for p in shown if p.dataset == dataset], plot, axis, points)
        axes.set_title(dataset, fontsize=9, parse_math=False)
    for axes in panels[len(datasets) :]:
        axes.set_visible(False)
    figure.supxlabel("size (nodes)", fontsize=9)
    figure.supylabel(plot.metric.label, fontsize=9)
    figure.legend(handles=_legend(points, plot, axis), loc="outside upper left", ncols=3, fontsize=8)
    return figure


def _panel(axes: Axes, shown: Sequence[Point], plot: Plot, axis: Axis | None, points: Points) -> None:
    def at(some: Sequence[Point]) -> tuple[list[float], list[float]]:
        return [p.size or 0.0 for p in some], [getattr(p, plot.metric.name) for p in some]

    if plot.has_front:
        axes.step(*at(front(shown)), where="post", color=GREY, lw=1, ls="--")
    for label, look, some in _series(shown, axis, points):
        area, above = (70, 3) if label in points.design.baselines else (16, 2)
        axes.scatter(*at(some), s=area, zorder=above, lw=0.4, ec="white", **look)
    axes.tick_params(labelsize=7)
    axes.set_xlim(left=0)
    axes.margins(y=0.15)


def _series(
    shown: Sequence[Point], axis: Axis | None, points: Points
) -> list[tuple[str, dict[str, Any], list[Point]]]:
    """Return the points by the first axis' value, and each baseline's, with how they look."""
    ours = [p for p in shown if not p.is_baseline]
    if axis is None:
        series = [("evolution", _LOOKS[0], ours)]
    else:
        series = [
            (
                f"{axis_label(axis)} {written_value(value)}",
                _LOOKS[index % len(_LOOKS)],
                [p for p in ours if p.settings[axis.name] == value],
            )
            for index, value in enumerate(axis.values)
        ]
    for index, name in enumerate(points.design.baselines):
        look = _BASELINE_LOOKS[index % len(_BASELINE_LOOKS)]
        series.append((name, look, [p for p in shown if p.method == name]))
    return [(label, {"color": c, "marker": m}, some) for label, (c, m), some in series if some]


def _legend(points: Points, plot: Plot, axis: Axis | None) -> list[Line2D]:
    shown = [p for p in points.of_kind(*plot.kinds) if getattr(p, plot.metric.name) is not None]
    return [Line2D([], [], ls="none", label=label, **look) for label, look, _ in _series(shown, axis, points)]


def write_figure(name: str, results: Results | None, folder: Path) -> list[Path]:
    """Draw one figure, of the grid or one of the paper's, and write it as SVG and PNG; return the files."""
    if results is None or name not in GRID_FIGURES:
        return write_papers_figure(name, results, folder)
    return save(lambda: grid_figure(name, results), folder, name)
