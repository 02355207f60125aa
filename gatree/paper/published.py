"""The published Tables 3-12: all 2,784 numbers as data, and the layouts to print them and ours in.

``published.csv`` was typed off the tables of Kalles & Papagelis, "Lossless fitness inheritance in genetic
algorithms for decision trees" (the preprint arXiv:cs/0611166 of March 2009), digit for digit, misprints
included. `TABLE_ERRATA` says what is wrong or odd in them, and `stand_ins` where our data are not its
own; what they say of kr-vs-kp is proven by the exact solver (tests/paper/impossible_numbers.py).

A `Layout` knows places (`Spot`), not values, so that our numbers, the published ones and the differences
are all printed by the same code. Rows and columns are the paper's, in its order, and what a journal has
beyond them: its own data sets come last, its own sizes stand among the others.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from gatree.base.errors import percent
from gatree.data.catalog import catalog, dataset_names
from gatree.settings.registry import EVALUATORS

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
RISING_HIGHER = (Setting("0.5", "1e4..1e6"), Setting("0.01", "1e4..1e6"))


@dataclass(frozen=True)
class RowFormat:
    """A kind of number: its row label, its decimals, and whether it is seconds."""

    label: str
    decimals: int
    is_seconds: bool = False


METRICS = {
    **{f"{name}_s": RowFormat(f"{it.label} (sec)", 2, is_seconds=True) for name, it in EVALUATORS.items()},
    "savings": RowFormat("Train Savings", 2),
    "accuracy": RowFormat("Accuracy", 3),
    "size": RowFormat("Size", 0),
    "time_s": RowFormat("Time", 2, is_seconds=True),
}
PAPERS_EVALUATORS = ("old", "new")
MORE_EVALUATORS = tuple(name for name in EVALUATORS if name not in PAPERS_EVALUATORS)
ACCURACY_METRICS = ("accuracy", "size", "time_s")


@dataclass(frozen=True)
class Row:
    """One line of a table: the data set, what the line shows (Table 3: nothing), and its places."""

    dataset: str
    label: str
    spots: tuple[Spot, ...]


@dataclass(frozen=True)
class TablePart:
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
    parts: tuple[TablePart, ...]

    @property
    def rows(self) -> Iterator[Row]:
        return (row for part in self.parts for row in part.rows)

    @property
    def spots(self) -> list[Spot]:
        return [spot for row in self.rows for spot in row.spots]


class Extent(NamedTuple):
    """What a table shows: data sets, sizes, evaluators and baselines, next to the paper's or alone."""

    datasets: Sequence[str] = ()
    sizes: Sequence[str] = ()
    evaluators: Sequence[str] = ()
    baselines: Sequence[str] = BASELINES
    with_papers: bool = True


PAPERS_EXTENT = Extent()


@dataclass(frozen=True)
class TableSpec:
    """One of Tables 3-12: the cells that its numbers come from, and its layout."""

    number: int
    caption: str
    kind: Literal["savings", "cross-validation"]  # of its cells
    settings: tuple[Setting, ...]
    parts: Callable[[TableSpec, Extent], Iterable[TablePart]]
    datasets: tuple[str, ...] = ()  # all by default
    sizes: tuple[str, ...] = SIZES
    means_of: tuple[int, ...] = ()  # the tables whose savings it has the means of, over the sizes
    is_lost: bool = False  # the published one is a copy of another; Table 3 still has its means

    def layout(self, extent: Extent = PAPERS_EXTENT) -> Layout:
        """Return the places of the table's numbers."""
        return Layout(self.number, self.caption, tuple(self.parts(self, extent)))

    def shown_datasets(self, extent: Extent) -> tuple[str, ...]:
        """Return the data sets, the paper's first and in its order."""
        return _shown(self.datasets or dataset_names(), extent.datasets, extent.with_papers)

    def shown_sizes(self, extent: Extent) -> list[str]:
        """Return the sizes in rising order; 100x50 means 100 trees and 50 generations."""
        sizes = _shown(self.sizes, extent.sizes, extent.with_papers)
        return sorted(sizes, key=lambda size: [int(part) for part in size.split("x")])


def _mean_savings_parts(table: TableSpec, extent: Extent) -> Iterator[TablePart]:
    """Yield Table 3: the mean savings per data set and setting."""
    rows = (
        Row(name, "", tuple(mean_savings(setting, name) for setting in table.settings))
        for name in table.shown_datasets(extent)
    )
    headings = (
        ("Dataset", "x = 10000", "", "x in [10000..100000]", ""),
        ("", *(f"m = {setting.mutation}" for setting in table.settings)),
    )
    yield TablePart(headings, tuple(rows))


def mean_savings(setting: Setting, dataset: str) -> Spot:
    """Return where Table 3 has the mean savings of a setting on a data set."""
    return Spot(3, *setting, dataset, "mean", "savings")


def _savings_parts(table: TableSpec, extent: Extent) -> Iterator[TablePart]:
    """Yield Tables 4-7: old and new seconds, and the instances saved."""
    seconds = [f"{name}_s" for name in (*PAPERS_EVALUATORS, *extent.evaluators)]
    columns = table.shown_sizes(extent)
    rows = _rows(table, table.settings[0], extent, (*seconds, "savings"), columns)
    yield TablePart((("Dataset", "", *columns),), rows)


def _accuracy_parts(table: TableSpec, extent: Extent) -> Iterator[TablePart]:
    """Yield Tables 8-11: accuracy, size and time, with both J48 at the right."""
    columns = (*table.shown_sizes(extent), *extent.baselines)
    rows = _rows(table, table.settings[0], extent, ACCURACY_METRICS, columns)
    yield TablePart((("Dataset", "", *map(_heading, columns)),), rows)


def _parts_by_rate(table: TableSpec, extent: Extent) -> Iterator[TablePart]:
    """Yield the two halves of Table 12, one per mutation rate."""
    sizes = table.shown_sizes(extent)
    blanks = ("",) * (len(sizes) - 1)
    for setting in table.settings:
        rate = percent(float(setting.mutation), digits=0)
        headings = (
            ("Dataset", "", f"Mutation {rate}", *blanks, *map(_heading, extent.baselines)),
            ("", "", *sizes, *("" for _ in extent.baselines)),
        )
        rows = _rows(table, setting, extent, ACCURACY_METRICS, (*sizes, *extent.baselines))
        yield TablePart(headings, rows, ("Mutation", rate))


def _rows(
    table: TableSpec, setting: Setting, extent: Extent, metrics: Sequence[str], columns: Sequence[str]
) -> tuple[Row, ...]:
    return tuple(
        Row(
            name, METRICS[metric].label, tuple(Spot(table.number, *setting, name, c, metric) for c in columns)
        )
        for name in table.shown_datasets(extent)
        for metric in metrics
    )


def _shown(the_papers: Sequence[str], found: Sequence[str], with_papers: bool) -> tuple[str, ...]:
    kept = [name for name in the_papers if with_papers or name in found]
    return (*kept, *(name for name in found if name not in the_papers))


def _heading(column: str) -> str:
    return "J48 (p)" if column == "J48(p)" else column


def _described(setting: Setting) -> str:
    x = "x in [10^4..10^5]" if ".." in setting.x else "x at 10^4"
    return f"mutation rate at {setting.mutation} and {x}"


def _savings(number: int, setting: Setting, is_lost: bool = False) -> TableSpec:
    caption = f"A savings-only comparison with {_described(setting)}"
    return TableSpec(number, caption, "savings", (setting,), _savings_parts, is_lost=is_lost)


def _accuracy(number: int, setting: Setting) -> TableSpec:
    caption = f"An accuracy-size-time comparison with {_described(setting)}"
    return TableSpec(number, caption, "cross-validation", (setting,), _accuracy_parts)


_ALL = (
    TableSpec(
        3,
        "An average of the savings across experiments",
        "savings",
        (CONSTANT_HIGH, CONSTANT_LOW, RISING_HIGH, RISING_LOW),
        _mean_savings_parts,
        means_of=(4, 5, 6, 7),
    ),
    _savings(4, CONSTANT_HIGH),
    _savings(5, RISING_HIGH),
    _savings(6, CONSTANT_LOW, is_lost=True),
    _savings(7, RISING_LOW),
    _accuracy(8, CONSTANT_HIGH),
    _accuracy(9, RISING_HIGH),
    _accuracy(10, CONSTANT_LOW),
    _accuracy(11, RISING_LOW),
    TableSpec(
        12,
        "An accuracy-size-time comparison with x in [10^4..10^6]",
        "cross-validation",
        RISING_HIGHER,
        _parts_by_rate,
        datasets=("balance-scale", "anneal", "kr-vs-kp"),
        sizes=SIZES[:6],
    ),
)
TABLES = {table.number: table for table in _ALL}
SAVINGS = {number: TABLES[number].settings[0] for number in TABLES[3].means_of}
"""The settings of Tables 4-7."""


@cache
def published() -> Numbers:
    """Return every number of Tables 3-12 by the place where it stands."""
    rows = _read("published.csv")
    return {Spot(int(table), *place): float(value) for table, *place, value in rows}


def _read(name: str) -> list[list[str]]:
    """Return the rows of a file of this package."""
    text = files("gatree.paper").joinpath(name).read_text(encoding="utf-8")
    return list(csv.reader(text.splitlines()[1:]))


def paper_numbers(number: int) -> Numbers:
    """Return the published numbers of a table that can be trusted: none of Table 6."""
    if TABLES[number].is_lost:
        return {}
    return {spot: value for spot, value in published().items() if spot.table == number}


# --- what is wrong in them -------------------------------------------------------------------------


@dataclass(frozen=True)
class Erratum:
    """A remark on the published numbers of some tables."""

    tables: tuple[int, ...]
    text: str


_ERRATA = _read("errata.csv")
TABLE_ERRATA = tuple(
    Erratum(tuple(map(int, about.split())), text) for about, text in _ERRATA if about != "theory"
)
THEORY_ERRATA = tuple(text for about, text in _ERRATA if about == "theory")


def errata_of(number: int) -> list[str]:
    """Return the remarks on a published table."""
    return [erratum.text for erratum in TABLE_ERRATA if number in erratum.tables]


def stand_ins() -> dict[str, str]:
    """Return, per data set that is not the paper's own, what it stands in for."""
    return {entry.name: entry.transformations[0] for entry in catalog() if entry.origin == "stand-in"}


def stand_in_notes(datasets: Iterable[str]) -> list[str]:
    """Return the remarks on those of the data sets that are not the paper's own."""
    shown = set(datasets)
    return [f"{name}: {what[:1].lower()}{what[1:]}." for name, what in stand_ins().items() if name in shown]
