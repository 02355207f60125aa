"""The points of an experiment's grid: data set, method and settings, with what was found there.

A point is the mean over the seeds, repeats and folds that were run at it; a baseline is a point, too. Page,
tables and figures of an experiment that is not the paper's are made from these. A baseline is shown next to
evolutions only where both ran on the same folds. The page draws its plots itself (templates/explore.js) from
one block of JSON, so that they can be filtered.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from gatree.experiments.design import Axis, Design, design_of
from gatree.experiments.frame import COLUMNS, EVOLUTION, Results, is_comparable, plain_rows, side_by_side
from gatree.experiments.setting_grid import as_text

MOST_POINTS = 20_000  # of which a browser still draws all
_KINDS = ("savings", "cross-validation", "baseline")


class Quantity(NamedTuple):
    """A number of a point: what it is called, how it is written, and its plot against the size."""

    name: str
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
    Quantity("speed_up", "speed-up of new over old", 2, "Speed-up and size", _KINDS[:1]),
)


class Point(NamedTuple):
    """What was found with one method and setting on one data set."""

    study: str
    kind: str
    dataset: str
    method: str  # evolution, or a baseline
    settings: dict[str, Any]  # of the experiment's axes; a baseline has none
    n_runs: int  # seeds and repeats of the cross-validation
    accuracy: float | None
    accuracy_sd: float | None  # over the runs
    train_accuracy: float | None
    size: float | None
    savings: float | None
    seconds: float | None
    speed_up: float | None
    is_comparable: bool  # unless it is a baseline on other folds than the evolutions'

    @property
    def is_baseline(self) -> bool:
        return self.method != EVOLUTION


@dataclass(frozen=True)
class Points:
    """All points of an experiment, and what it varies."""

    design: Design
    points: tuple[Point, ...]

    @classmethod
    def of(cls, results: Results) -> Points:
        """Return the points of the cells that are done."""
        found = design_of(results.frame)
        design = replace(found, datasets=tuple(sorted(found.datasets, key=str.casefold)))
        names = [axis.name for axis in design.axes if axis.name != "study"]
        points = _points(results.frame, names)
        return cls(design, tuple(sorted(points, key=lambda point: _place(point, design))))

    def of_kind(self, *kinds: str) -> list[Point]:
        return [point for point in self.points if point.kind in kinds]

    def having(self, metric: str, *kinds: str) -> list[Point]:
        """Return the points of some kinds that have a number."""
        return [point for point in self.of_kind(*kinds) if getattr(point, metric) is not None]

    @property
    def comparable(self) -> Points:
        """Without the baselines on other folds than the evolutions'."""
        shown = tuple(point for point in self.points if point.is_comparable)
        methods = {point.method for point in shown}
        baselines = tuple(name for name in self.design.baselines if name in methods)
        return Points(replace(self.design, baselines=baselines), shown)


def _place(point: Point, design: Design) -> tuple[int, ...]:
    """Return where a point comes among all: by data set, baselines first, then along the axes."""
    along = [
        axis.values.index(point.settings[axis.name]) for axis in design.axes if axis.name in point.settings
    ]
    first = (design.datasets.index(point.dataset), design.studies.index(point.study), not point.is_baseline)
    return (*first, *along)


def _points(frame: pd.DataFrame, axes: Sequence[str]) -> list[Point]:
    """Return what the rows of each point add up to."""
    if frame.empty:
        return []
    rows = frame[~frame["repeats_outcome"]]
    first, points = rows.drop_duplicates("point"), rows.groupby("point")
    tested = rows.groupby(["point", "replicate", "repeat"])[["test_correct", "n_test"]]
    sums = tested.sum(min_count=1).astype(float)
    runs = (sums["test_correct"] / sums["n_test"]).groupby("point")
    both = side_by_side(frame).groupby("point")[["old", "new"]].sum()
    numbers = {
        "n_runs": runs.size(),
        "accuracy": runs.mean(),
        "accuracy_sd": runs.std(),
        "train_accuracy": points["train_accuracy"].mean(),
        "size": points["n_nodes"].mean(),
        "savings": points["savings"].mean(),
        "seconds": rows[rows["timed"]].groupby("point")["seconds"].mean(),
        "speed_up": both["old"] / both["new"],
        "is_comparable": rows.assign(same=is_comparable(frame)).groupby("point")["same"].all(),
    }
    found = pd.DataFrame(numbers).reindex(first["point"])
    places = plain_rows(first, ("study", "kind", "dataset", "method"))
    axes_values = plain_rows(first, axes) or [()] * len(first)
    settings = [dict(zip(axes, values, strict=True)) for values in axes_values]
    return [
        Point._make((*place, setting if place[3] == EVOLUTION else {}, *values))
        for place, setting, values in zip(places, settings, plain_rows(found), strict=True)
    ]


def front(points: Sequence[Point]) -> list[Point]:
    """Return the points that no other is both smaller and more accurate than, from the smallest on.

    Accuracy is that of the cross-validation, or the training accuracy where there was none.
    """
    best: list[Point] = []
    for point in sorted(points, key=lambda point: (point.size or 0.0, -accuracy_of(point))):
        if not best or accuracy_of(point) > accuracy_of(best[-1]):
            best.append(point)
    return best


def accuracy_of(point: Point) -> float:
    """Return the accuracy of the cross-validation, or the training accuracy where there was none."""
    return (point.train_accuracy or 0.0) if point.accuracy is None else point.accuracy


def plots_of(points: Points) -> list[Quantity]:
    """Return what has a plot with points; savings and time are of one kind of cells, savings' first."""
    found = []
    for plot in QUANTITIES:
        has_it = [kind for kind in plot.kinds if points.having(plot.name, kind)]
        if not plot.has_front:
            has_it = has_it[:1]
        if set(has_it) - {"baseline"}:
            baseline = ["baseline"] if plot.name == "seconds" and points.design.baselines else []
            found.append(plot._replace(kinds=(*has_it, *baseline)))
    return found


def shown_points(points: Points) -> tuple[Point, ...]:
    """Return all points, or, of very many, those of the fronts and an even choice of the others."""
    n = len(points.points)
    if n <= MOST_POINTS:
        return points.points
    best = {id(point) for some in _by_dataset(points.points).values() for point in front(some)}
    step = -(-n // MOST_POINTS)
    kept = (p for i, p in enumerate(points.points) if i % step == 0 or p.is_baseline or id(p) in best)
    return tuple(kept)


def _by_dataset(points: Iterable[Point]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = defaultdict(list)
    for point in points:
        found[point.dataset].append(point)
    return found


def plot_data(points: Points) -> str:
    """Return the block of JSON that the plots are drawn from; no name in it can end the block."""
    shown, design = shown_points(points), points.design
    axes = [axis for axis in design.axes if axis.name != "study"]
    texts = {axis.name: [as_text(value) for value in axis.values] for axis in axes}
    numbers = {
        metric.name: [_rounded(getattr(point, metric.name), metric.decimals) for point in shown]
        for metric in QUANTITIES
    }
    content = {
        "axes": [{"name": axis.name, "label": axis_label(axis), "values": texts[axis.name]} for axis in axes],
        "datasets": design.datasets,
        "methods": (EVOLUTION, *design.baselines),
        "studies": design.studies,
        "by_study": any(axis.name == "study" for axis in design.axes),
        "kinds": _KINDS,
        "plots": [
            {
                **{name: getattr(plot, name) for name in ("name", "title", "label", "decimals")},
                "kinds": [_KINDS.index(kind) for kind in plot.kinds],
                "front": plot.has_front,
            }
            for plot in plots_of(points)
        ],
        "dataset": [design.datasets.index(point.dataset) for point in shown],
        "method": [(EVOLUTION, *design.baselines).index(point.method) for point in shown],
        "study": [design.studies.index(point.study) for point in shown],
        "kind": [_KINDS.index(point.kind) for point in shown],
        "at": [[_position(axis, point) for point in shown] for axis in axes],
        "runs": [point.n_runs for point in shown],
        "sd": [_rounded(point.accuracy_sd, 4) for point in shown],
        **numbers,
    }
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")


def _position(axis: Axis, point: Point) -> int:
    """Return which value of an axis a point has; a baseline has none."""
    return axis.values.index(point.settings[axis.name]) if point.settings else -1


def _rounded(value: float | None, decimals: int) -> float | None:
    return None if value is None else round(value, decimals)


def axis_label(axis: Axis) -> str:
    """Return what people call an axis: its setting, and those that change with it."""
    return " = ".join([axis.name, *axis.along]).replace("_", " ")


def varied(points: Points) -> list[dict[str, Any]]:
    """Return what an experiment varies, with what each setting is, for the template of the page."""
    return [
        {"label": axis_label(axis), "about": COLUMNS[axis.name], "texts": list(map(as_text, axis.values))}
        for axis in points.design.axes
    ]


class BestRow(NamedTuple):
    """The most accurate point of a data set, and its baselines in the order of the experiment."""

    dataset: str
    point: Point
    setting: str
    baselines: tuple[Point | None, ...]


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
            both = [(accuracy_of(mine), accuracy_of(its)) for mine, its in pairs if its is not None]
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
    tested = [point for point in points.points if point.accuracy is not None and not point.is_baseline]
    trained = [point for point in points.points if not point.is_baseline]
    candidates = _by_dataset(tested or trained)
    baselines = {(p.dataset, p.method): p for p in points.points if p.is_baseline} if tested else {}
    names = tuple(name for name in points.design.baselines if any(name == method for _, method in baselines))
    rows = []
    for dataset in points.design.datasets:
        if dataset in candidates:
            best = max(candidates[dataset], key=lambda p: (accuracy_of(p), -(p.size or 0.0)))
            compared = tuple(baselines.get((dataset, name)) for name in names)
            rows.append(BestRow(dataset, best, setting_text(points, best), compared))
    return BestTable(not tested, names, tuple(rows)) if rows else None


def setting_text(points: Points, point: Point) -> str:
    """Say where a point lies on the axes of its experiment."""
    parts: Sequence[str] = [
        f"{axis_label(axis)} {as_text(point.settings[axis.name])}"
        for axis in points.design.axes
        if axis.name in point.settings
    ]
    study = [f"study {point.study}"] if any(axis.name == "study" for axis in points.design.axes) else []
    return ", ".join([*study, *parts]) or "the only setting"
