"""What a page shows of an experiment's own grid: what it varies, its best points, and the data of the plots.

The plots are drawn by the page itself (templates/explore.js) from one block of JSON, so that they can be
filtered.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gatree.experiments.design import Axis
from gatree.experiments.frame import COLUMNS, EVOLUTION
from gatree.report.points import METRICS, Metric, Point, Points, accuracy_of, front

MOST_POINTS = 20_000  # of which a browser still draws all


@dataclass(frozen=True)
class Plot:
    """A number of the points against their size, and the kinds of cells that have it."""

    metric: Metric
    title: str
    kinds: tuple[str, ...]
    has_front: bool


_BY_NAME = {metric.name: metric for metric in METRICS}
_PLOTS = (
    ("accuracy", "Accuracy and size", ("cross-validation", "baseline"), True),
    ("train_accuracy", "Training accuracy and size", ("savings",), True),
    ("savings", "Savings and size", ("savings", "cross-validation"), False),
    ("seconds", "Time and size", ("savings", "cross-validation"), False),
    ("speed_up", "Speed-up and size", ("savings",), False),
)


def plots_of(points: Points) -> list[Plot]:
    """Return the plots that have points; savings and time are of one kind of cells, savings' first."""
    found = []
    for name, title, kinds, has_front in _PLOTS:
        has_it = [kind for kind in kinds if any(_has(point, name) for point in points.of_kind(kind))]
        if not has_front:
            has_it = has_it[:1]
        if set(has_it) - {"baseline"}:
            baseline = ["baseline"] if name == "seconds" and points.design.baselines else []
            found.append(Plot(_BY_NAME[name], title, (*has_it, *baseline), has_front))
    return found


def _has(point: Point, name: str) -> bool:
    return getattr(point, name) is not None


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
    texts = {axis.name: [written_value(value) for value in axis.values] for axis in axes}
    numbers = {
        metric.name: [_rounded(getattr(point, metric.name), metric.decimals) for point in shown]
        for metric in METRICS
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
                "name": plot.metric.name,
                "title": plot.title,
                "label": plot.metric.label,
                "decimals": plot.metric.decimals,
                "kinds": [_KINDS.index(kind) for kind in plot.kinds],
                "front": plot.has_front,
            }
            for plot in plots_of(points)
        ],
        "dataset": [design.datasets.index(point.dataset) for point in shown],
        "method": [(EVOLUTION, *design.baselines).index(point.method) for point in shown],
        "study": [design.studies.index(point.study) for point in shown],
        "kind": [_KINDS.index(point.kind) for point in shown],
        "at": [[_place(axis, point) for point in shown] for axis in axes],
        "runs": [point.n_runs for point in shown],
        "sd": [_rounded(point.accuracy_sd, 4) for point in shown],
        **numbers,
    }
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")


_KINDS = ("savings", "cross-validation", "baseline")


def _place(axis: Axis, point: Point) -> int:
    """Return which value of an axis a point has; a baseline has none."""
    return axis.values.index(point.settings[axis.name]) if point.settings else -1


def _rounded(value: float | None, decimals: int) -> float | None:
    return None if value is None else round(value, decimals)


def written_value(value: Any) -> str:
    """Write the value of a setting as the experiment's file would."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def axis_label(axis: Axis) -> str:
    """Return what people call an axis: its setting, and those that change with it."""
    return " = ".join([axis.name, *axis.along]).replace("_", " ")


@dataclass(frozen=True)
class Varied:
    """A setting that varies, for the list of what an experiment does."""

    label: str
    about: str
    values: tuple[str, ...]


def varied(points: Points) -> list[Varied]:
    """Return what an experiment varies, with what each setting is."""
    return [
        Varied(axis_label(axis), COLUMNS[axis.name], tuple(map(written_value, axis.values)))
        for axis in points.design.axes
    ]


@dataclass(frozen=True)
class BestRow:
    """The most accurate point of a data set, and its baselines in the order of the experiment."""

    dataset: str
    point: Point
    setting: str
    baselines: tuple[Point | None, ...]


@dataclass(frozen=True)
class BestTable:
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
        f"{axis_label(axis)} {written_value(point.settings[axis.name])}"
        for axis in points.design.axes
        if axis.name in point.settings
    ]
    study = [f"study {point.study}"] if any(axis.name == "study" for axis in points.design.axes) else []
    return ", ".join([*study, *parts]) or "the only setting"
