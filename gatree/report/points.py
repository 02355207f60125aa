"""The points of an experiment's grid: data set, method and settings, with what was found there.

A point is the mean over the seeds, repeats and folds that were run at it; a baseline is a point, too. Page,
tables and figures of an experiment that is not the paper's are made from these. A baseline is shown next to
evolutions only where both ran on the same folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from gatree.experiments.design import Design, design_of
from gatree.experiments.frame import EVOLUTION, Results, is_comparable, plain_rows, side_by_side


@dataclass(frozen=True)
class Metric:
    """A number of a point: its name, what people call it, and how it is written."""

    name: str
    label: str
    decimals: int


METRICS = (
    Metric("accuracy", "accuracy in cross-validation", 4),
    Metric("train_accuracy", "training accuracy", 4),
    Metric("size", "size (nodes)", 1),
    Metric("savings", "savings (instances, %)", 2),
    Metric("seconds", "seconds", 4),
    Metric("speed_up", "speed-up of new over old", 2),
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
