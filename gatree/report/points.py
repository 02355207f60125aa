"""The points of an experiment's grid: data set, method and settings, with what was found there.

A point is the mean over the seeds, repeats and folds that were run at it; a baseline is a point, too. Page,
tables and figures of an experiment that is not the paper's are made from these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any, NamedTuple

from gatree.experiments.record import Record
from gatree.experiments.rows import (
    EVOLUTION,
    SETTING_COLUMNS,
    Design,
    Row,
    design_of,
    record_outcomes,
    rows_of,
)


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

    @property
    def is_baseline(self) -> bool:
        return self.method != EVOLUTION


@dataclass(frozen=True)
class Points:
    """All points of an experiment, and what it varies."""

    design: Design
    points: tuple[Point, ...]

    @classmethod
    def of(cls, records: Iterable[Record]) -> Points:
        """Return the points of the records that are done."""
        tallies = _tallies(records)
        found = design_of([tally.row for tally in tallies])
        design = replace(found, datasets=tuple(sorted(found.datasets, key=str.casefold)))
        names = [axis.name for axis in design.axes if axis.name != "study"]
        points = [tally.point(names) for tally in tallies]
        return cls(design, tuple(sorted(points, key=lambda point: _place(point, design))))

    def of_kind(self, *kinds: str) -> list[Point]:
        return [point for point in self.points if point.kind in kinds]


def _place(point: Point, design: Design) -> tuple[int, ...]:
    """Return where a point comes among all: by data set, baselines first, then along the axes."""
    along = [
        axis.values.index(point.settings[axis.name]) for axis in design.axes if axis.name in point.settings
    ]
    first = (design.datasets.index(point.dataset), design.studies.index(point.study), not point.is_baseline)
    return (*first, *along)


class _Tally:
    """What the records of one point add up to."""

    def __init__(self, row: Row) -> None:
        self.row = row  # of the first record: its settings are those of all
        self.found: list[tuple[float, float, float | None]] = []  # training accuracy, nodes, savings
        self.tested: dict[tuple[int, int], list[tuple[float, int]]] = {}  # by run: accuracies, instances
        self.runs: set[tuple[int, int]] = set()
        self.seconds: dict[int, list[tuple[str | None, float]]] = {}  # by replicate
        self.both: list[tuple[float, float]] = []  # seconds of old and of new

    def add(self, record: Record) -> None:
        cell = record["cell"]
        run = (cell["replicate"], cell.get("repeat", 0))
        self.runs.add(run)
        for found in record_outcomes(record):
            self.found.append((found["train_accuracy"], found["n_nodes"], found.get("savings")))
            if found.get("accuracy") is not None:
                self.tested.setdefault(run, []).append((found["accuracy"], found["n_test"]))
            self.seconds.setdefault(run[0], []).append((found.get("evaluator"), found["seconds"]))
            if "seconds_old" in found and "seconds_new" in found:
                self.both.append((found["seconds_old"], found["seconds_new"]))

    def point(self, axes: Sequence[str]) -> Point:
        row = self.row
        train, nodes, savings = zip(*self.found, strict=True)
        accuracies = [
            sum(accuracy * n for accuracy, n in folds) / sum(n for _, n in folds)
            for folds in self.tested.values()
        ]
        return Point(
            study=row["study"],
            kind=row["kind"],
            dataset=row["dataset"],
            method=row["method"],
            settings={name: row[name] for name in axes} if row["method"] == EVOLUTION else {},
            n_runs=len(self.runs),
            accuracy=fmean(accuracies) if accuracies else None,
            accuracy_sd=stdev(accuracies) if len(accuracies) > 1 else None,
            train_accuracy=fmean(train),
            size=fmean(nodes),
            savings=fmean(savings) if savings[0] is not None else None,
            seconds=self._seconds(),
            speed_up=sum(old for old, _ in self.both) / sum(new for _, new in self.both)
            if self.both
            else None,
        )

    def _seconds(self) -> float:
        """Return the mean seconds with the evaluator of the first seed: others may run with a faster one."""
        first = self.seconds[min(self.seconds)][0][0]
        return fmean(s for timed in self.seconds.values() for evaluator, s in timed if evaluator == first)


def _tallies(records: Iterable[Record]) -> list[_Tally]:
    """Return what the records of each point add up to."""
    found: dict[tuple[Any, ...], _Tally] = {}
    known: dict[tuple[Any, ...], tuple[_Tally, Any]] = {}  # by the very object that many records share
    for record in records:
        if record["status"] != "done":
            continue
        cell = record["cell"]
        place = (cell["study"], cell["kind"], cell["dataset"], cell.get("baseline"))
        same = (*place, id(record["settings"]))
        if same not in known:
            row = next(rows_of([record]))
            tally = found.setdefault((*place, *_settings(row)), _Tally(row))
            known[same] = tally, record["settings"]  # held, so that no other object gets its id
        known[same][0].add(record)
    return list(found.values())


def _settings(row: Row) -> list[Any]:
    return [row[name] for name in SETTING_COLUMNS]


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
