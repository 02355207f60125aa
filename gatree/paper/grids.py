"""Tables as grids of text: what every output format is written from.

A `Document` is one table ready to print: its caption, its grids of texts (None where a number is missing),
the same numbers as records, and the notes that belong under it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gatree.paper.layout import METRICS, Layout, Numbers, Part, Row, Spot
from gatree.paper.tables import Table

Texts = tuple[str | None, ...]


@dataclass(frozen=True)
class PrintedGrid:
    """One grid: the first `n_labels` columns are labels, the others numbers.

    Headings are one or two lines; an empty one in the upper line continues its left neighbour.
    """

    headings: tuple[tuple[str, ...], ...]
    n_labels: int
    rows: tuple[Texts, ...]
    title: tuple[str, str] | None = None
    repeats_labels: bool = False  # also where people read it


@dataclass(frozen=True)
class Document:
    """One table, ready to be written in any format."""

    caption: str
    grids: tuple[PrintedGrid, ...]
    records: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = ()
    statistics: tuple[PrintedGrid, ...] = ()  # the same where there is room for more than the mean


@dataclass(frozen=True)
class Style:
    """How numbers are written."""

    decimal_comma: bool = False
    time_decimals: int | None = None  # the paper's, or more for short times
    short_times: bool = False
    spread: bool = False  # write the standard deviation beside the mean

    def fitting(self, numbers: Numbers) -> Style:
        """Return the style of a table of ours, which may have times that the paper's decimals do not show."""
        seconds = [value for spot, value in numbers.items() if METRICS[spot.metric].is_seconds and value]
        return replace(self, short_times=min(seconds, default=1) < 0.01)

    @property
    def published(self) -> Style:
        """The same style for the paper's numbers."""
        return replace(self, short_times=False)

    def write(self, metric: str, value: float | None, signed: bool = False) -> str | None:
        """Write a number with the decimals of its kind."""
        if value is None:
            return None
        kind = METRICS[metric]
        decimals = self._time_decimals if kind.is_seconds else kind.decimals
        value = round(value, decimals) + 0.0  # no negative zero
        text = f"{value:{'+' if signed else ''}.{decimals}f}"
        return text.replace(".", ",") if self.decimal_comma else text

    @property
    def _time_decimals(self) -> int:
        if self.time_decimals is not None:
            return self.time_decimals
        return 4 if self.short_times else 2


def document(table: Table, style: Style, notes: Iterable[str] = ()) -> Document:
    """Return a table, ours or the paper's, ready to be written."""
    known = [spot for spot in table.layout.spots if spot in table.numbers]
    records = ({**as_record(spot), **_values(table, spot)} for spot in known)
    style = style.fitting(table.numbers)
    grids = (_grid(table, part, style) for part in table.layout.parts)
    statistics = (_statistics_grid(table, part, style) for part in table.layout.parts if table.samples)
    return Document(
        caption(table.layout), tuple(grids), tuple(records), tuple(notes), statistics=tuple(statistics)
    )


def _values(table: Table, spot: Spot) -> dict[str, Any]:
    """Return the published number of a place, or what our replicates have there."""
    spread = table.spread(spot)
    if spread is None:
        return {"value": rounded(table.numbers[spot])}
    return {name: rounded(value) for name, value in spread._asdict().items()}


def _grid(table: Table, part: Part, style: Style) -> PrintedGrid:
    rows = ((*labels(part, row), *(_written(table, spot, style) for spot in row.spots)) for row in part.rows)
    return PrintedGrid(part.headings, part.n_labels, tuple(rows), part.title)


def _written(table: Table, spot: Spot, style: Style) -> str | None:
    text = style.write(spot.metric, table.numbers.get(spot))
    spread = table.spread(spot) if style.spread else None
    if spread is None or spread.sd is None:
        return text
    return f"{text} ± {style.write(spot.metric, spread.sd)}"


def _statistics_grid(table: Table, part: Part, style: Style) -> PrintedGrid:
    """Return a part with a line for each statistic of a row, named in a column of its own."""
    n = part.n_labels
    first, *others = part.headings
    headings = [(*first[:n], "Statistic", *first[n:]), *((*line[:n], "", *line[n:]) for line in others)]
    rows = []
    for row in part.rows:
        spreads = [table.spread(spot) for spot in row.spots]
        counts = [str(spread.n) if spread else None for spread in spreads]
        rows.append((*labels(part, row), "n", *counts))
        for name in ("mean", "sd", "min", "max"):
            values = [getattr(spread, name, None) for spread in spreads]
            texts = [style.write(spot.metric, v) for spot, v in zip(row.spots, values, strict=True)]
            rows.append((*labels(part, row), name, *texts))
    return PrintedGrid(tuple(headings), n + 1, tuple(rows), part.title)


def caption(layout: Layout) -> str:
    """Return the line above a table."""
    return f"Table {layout.number}. {layout.caption}"


def labels(part: Part, row: Row) -> Sequence[str]:
    """Return the labels of a row; Table 3 has only the data set."""
    return (row.dataset, row.label)[: part.n_labels]


def as_record(spot: Spot) -> dict[str, Any]:
    """Return a place as the columns of published.csv."""
    return {**spot._asdict(), "mutation": float(spot.mutation)}


def rounded(value: float | None) -> float | None:
    """Return a number for JSON: unrounded, but without the noise of floating point."""
    return None if value is None else round(value, 6)
