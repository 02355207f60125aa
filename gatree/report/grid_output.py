"""The tables and figures of an experiment as files: the paper's, or those of its own grid.

A table of a grid has a row per data set and setting. Its figures show accuracy, savings and time against
size, a panel per data set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatree.base.errors import ResultError
from gatree.base.files import write_whole
from gatree.experiments.design import Axis
from gatree.experiments.frame import Results
from gatree.experiments.setting_grid import as_text
from gatree.paper.agreement import placement_table
from gatree.paper.figures import write_figure as write_papers_figure
from gatree.paper.grids import Style
from gatree.paper.publish import comparison_page, ours
from gatree.paper.published import TABLES
from gatree.paper.tables import is_papers
from gatree.rendering.documents import FORMATS, Document, PrintedGrid, rounded
from gatree.rendering.figures import BLUE, GREEN, GREY, ORANGE, PURPLE, save
from gatree.report.points import QUANTITIES, Point, Points, Quantity, axis_label, front, plots_of

# --- tables -----------------------------------------------------------------------------------------

_CAPTIONS = {
    "cross-validation": "Cross-validations by data set and setting, means over seeds and folds",
    "savings": "Evolutions on all data by data set and setting, means over seeds",
}
_KINDS = {"cross-validation": ("cross-validation", "baseline"), "savings": ("savings",)}


def grid_tables(points: Points) -> dict[str, Document]:
    """Return a table for each kind of cell that was run, by the name of its files."""
    parts = {name: points.of_kind(*kinds) for name, kinds in _KINDS.items()}
    return {
        name: Document(_CAPTIONS[name], (_grid(points, some),), tuple(map(_record, some)))
        for name, some in parts.items()
        if some
    }


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
        documents = grid_tables(points)
    written = []
    for stem, content in documents.items():
        for name in formats:
            ending, write = FORMATS[name]
            written.append(_write(folder / f"{stem}.{ending}", write(content)))
    if not is_the_papers:
        return written
    written.append(_write(folder / "comparison.md", comparison_page(results, style)))
    if len(rows := placement_table(results)):
        written.append(_write(folder / "placement.csv", rows.to_csv(index=False)))
    return written


def _write(path: Path, text: str) -> Path:
    write_whole(path, text)
    return path


def _grid(points: Points, some: Sequence[Point]) -> PrintedGrid:
    """Return points as rows; a column that no row fills is left out."""
    axes = [axis.name for axis in points.design.axes if any(axis.name in p.settings for p in some)]
    metrics = [metric for metric in QUANTITIES if any(getattr(p, metric.name) is not None for p in some)]
    studies = ["Study"] if len({p.study for p in some}) > 1 else []
    methods = ["Method"] if any(p.is_baseline for p in some) else []
    labels = ["Dataset", *studies, *methods, *(name.replace("_", " ") for name in axes)]
    rows = tuple(
        (
            p.dataset,
            *([p.study] if studies else []),
            *([p.method] if methods else []),
            *(as_text(p.settings[name]) if p.settings else "" for name in axes),
            str(p.n_runs),
            *(_written(metric, p) for metric in metrics),
        )
        for p in some
    )
    headings = (*labels, "runs", *(metric.label for metric in metrics))
    return PrintedGrid((headings,), len(labels), rows)


def _written(metric: Quantity, point: Point) -> str:
    value = getattr(point, metric.name)
    return "" if value is None else f"{value:.{metric.decimals}f}"


def _record(point: Point) -> dict[str, Any]:
    about = {name: getattr(point, name) for name in ("study", "kind", "dataset", "method")}
    names = ("accuracy", "accuracy_sd", *(metric.name for metric in QUANTITIES if metric.name != "accuracy"))
    numbers = {name: rounded(getattr(point, name)) for name in names if getattr(point, name) is not None}
    return {**about, **point.settings, "runs": point.n_runs, **numbers}


# --- figures ----------------------------------------------------------------------------------------

_COLUMNS = 3
_MOST_PANELS = 24
_LOOKS = tuple(zip((BLUE, ORANGE, GREEN, PURPLE) * 3, "o^sDvphd<8>H", strict=True))
_BASELINE_LOOKS = (("black", "*"), ("black", "X"), ("black", "P"), ("black", "d"))

GRID_FIGURES = {"accuracy-size": "accuracy", "savings-size": "savings", "time-size": "seconds"}
"""By the name of a figure, what it shows against the size."""


def grid_figure(name: str, results: Results) -> Figure:
    """Draw the points of a grid; what has not been cross-validated is shown by its training accuracy."""
    points = Points.of(results).comparable
    plots = {plot.name: plot for plot in plots_of(points)}
    plot = plots.get(GRID_FIGURES[name])
    if plot is None and name == "accuracy-size":
        plot = plots.get("train_accuracy")
    if plot is None:
        raise ResultError(f"the journal has no points for {name}: no evolution is finished; run: gatree run")
    return _panels(points, plot)


def _panels(points: Points, plot: Quantity) -> Figure:
    axis = next((axis for axis in points.design.axes if axis.name != "study"), None)
    shown = points.having(plot.name, *plot.kinds)
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
    figure.supylabel(plot.label, fontsize=9)
    series = _series(shown, axis, points)
    handles = [Line2D([], [], ls="none", label=label, **look) for label, look, _ in series]
    figure.legend(handles=handles, loc="outside upper left", ncols=3, fontsize=8)
    return figure


def _panel(axes: Axes, shown: Sequence[Point], plot: Quantity, axis: Axis | None, points: Points) -> None:
    def at(some: Sequence[Point]) -> tuple[list[float], list[float]]:
        return [p.size or 0.0 for p in some], [getattr(p, plot.name) for p in some]

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
                f"{axis_label(axis)} {as_text(value)}",
                _LOOKS[index % len(_LOOKS)],
                [p for p in ours if p.settings[axis.name] == value],
            )
            for index, value in enumerate(axis.values)
        ]
    for index, name in enumerate(points.design.baselines):
        look = _BASELINE_LOOKS[index % len(_BASELINE_LOOKS)]
        series.append((name, look, [p for p in shown if p.method == name]))
    return [(label, {"color": c, "marker": m}, some) for label, (c, m), some in series if some]


def write_figure(name: str, results: Results | None, folder: Path) -> list[Path]:
    """Draw one figure, of the grid or one of the paper's, and write it as SVG and PNG; return the files."""
    if results is None or name not in GRID_FIGURES:
        return write_papers_figure(name, results, folder)
    return save(lambda: grid_figure(name, results), folder, name)
