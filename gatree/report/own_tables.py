"""Tables of an experiment's own grid in the paper's layout: savings as Tables 4-7, accuracy as Tables 8-11.

A row is a data set with the settings that vary, a column a value of the size, or of the last setting if the
size does not vary. Baselines on the folds of the evolutions are columns at the right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isnan
from statistics import fmean

import pandas as pd

from gatree.base.errors import ResultError
from gatree.base.json_values import Json, Scalar
from gatree.base.limits import MOST_SEEDS
from gatree.experiments.design import design_of, rank
from gatree.experiments.frame import (
    COLUMNS,
    EVOLUTION,
    Results,
    fold_kinds,
    plain,
    plain_rows,
    predicts_numbers,
)
from gatree.experiments.setting_grid import as_text
from gatree.paper.definitions import PAGE, definition_of
from gatree.paper.grids import Style, document
from gatree.paper.publish import means_notes
from gatree.paper.published import ACCURACY_METRICS, METRICS, Layout, Row, Spot, TablePart
from gatree.paper.tables import FilledTable, numbers_of
from gatree.rendering.documents import Document, PrintedGrid
from gatree.report.metrics import METRICS as METRICS_OF_ROWS
from gatree.report.metrics import with_metric

KINDS = {"savings": "savings", "accuracy": "cross-validation"}
"""By the name of a table, the kind of cells that it shows."""

_CAPTIONS = {
    "savings": "Old and new seconds, and the instances saved",
    "accuracy": "Accuracy, size and time of cross-validations",
}


def own_table(name: str, results: Results, style: Style) -> Document:
    """Return the table of that name of any experiment: one of `KINDS`, or a metric."""
    frame = results.demand_finished().frame
    if name not in KINDS:
        return _metric_table(name, frame, style)
    cells = frame[(frame["kind"] == KINDS[name]) & (frame["method"] == EVOLUTION)]
    if cells.empty:
        raise ResultError(f"{results.journal}: no {KINDS[name]} study has a finished cell")
    grid = _Grid.of(cells)
    samples = _samples(grid.cells)
    if name == "accuracy":
        samples |= _baselines(frame, grid.cells)
    numbers = {spot: fmean(values) for spot, values in samples.items()}
    by_run = {spot: dict(enumerate(values)) for spot, values in samples.items()}
    table = FilledTable(Layout(0, grid.caption(_CAPTIONS[name]), (_part(numbers),)), numbers, by_run)
    n = max(len(values) for values in samples.values())
    notes = [definition_of(KINDS[name], cells), *means_notes(n, style, "seeds and repeats")]
    return grid.unfolded(document(table, style, notes))


def _metric_table(name: str, frame: pd.DataFrame, style: Style) -> Document:
    """Return a table with one number of every data set and setting."""
    metric, rows = METRICS_OF_ROWS[name], with_metric(frame, name)
    ours = ((rows["method"] == EVOLUTION) | predicts_numbers(rows)) & ~rows["repeats_outcome"]
    shown = ours & (rows["timed"] | (not metric.is_time))
    grid = _Grid.of(rows[shown])
    runs = grid.cells.groupby(["place", "column", "run"], sort=False)[metric.column].mean() * metric.factor
    found = runs.groupby(level=["place", "column"], sort=False).agg(["count", "mean", "sem"])
    numbers = {place: tuple(values) for place, *values in found.itertuples(name=None)}

    def text(place: tuple[str, str]) -> str | None:
        if place not in numbers:
            return None
        mean, error = (f"{value:.{metric.decimals}f}" for value in numbers[place][1:])
        return f"{mean} ± {error}" if style.spread and error != "nan" else mean

    lines, columns = (dict.fromkeys(place[at] for place in numbers) for at in (0, 1))
    body = tuple((line, *(text((line, column)) for column in columns)) for line in lines)
    records = tuple(
        {
            "dataset": line,
            "column": column,
            "metric": name,
            "n": int(n),
            "mean": mean,
            "standard_error": None if isnan(error) else error,
        }
        for (line, column), (n, mean, error) in numbers.items()
    )
    n = int(found["count"].max())
    timed = " Timed seeds only." if metric.is_time else ""
    what = f"{name}: {COLUMNS[metric.column]}.{timed} See {PAGE}."
    notes = (what, *means_notes(n, style, "seeds and repeats"))
    caption = grid.caption(f"{metric.unit[0].upper()}{metric.unit[1:]}")
    return grid.unfolded(Document(caption, (PrintedGrid((("Dataset", *columns),), 1, body),), records, notes))


@dataclass(frozen=True)
class _Grid:
    """Cells with the row (`place`) and the column of a table that they are in, in its order.

    While a table is made its rows have one label each; `unfolded` replaces it by data set and settings.
    """

    cells: pd.DataFrame
    settings: tuple[str, ...]  # of the rows
    across: str  # what the columns are
    places: Mapping[str, tuple[Scalar, ...]]  # data set and settings, by label
    columns: Mapping[str, Scalar]  # values of what the columns are, by label

    @classmethod
    def of(cls, cells: pd.DataFrame) -> _Grid:
        axes = design_of(cells).axes
        across = next((axis for axis in axes if axis.name == "population_size"), axes[-1] if axes else None)
        settings = tuple(axis.name for axis in axes if axis is not across)
        order = ["dataset", *settings, *([across.name] if across else [])]
        cells = cells.sort_values(order, key=lambda column: column.map(rank), kind="stable")
        values = plain_rows(cells, ("dataset", *settings))
        labels = ["\0".join(map(as_text, row)) for row in values]
        across_values = plain(cells[across.name if across else "method"])
        columns = list(map(as_text, across_values))
        run = cells["replicate"] + MOST_SEEDS * cells["repeat"]
        return cls(
            cells.assign(mutation="", x_factor="", place=labels, column=columns, run=run),
            settings,
            across.name if across else "",
            dict(zip(labels, values, strict=True)),
            dict(zip(columns, across_values, strict=True)),
        )

    def caption(self, text: str) -> str:
        return f"{text}, by {self.across.replace('_', ' ') or 'data set'}"

    def unfolded(self, document: Document) -> Document:
        """Return a table with a column for each setting of its rows, and records with a key for each."""
        records = tuple(map(self._record, document.records))
        grids, statistics = (
            tuple(map(self._unfolded, some)) for some in (document.grids, document.statistics)
        )
        return replace(document, grids=grids, statistics=statistics, records=records)

    def _unfolded(self, grid: PrintedGrid) -> PrintedGrid:
        ((first, *rest),) = grid.headings
        headings = (first, *(name.replace("_", " ") for name in self.settings), *rest)
        rows = tuple((*map(as_text, self.places[str(label)]), *texts) for label, *texts in grid.rows)
        return replace(grid, headings=(headings,), n_labels=grid.n_labels + len(self.settings), rows=rows)

    def _record(self, record: Mapping[str, Json]) -> dict[str, Json]:
        column, rest = str(record["column"]), dict(record)
        name, *values = self.places[str(rest.pop("dataset"))]
        del rest["column"]
        at = {self.across: self.columns[column]} if self.across and column in self.columns else {}
        method = EVOLUTION if column in self.columns else column
        return {
            "dataset": name,
            **dict(zip(self.settings, values, strict=True)),
            **at,
            "method": method,
            **rest,
        }


def _samples(cells: pd.DataFrame) -> dict[Spot, list[float]]:
    """Return the number of every run by its place."""
    samples: dict[Spot, list[float]] = defaultdict(list)
    for _, _, row, column, _, metric, value in plain_rows(numbers_of(cells)):
        samples[Spot(0, "", "", row, column, metric)].append(value)
    return dict(samples)


def _baselines(frame: pd.DataFrame, cells: pd.DataFrame) -> dict[Spot, list[float]]:
    """Return the numbers of the baselines, in every row that is about the same data and folds."""
    found: dict[tuple[str, str], dict[str, tuple[float, float, float]]] = defaultdict(dict)
    theirs = frame[frame["method"] != EVOLUTION]
    for (dataset, on, name), folds in theirs.groupby(["dataset", fold_kinds(theirs), "method"], sort=False):
        accuracy = float(folds["test_correct"].sum() / folds["n_test"].sum())
        found[str(dataset), str(on)][str(name)] = (accuracy, folds["n_nodes"].mean(), folds["seconds"].mean())
    rows = cells.assign(on=fold_kinds(cells)).drop_duplicates(["place", "on"])
    return {
        Spot(0, "", "", row, name, metric): [value]
        for row, dataset, on in plain_rows(rows, ("place", "dataset", "on"))
        for name, numbers in found[dataset, on].items()
        for metric, value in zip(ACCURACY_METRICS, numbers, strict=True)
    }


def _part(numbers: Mapping[Spot, float]) -> TablePart:
    """Return the rows and columns that the numbers have, in their order."""
    rows, columns = (dict.fromkeys(getattr(spot, name) for spot in numbers) for name in ("dataset", "column"))
    metrics = [name for name in METRICS if any(spot.metric == name for spot in numbers)]
    found = tuple(
        Row(row, METRICS[metric].label, tuple(Spot(0, "", "", row, column, metric) for column in columns))
        for row in rows
        for metric in metrics
    )
    return TablePart((("Dataset", "", *columns),), found)
