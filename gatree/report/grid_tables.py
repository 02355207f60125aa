"""The tables of an experiment as files: Tables 3-12 if it is the paper's, and else its own grid.

A table of a grid has a row per data set and setting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from gatree.base.files import write_whole
from gatree.experiments.frame import Results
from gatree.paper.agreement import placement_rows
from gatree.paper.grids import Style
from gatree.paper.publish import comparison_page, ours
from gatree.paper.published import TABLES
from gatree.paper.tables import is_papers
from gatree.rendering.documents import FORMATS, Document, PrintedGrid, rounded
from gatree.report.explorer import written_value
from gatree.report.points import METRICS, Metric, Point, Points

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
    results: Results,
    into: Path,
    style: Style,
    formats: Iterable[str] = tuple(FORMATS),
    extended: bool = False,
) -> list[Path]:
    """Write all tables of an experiment into the folder ``tables`` of a folder.

    Those are Tables 3-12, comparison.md and placement.csv if it is the paper's, and else what its grid has.
    """
    folder = into / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    points = Points.of(results)
    is_the_papers = is_papers(results, points.design)
    if is_the_papers:
        documents = {f"table-{n}": ours(n, results, style, extended) for n in TABLES}
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
    if rows := placement_rows(results):
        written.append(_write(folder / "placement.csv", pd.DataFrame(rows).to_csv(index=False)))
    return written


def _write(path: Path, text: str) -> Path:
    write_whole(path, text)
    return path


def _grid(points: Points, some: Sequence[Point]) -> PrintedGrid:
    """Return points as rows; a column that no row fills is left out."""
    axes = [axis.name for axis in points.design.axes if any(axis.name in p.settings for p in some)]
    metrics = [metric for metric in METRICS if any(getattr(p, metric.name) is not None for p in some)]
    studies = ["Study"] if len({p.study for p in some}) > 1 else []
    methods = ["Method"] if any(p.is_baseline for p in some) else []
    labels = ["Dataset", *studies, *methods, *(name.replace("_", " ") for name in axes)]
    rows = tuple(
        (
            p.dataset,
            *([p.study] if studies else []),
            *([p.method] if methods else []),
            *(written_value(p.settings[name]) if p.settings else "" for name in axes),
            str(p.n_runs),
            *(_written(metric, p) for metric in metrics),
        )
        for p in some
    )
    headings = (*labels, "runs", *(metric.label for metric in metrics))
    return PrintedGrid((headings,), len(labels), rows)


def _written(metric: Metric, point: Point) -> str:
    value = getattr(point, metric.name)
    return "" if value is None else f"{value:.{metric.decimals}f}"


def _record(point: Point) -> dict[str, Any]:
    about = {name: getattr(point, name) for name in ("study", "kind", "dataset", "method")}
    names = ("accuracy", "accuracy_sd", *(metric.name for metric in METRICS if metric.name != "accuracy"))
    numbers = {name: rounded(getattr(point, name)) for name in names if getattr(point, name) is not None}
    return {**about, **point.settings, "runs": point.n_runs, **numbers}
