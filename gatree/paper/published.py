"""The published Tables 3-12: all 2,784 numbers as data, and the layouts to print them and ours in.

``published.csv`` was typed off the tables of Kalles & Papagelis, "Lossless fitness inheritance in genetic
algorithms for decision trees" (the preprint arXiv:cs/0611166 of March 2009), digit for digit, misprints
included; see `gatree.paper.errata`.

A `Layout` knows places (`Spot`), not values, so that our numbers, the published ones and the differences
are all printed by the same code. Rows and columns are the paper's, in its order, and what a journal has
beyond them: its own data sets come last, its own sizes stand among the others.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from gatree.data.catalog import dataset_names
from gatree.settings.registry import EVALUATORS

TABLES = range(3, 13)
SIZES = tuple(str(size) for size in range(100, 900, 100))
BASELINES = ("J48", "J48(p)")


class Spot(NamedTuple):
    """Where a number stands: the columns of published.csv but for the value."""

    table: int
    mutation: str
    x: str
    dataset: str
    column: str
    metric: str


Numbers = Mapping[Spot, float]


class Setting(NamedTuple):
    """The mutation rate and the x-factor of a table, written as in the journal."""

    mutation: str
    x: str


CONSTANT_HIGH = Setting("0.5", "1e4")
RISING_HIGH = Setting("0.5", "1e4..1e5")
CONSTANT_LOW = Setting("0.01", "1e4")
RISING_LOW = Setting("0.01", "1e4..1e5")

SAVINGS = {4: CONSTANT_HIGH, 5: RISING_HIGH, 6: CONSTANT_LOW, 7: RISING_LOW}
ACCURACY = {8: CONSTANT_HIGH, 9: RISING_HIGH, 10: CONSTANT_LOW, 11: RISING_LOW}
TABLE_12 = {"50%": Setting("0.5", "1e4..1e6"), "1%": Setting("0.01", "1e4..1e6")}
TABLE_12_DATASETS = ("balance-scale", "anneal", "kr-vs-kp")
TABLE_12_SIZES = SIZES[:6]


@dataclass(frozen=True)
class Metric:
    """A kind of number: its row label, its decimals, and whether it is seconds."""

    label: str
    decimals: int
    is_seconds: bool = False


METRICS = {
    **{f"{name}_s": Metric(f"{it.label} (sec)", 2, is_seconds=True) for name, it in EVALUATORS.items()},
    "savings": Metric("Train Savings", 2),
    "accuracy": Metric("Accuracy", 3),
    "size": Metric("Size", 0),
    "time_s": Metric("Time", 2, is_seconds=True),
    "checks_savings": Metric("Check Savings", 2),
    "old_cpu_s": Metric("Old CPU (sec)", 2, is_seconds=True),
    "new_cpu_s": Metric("New CPU (sec)", 2, is_seconds=True),
    "old_evaluate_s": Metric("Old evaluating (sec)", 2, is_seconds=True),
    "new_evaluate_s": Metric("New evaluating (sec)", 2, is_seconds=True),
    "memory_kib": Metric("Memory (KiB)", 0),
    "cpu_s": Metric("CPU", 2, is_seconds=True),
    "evaluate_s": Metric("Evaluating", 2, is_seconds=True),
}
PAPERS_EVALUATORS = ("old", "new")
MORE_EVALUATORS = tuple(name for name in EVALUATORS if name not in PAPERS_EVALUATORS)
SAVINGS_EXTENDED = (
    *("checks_savings", "old_cpu_s", "new_cpu_s", "old_evaluate_s", "new_evaluate_s", "memory_kib"),
)
ACCURACY_METRICS = ("accuracy", "size", "time_s")
ACCURACY_EXTENDED = ("checks_savings", "cpu_s", "evaluate_s")


@dataclass(frozen=True)
class Row:
    """One line of a table: the data set, what the line shows (Table 3: nothing), and its places."""

    dataset: str
    label: str
    spots: tuple[Spot, ...]


@dataclass(frozen=True)
class Part:
    """One grid of a table. Only Table 12 has two, each with a title such as ("Mutation", "50%").

    Headings are one or two lines, the label columns included; an empty one continues its left neighbour.
    """

    headings: tuple[tuple[str, ...], ...]
    rows: tuple[Row, ...]
    title: tuple[str, str] | None = None

    @property
    def n_labels(self) -> int:
        return len(self.headings[0]) - len(self.rows[0].spots)


@dataclass(frozen=True)
class Layout:
    """A whole table."""

    number: int
    caption: str
    parts: tuple[Part, ...]

    @property
    def rows(self) -> Iterator[Row]:
        return (row for part in self.parts for row in part.rows)

    @property
    def spots(self) -> list[Spot]:
        return [spot for row in self.rows for spot in row.spots]


class Extent(NamedTuple):
    """What a table shows beyond the paper's: more data sets, sizes and evaluators, more rows per data set."""

    datasets: Sequence[str] = ()
    sizes: Sequence[str] = ()
    extended: bool = False
    evaluators: Sequence[str] = ()


_NOTHING_MORE = Extent()


def layout(number: int, extent: Extent = _NOTHING_MORE) -> Layout:
    """Return the layout of Table 3, 4, ... or 12."""
    if number == 3:
        return table_3(extent)
    if number in SAVINGS:
        return savings_table(number, extent)
    if number in ACCURACY:
        return accuracy_table(number, extent)
    return table_12(extent)


def table_3(extent: Extent) -> Layout:
    """Return the layout of the mean savings per data set and setting."""
    settings = (CONSTANT_HIGH, CONSTANT_LOW, RISING_HIGH, RISING_LOW)
    rows = [
        Row(name, "", tuple(Spot(3, *setting, name, "mean", "savings") for setting in settings))
        for name in _with(dataset_names(), extent.datasets)
    ]
    headings = (
        ("Dataset", "x = 10000", "", "x in [10000..100000]", ""),
        ("", *(f"m = {setting.mutation}" for setting in settings)),
    )
    return Layout(3, "An average of the savings across experiments", (Part(headings, tuple(rows)),))


def savings_table(number: int, extent: Extent) -> Layout:
    """Return the layout of Tables 4-7: old and new seconds, and the instances saved."""
    setting = SAVINGS[number]
    seconds = [f"{name}_s" for name in (*PAPERS_EVALUATORS, *extent.evaluators)]
    metrics = (*seconds, "savings", *(SAVINGS_EXTENDED if extent.extended else ()))
    columns = _sizes(SIZES, extent)
    rows = _rows(number, setting, _with(dataset_names(), extent.datasets), metrics, columns)
    caption = f"A savings-only comparison with {_described(setting)}"
    return Layout(number, caption, (Part((("Dataset", "", *columns),), rows),))


def accuracy_table(number: int, extent: Extent) -> Layout:
    """Return the layout of Tables 8-11: accuracy, size and time, with both J48 at the right."""
    setting = ACCURACY[number]
    columns = (*_sizes(SIZES, extent), *BASELINES)
    metrics = (*ACCURACY_METRICS, *(ACCURACY_EXTENDED if extent.extended else ()))
    rows = _rows(number, setting, _with(dataset_names(), extent.datasets), metrics, columns)
    caption = f"An accuracy-size-time comparison with {_described(setting)}"
    return Layout(number, caption, (Part((("Dataset", "", *map(_shown, columns)),), rows),))


def table_12(extent: Extent) -> Layout:
    """Return the layout of the two halves of Table 12, one per mutation rate."""
    sizes = _sizes(TABLE_12_SIZES, extent)
    metrics = (*ACCURACY_METRICS, *(ACCURACY_EXTENDED if extent.extended else ()))
    blanks = ("",) * (len(sizes) - 1)
    parts = []
    for rate, setting in TABLE_12.items():
        headings = (
            ("Dataset", "", f"Mutation {rate}", *blanks, *map(_shown, BASELINES)),
            ("", "", *sizes, "", ""),
        )
        datasets = _with(TABLE_12_DATASETS, extent.datasets)
        rows = _rows(12, setting, datasets, metrics, (*sizes, *BASELINES))
        parts.append(Part(headings, rows, ("Mutation", rate)))
    caption = "An accuracy-size-time comparison with x in [10^4..10^6]"
    return Layout(12, caption, tuple(parts))


def _rows(
    number: int, setting: Setting, datasets: Sequence[str], metrics: Sequence[str], columns: Sequence[str]
) -> tuple[Row, ...]:
    return tuple(
        Row(name, METRICS[metric].label, tuple(Spot(number, *setting, name, c, metric) for c in columns))
        for name in datasets
        for metric in metrics
    )


def _with(the_papers: Sequence[str], extra: Sequence[str]) -> tuple[str, ...]:
    return (*the_papers, *(name for name in extra if name not in the_papers))


def _sizes(the_papers: Sequence[str], extent: Extent) -> list[str]:
    """Return the sizes in rising order; 100x50 means 100 trees and 50 generations."""
    return sorted(_with(the_papers, extent.sizes), key=lambda size: [int(part) for part in size.split("x")])


def _shown(column: str) -> str:
    return "J48 (p)" if column == "J48(p)" else column


def _described(setting: Setting) -> str:
    x = "x in [10^4..10^5]" if ".." in setting.x else "x at 10^4"
    return f"mutation rate at {setting.mutation} and {x}"


@cache
def published() -> Numbers:
    """Return every number of Tables 3-12 by the place where it stands."""
    text = files("gatree.paper").joinpath("published.csv").read_text(encoding="utf-8")
    rows = csv.reader(text.splitlines()[1:])
    return {Spot(int(table), *place): float(value) for table, *place, value in rows}


LOST_TABLE = 6


def paper_numbers(number: int) -> Numbers:
    """Return the published numbers of a table that can be trusted: none of Table 6."""
    if number == LOST_TABLE:
        return {}
    return {spot: value for spot, value in published().items() if spot.table == number}
