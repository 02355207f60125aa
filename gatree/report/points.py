"""The points of an experiment's grid: data set, method and settings, with what was found there.

A point is the mean over the seeds, repeats and folds that were run at it; a baseline is a point, too. Page,
tables and figures of an experiment that is not the paper's are made from these. A baseline is shown next to
evolutions only where both ran on the same folds. The page draws its plots itself (templates/explore.js) from
one block of JSON, so that they can be filtered.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gatree.base.json_values import Json
from gatree.experiments.design import Axis, Design, design_of
from gatree.experiments.frame import (
    COLUMNS,
    EVOLUTION,
    Results,
    is_comparable,
    plain,
    plain_rows,
)
from gatree.experiments.setting_grid import as_text

MOST_POINTS = 20_000  # of which a browser still draws all
_KINDS = ("savings", "cross-validation", "baseline")


class Quantity(NamedTuple):
    """A number of a point: what it is called, how it is written, and its plot against the size."""

    name: str  # its column
    label: str
    decimals: int
    title: str = ""  # of the plot, if it has one
    kinds: tuple[str, ...] = ()  # of the cells in it
    has_front: bool = False


QUANTITIES = (
    Quantity("accuracy", "accuracy in cross-validation", 4, "Accuracy and size", _KINDS[1:], True),
    Quantity("train_accuracy", "training accuracy", 4, "Training accuracy and size", _KINDS[:1], True),
    Quantity("size", "size (nodes)", 1),
    Quantity("savings", "savings (instances, %)", 2, "Savings and size", _KINDS[:2]),
    Quantity("seconds", "seconds", 4, "Time and size", _KINDS[:2]),
    Quantity("speed_up", "speed-up: CPU seconds, old / new", 2, "Speed-up and size", _KINDS[:1]),
    Quantity("r2", "R2 in cross-validation", 4, "R2 and size", _KINDS[2:], True),
    Quantity("rmse", "root mean square error", 4, "Root mean square error and size", _KINDS[2:]),
    Quantity("mae", "mean absolute error", 4, "Mean absolute error and size", _KINDS[2:]),
)
OF_NUMBERS = ("r2", "rmse", "mae")
"""The quantities of experiments on numbers, in which baselines alone run."""


@dataclass(frozen=True, eq=False)
class Points:
    """All points of an experiment, a row each, and what it varies.

    A row has study, kind, data set and method, its `QUANTITIES`, the number of runs (seeds and repeats), the
    standard error of the accuracy over them, and per axis the number of its value (-1: a baseline has none).
    ``best`` is the accuracy of the cross-validation, or the training accuracy where there was none, or R2.
    """

    design: Design
    rows: pd.DataFrame

    @classmethod
    def of(cls, results: Results) -> Points:
        """Return the points of the cells that are done, by data set, baselines first, then along the axes."""
        found = design_of(results.frame)
        design = replace(found, datasets=tuple(sorted(found.datasets, key=str.casefold)))
        rows = _rows(results.frame, design.settings)
        places = {"dataset": design.datasets.index, "study": design.studies.index}
        along = [at(axis) for axis in design.settings]
        in_order = rows.sort_values(
            ["dataset", "study", "is_ours", *along],
            key=lambda column: column.map(places[column.name]) if column.name in places else column,
        )
        return cls(design, in_order)

    def having(self, name: str, *kinds: str) -> pd.DataFrame:
        """Return the points of some kinds that have a number."""
        return self.rows[self.rows["kind"].isin(kinds) & self.rows[name].notna()]

    def records(self, rows: pd.DataFrame) -> list[dict[str, Any]]:
        """Return points as mappings of Python's own values, with their settings; a baseline has none."""
        found = [dict(zip(map(str, rows), values, strict=True)) for values in plain_rows(rows)]
        for point in found:
            places = {axis: point[at(axis)] for axis in self.design.settings}
            point["settings"] = {
                axis.name: axis.values[place] for axis, place in places.items() if place >= 0
            }
        return found

    @property
    def comparable(self) -> Points:
        """Without the baselines on other folds than the evolutions'."""
        shown = self.rows[self.rows["is_comparable"]]
        methods = set(shown["method"])
        baselines = tuple(name for name in self.design.baselines if name in methods)
        return Points(replace(self.design, baselines=baselines), shown)


def at(axis: Axis) -> str:
    """Return the column that says which value of an axis points have."""
    return f"at {axis.name}"


def _rows(frame: pd.DataFrame, axes: Sequence[Axis]) -> pd.DataFrame:
    """Return what the rows of each point add up to."""
    rows = frame[~frame["repeats_outcome"].astype(bool)]
    points, first = rows.groupby("point"), rows.drop_duplicates("point").set_index("point")
    tested = rows.groupby(["point", "replicate", "repeat"])[["test_correct", "n_test"]]
    sums = tested.sum(min_count=1).astype(float)
    runs = (sums["test_correct"] / sums["n_test"]).groupby("point")
    accuracy, train_accuracy = runs.mean(), points["train_accuracy"].mean()
    numbers = {
        "n_runs": runs.size(),
        "accuracy": accuracy,
        "accuracy_error": runs.sem(),
        "train_accuracy": train_accuracy,
        "best": accuracy.astype("float64")
        .fillna(train_accuracy.astype("float64"))
        .fillna(points["r2"].mean().astype("float64")),
        **{name: points[name].mean() for name in OF_NUMBERS},
        "size": points["n_nodes"].mean(),
        "savings": points["savings"].mean(),
        "seconds": rows[rows["timed"].astype(bool)].groupby("point")["seconds"].mean(),
        "speed_up": points["speed_up"].mean(),
        "is_comparable": rows.assign(same=is_comparable(frame)).groupby("point")["same"].all(),
    }
    found = first[["study", "kind", "dataset", "method"]].join(pd.DataFrame(numbers))
    found["is_ours"] = found["method"] == EVOLUTION
    for axis in axes:
        values = zip(plain(first[axis.name]), found["is_ours"], strict=True)
        found[at(axis)] = [axis.values.index(value) if ours else -1 for value, ours in values]
    return found


def front(points: pd.DataFrame) -> pd.DataFrame:
    """Return the points that no other is both smaller and more accurate than, from the smallest on."""
    in_order = points.sort_values(["size", "best"], ascending=[True, False])
    return in_order[~in_order["best"].cummax().duplicated()]


def plots_of(points: Points) -> list[Quantity]:
    """Return what has a plot with points; savings and time are of one kind of cells, savings' first."""
    found = []
    for plot in QUANTITIES:
        has_it = [kind for kind in plot.kinds if len(points.having(plot.name, kind))]
        if not plot.has_front:
            has_it = has_it[:1]
        if set(has_it) - {"baseline"} or (has_it and plot.name in OF_NUMBERS):
            baseline = ["baseline"] if plot.name == "seconds" and points.design.baselines else []
            found.append(plot._replace(kinds=(*has_it, *baseline)))
    return found


def shown_points(points: Points) -> pd.DataFrame:
    """Return all points, or, of very many, those of the fronts and an even choice of the others."""
    rows = points.rows
    if len(rows) <= MOST_POINTS:
        return rows
    best = pd.concat([front(some) for _, some in rows.groupby("dataset")])
    is_nth = np.arange(len(rows)) % -(-len(rows) // MOST_POINTS) == 0
    is_front = rows.index.isin(best.index)
    kept: pd.DataFrame = rows[is_nth | is_front | ~rows["is_ours"]]
    return kept


def plot_data(points: Points) -> str:
    """Return the block of JSON that the plots are drawn from; no name in it can end the block."""
    shown, design, axes = shown_points(points), points.design, points.design.settings
    methods = (EVOLUTION, *design.baselines)
    numbers = {quantity.name: _rounded(shown[quantity.name], quantity.decimals) for quantity in QUANTITIES}
    content = {
        "axes": [
            {"name": axis.name, "label": axis_label(axis), "values": list(map(as_text, axis.values))}
            for axis in axes
        ],
        "datasets": design.datasets,
        "methods": methods,
        "studies": design.studies,
        "by_study": len(axes) < len(design.axes),
        "kinds": _KINDS,
        "plots": [
            {
                **{name: getattr(plot, name) for name in ("name", "title", "label", "decimals")},
                "kinds": [_KINDS.index(kind) for kind in plot.kinds],
                "front": plot.has_front,
            }
            for plot in plots_of(points)
        ],
        "dataset": list(map(design.datasets.index, shown["dataset"])),
        "method": list(map(methods.index, shown["method"])),
        "study": list(map(design.studies.index, shown["study"])),
        "kind": list(map(_KINDS.index, shown["kind"])),
        "at": [shown[at(axis)].to_list() for axis in axes],
        "runs": shown["n_runs"].to_list(),
        "error": _rounded(shown["accuracy_error"], 4),
        **numbers,
    }
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")


def _rounded(column: pd.Series, decimals: int) -> list[float | None]:
    return [None if value is None else round(value, decimals) for value in plain(column)]


def axis_label(axis: Axis) -> str:
    """Return what people call an axis: its setting, and those that change with it."""
    return " = ".join([axis.name, *axis.along]).replace("_", " ")


def varied(points: Points) -> list[dict[str, Json]]:
    """Return what an experiment varies, with what each setting is, for the template of the page."""
    return [
        {"label": axis_label(axis), "about": COLUMNS[axis.name], "texts": list(map(as_text, axis.values))}
        for axis in points.design.axes
    ]


class BestRow(NamedTuple):
    """The most accurate point of a data set, and its baselines in the order of the experiment."""

    dataset: str
    point: dict[str, Any]
    setting: str
    baselines: tuple[dict[str, Any] | None, ...]


class BestTable(NamedTuple):
    """The best point of every data set."""

    is_training: bool
    baselines: tuple[str, ...]
    rows: tuple[BestRow, ...]

    @property
    def verdict(self) -> list[str]:
        """Say, baseline by baseline, on how many data sets the best point is more accurate."""
        lines = []
        for index, name in enumerate(self.baselines):
            pairs = [(row.point, row.baselines[index]) for row in self.rows]
            both = [(mine["best"], its["best"]) for mine, its in pairs if its is not None]
            wins, ties = sum(mine > its for mine, its in both), sum(mine == its for mine, its in both)
            equal = f", as accurate on {ties}" if ties else ""
            lines.append(
                f"With its best setting, evolution is more accurate than {name} on {wins} of {len(both)} "
                f"data sets{equal}."
            )
        if lines:
            lines.append("The best settings were chosen by these same numbers, so they are optimistic.")
        return lines


def best_table(points: Points) -> BestTable | None:
    """Return the most accurate point of every data set, the smallest among equals, if there is any."""
    ours, others = (points.rows[points.rows["is_ours"] == is_ours] for is_ours in (True, False))
    tested = ours[ours["accuracy"].notna()]
    candidates = ours if tested.empty else tested
    in_order = candidates.sort_values(["best", "size"], ascending=[False, True])
    best = {row["dataset"]: row for row in points.records(in_order.drop_duplicates("dataset"))}
    compared = [] if tested.empty else points.records(others)
    baselines = {(row["dataset"], row["method"]): row for row in compared}
    names = tuple(name for name in points.design.baselines if any(name == method for _, method in baselines))
    rows = tuple(
        BestRow(
            dataset,
            best[dataset],
            setting_text(points, best[dataset]),
            tuple(baselines.get((dataset, name)) for name in names),
        )
        for dataset in points.design.datasets
        if dataset in best
    )
    return BestTable(tested.empty, names, rows) if rows else None


def setting_text(points: Points, point: dict[str, Any]) -> str:
    """Say where a point lies on the axes of its experiment."""
    values = {**point["settings"], "study": point["study"]}
    parts = [f"{axis_label(axis)} {as_text(values[axis.name])}" for axis in points.design.axes]
    return ", ".join(parts) or "the only setting"
