"""Tables of an experiment's own grid in the paper's layout: savings as Tables 4-7, accuracy as Tables 8-11.

A row is a data set with the settings that vary, a column a value of the size, or of the last setting if the
size does not vary. Baselines on the folds of the evolutions are columns at the right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean
from typing import Any

import pandas as pd

from gatree.base.errors import ResultError
from gatree.base.limits import MOST_SEEDS
from gatree.experiments.design import design_of, rank
from gatree.experiments.frame import EVOLUTION, Results, fold_kinds, plain, plain_rows
from gatree.experiments.setting_grid import as_text
from gatree.paper.definitions import PAGE, definition_of
from gatree.paper.grids import Style, document
from gatree.paper.publish import means_notes
from gatree.paper.published import ACCURACY_METRICS, METRICS, Layout, Row, Spot, TablePart
from gatree.paper.tables import PaperTable, numbers_of
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
    cells, by = _placed(cells)
    samples = _samples(cells)
    if name == "accuracy":
        samples |= _baselines(frame, cells)
    numbers = {spot: fmean(values) for spot, values in samples.items()}
    by_run = {spot: dict(enumerate(values)) for spot, values in samples.items()}
    caption = f"{_CAPTIONS[name]}, by {by}"
    table = PaperTable(Layout(0, caption, (_part(numbers),)), numbers, by_run)
    n = max(len(values) for values in samples.values())
    return document(
        table, style, [definition_of(KINDS[name], cells), *means_notes(n, style, "seeds and repeats")]
    )


def _metric_table(name: str, frame: pd.DataFrame, style: Style) -> Document:
    """Return a table with one number of every data set and setting."""
    metric, rows = METRICS_OF_ROWS[name], with_metric(frame, name)
    shown = (rows["method"] == EVOLUTION) & ~rows["repeats_outcome"] & (rows["timed"] | (not metric.is_time))
    cells, by = _placed(rows[shown])
    runs = cells.groupby(["place", "column", "run"], sort=False)[metric.column].mean() * metric.factor
    found = runs.groupby(level=["place", "column"], sort=False).agg(["count", "mean", "sem"])
    numbers = {place: tuple(values) for place, *values in found.itertuples(name=None)}

    def text(place: tuple[str, str]) -> str | None:
        if place not in numbers:
            return None
        mean, error = (f"{value:.{metric.decimals}f}" for value in numbers[place][1:])
        return f"{mean} ± {error}" if style.spread and error != "nan" else mean

    lines, columns = (dict.fromkeys(place[at] for place in numbers) for at in (0, 1))
    grid = tuple((line, *(text((line, column)) for column in columns)) for line in lines)
    records = tuple(
        {
            "dataset": line,
            "column": column,
            "metric": name,
            "n": int(n),
            "mean": mean,
            "standard_error": error,
        }
        for (line, column), (n, mean, error) in numbers.items()
    )
    n = int(found["count"].max())
    caption = f"{metric.unit[0].upper()}{metric.unit[1:]}, by {by}"
    notes = (*means_notes(n, style, "seeds and repeats"), f"See {PAGE}.")
    return Document(caption, (PrintedGrid((("Dataset", *columns),), 1, grid),), records, notes)


def _placed(cells: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return cells with their rows and columns, in the table's order; and what the columns are."""
    axes = design_of(cells).axes
    across = next((axis for axis in axes if axis.name == "population_size"), axes[-1] if axes else None)
    others = [axis.name for axis in axes if axis is not across]
    order = ["dataset", *others, *([across.name] if across else [])]
    cells = cells.sort_values(order, key=lambda column: column.map(rank), kind="stable")
    rows = [
        ", ".join([name, *map(_setting, others, values)])
        for name, *values in plain_rows(cells, ("dataset", *others))
    ]
    columns = list(map(as_text, plain(cells[across.name]))) if across else EVOLUTION
    run = cells["replicate"] + MOST_SEEDS * cells["repeat"]
    placed = cells.assign(mutation="", x_factor="", place=rows, column=columns, run=run)
    return placed, across.name.replace("_", " ") if across else "data set"


def _setting(name: str, value: Any) -> str:
    return f"{name.replace('_', ' ')} {as_text(value)}"


def _samples(cells: pd.DataFrame) -> dict[Spot, list[float]]:
    """Return the number of every run by its place."""
    samples: dict[Spot, list[float]] = defaultdict(list)
    for _, _, row, column, _, metric, value in plain_rows(numbers_of(cells)):
        samples[Spot(0, "", "", row, column, metric)].append(value)
    return dict(samples)


def _baselines(frame: pd.DataFrame, cells: pd.DataFrame) -> dict[Spot, list[float]]:
    """Return the numbers of the baselines, in every row that is about the same data and folds."""
    found: dict[Any, dict[str, tuple[float, float, float]]] = defaultdict(dict)
    theirs = frame[frame["method"] != EVOLUTION]
    for (dataset, on, name), folds in theirs.groupby(["dataset", fold_kinds(theirs), "method"], sort=False):
        accuracy = float(folds["test_correct"].sum() / folds["n_test"].sum())
        found[dataset, on][str(name)] = (accuracy, folds["n_nodes"].mean(), folds["seconds"].mean())
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
