"""The tables and figures of an experiment as files: the paper's, or those of its own grid.

Figures of a grid show accuracy, savings and time against size, a panel per data set.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from math import ceil
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatree.base.errors import ResultError
from gatree.base.files import write_whole
from gatree.experiments.frame import Results, predicts_numbers
from gatree.experiments.setting_grid import as_text
from gatree.paper.agreement import placement_table
from gatree.paper.figures import write_figure as write_papers_figure
from gatree.paper.grids import Style
from gatree.paper.publish import comparison_page, ours
from gatree.paper.published import TABLES
from gatree.paper.tables import is_papers
from gatree.rendering.documents import FORMATS
from gatree.rendering.figures import BLUE, GREEN, GREY, ORANGE, PURPLE, Look, save
from gatree.report.equal_time import equal_time_figure
from gatree.report.own_tables import KINDS, own_table
from gatree.report.points import OF_NUMBERS, Points, Quantity, at, axis_label, front, plots_of

# --- tables -----------------------------------------------------------------------------------------


def write_all(
    results: Results, into: Path, style: Style, formats: Iterable[str] = tuple(FORMATS)
) -> list[Path]:
    """Write all tables of an experiment into the folder ``tables`` of a folder.

    Those are Tables 3-12, comparison.md and placement.csv if it is the paper's, and else what its grid has.
    """
    folder = into / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    points = Points.of(results)
    is_the_papers = is_papers(results, points.design)
    if is_the_papers:
        documents = {f"table-{n}": ours(n, results, style) for n in TABLES}
    else:
        kinds = set(results.frame["kind"])
        names = [name for name, kind in KINDS.items() if kind in kinds]
        names += ["r2", "rmse", "mae"] if predicts_numbers(results.frame).any() else []
        documents = {name: own_table(name, results, style) for name in names}
    texts = {}
    for stem, content in documents.items():
        for name in formats:
            ending, write = FORMATS[name]
            texts[f"{stem}.{ending}"] = write(content)
    if is_the_papers:
        texts["comparison.md"] = comparison_page(results, style)
        if len(rows := placement_table(results)):
            texts["placement.csv"] = rows.to_csv(index=False)
    for name, text in texts.items():
        write_whole(folder / name, text)
    return [folder / name for name in texts]


# --- figures ----------------------------------------------------------------------------------------

_COLUMNS = 3
_MOST_PANELS = 24
_LOOKS = tuple(zip((BLUE, ORANGE, GREEN, PURPLE) * 3, "o^sDvphd<8>H", strict=True))
_FRONT: Look = {"color": GREY, "lw": 1, "ls": "--"}
_BASELINE_LOOKS = (("black", "*"), ("black", "X"), ("black", "P"), ("black", "d"))

GRID_FIGURES = {
    "accuracy-size": "accuracy",
    "savings-size": "savings",
    "time-size": "seconds",
    "r2-size": "r2",
    "rmse-size": "rmse",
    "mae-size": "mae",
}
"""By the name of a figure, what it shows against the size."""


def figures_of_grid(results: Results) -> list[str]:
    """Return the figures that an experiment of one's own should have: those of numbers, or of evolutions."""
    of_numbers = bool(predicts_numbers(results.frame).all())
    return [name for name, quantity in GRID_FIGURES.items() if (quantity in OF_NUMBERS) == of_numbers]


def grid_figure(name: str, results: Results) -> Figure:
    """Draw the points of a grid; what has not been cross-validated is shown by its training accuracy."""
    points = Points.of(results).comparable
    plots = {plot.name: plot for plot in plots_of(points)}
    plot = plots.get(GRID_FIGURES[name])
    if plot is None and name == "accuracy-size":
        plot = plots.get("train_accuracy")
    if plot is None:
        what = "no method for numbers" if GRID_FIGURES[name] in OF_NUMBERS else "no evolution"
        raise ResultError(f"the journal has no points for {name}: {what} is finished; run: gatree run")
    return _panels(points, plot)


def _panels(points: Points, plot: Quantity) -> Figure:
    shown = points.having(plot.name, *plot.kinds)
    datasets = [name for name in points.design.datasets if (shown["dataset"] == name).any()]
    n_rows = ceil(min(len(datasets), _MOST_PANELS) / _COLUMNS)
    figure = Figure(figsize=(7.6, 0.8 + 2.0 * n_rows), layout="constrained")
    panels = list(figure.subplots(n_rows, _COLUMNS, squeeze=False).flat)
    for axes, dataset in zip(panels, datasets, strict=False):
        _panel(axes, shown[shown["dataset"] == dataset], plot, points)
        axes.set_title(dataset, fontsize=9, parse_math=False)
    for axes in panels[len(datasets) :]:
        axes.set_visible(False)
    figure.supxlabel("size (nodes)", fontsize=9)
    figure.supylabel(plot.label, fontsize=9)
    handles = [Line2D([], [], ls="none", label=label, **look) for label, look, _ in _series(shown, points)]
    if plot.has_front:
        handles.append(Line2D([], [], label="the Pareto front", **_FRONT))
    figure.legend(handles=handles, loc="outside upper left", ncols=3, fontsize=8)
    return figure


def _panel(axes: Axes, shown: pd.DataFrame, plot: Quantity, points: Points) -> None:
    if plot.has_front:
        best = front(shown)
        axes.step(best["size"], best[plot.name], where="post", **_FRONT)
    for label, look, some in _series(shown, points):
        area, above = (70, 3) if label in points.design.baselines else (16, 2)
        axes.scatter(some["size"], some[plot.name], s=area, zorder=above, lw=0.4, ec="white", **look)
    axes.tick_params(labelsize=7)
    axes.set_xlim(left=0)
    axes.margins(y=0.15)


def _series(shown: pd.DataFrame, points: Points) -> list[tuple[str, Look, pd.DataFrame]]:
    """Return the points by the first axis' value, and each baseline's, with how they look."""
    axis = next(iter(points.design.settings), None)
    ours = shown[shown["is_ours"]]
    parts = {"evolution": ours}
    if axis:
        places = enumerate(axis.values)
        parts = {f"{axis_label(axis)} {as_text(v)}": ours[ours[at(axis)] == place] for place, v in places}
    baselines = {name: shown[shown["method"] == name] for name in points.design.baselines}
    series = [
        *zip(parts.items(), cycle(_LOOKS), strict=False),
        *zip(baselines.items(), cycle(_BASELINE_LOOKS), strict=False),
    ]
    return [(label, {"color": c, "marker": m}, some) for (label, some), (c, m) in series if len(some)]


def write_figure(name: str, results: Results | None, folder: Path) -> list[Path]:
    """Draw one figure, of the grid or one of the paper's, and write it as SVG and PNG; return the files."""
    if results is not None and name == "equal-time":
        return save(lambda: equal_time_figure(results), folder, name)
    if results is None or name not in GRID_FIGURES:
        return write_papers_figure(name, results, folder)
    return save(lambda: grid_figure(name, results), folder, name)
