"""Tables 3-12 ready to print: ours, the paper's, or both with their differences.

The published Table 6 is a copy of Table 4 (see `gatree.paper.published`); what is compared there are the
means that Table 3 still holds. Differences are ours minus the paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from gatree.base.json_values import Json
from gatree.paper.agreement import outside_range
from gatree.paper.published import (
    BASELINES,
    METRICS,
    SIZES,
    TABLES,
    Layout,
    Numbers,
    Row,
    Setting,
    Spot,
    TablePart,
    mean_savings,
    published,
)
from gatree.paper.tables import FilledTable
from gatree.rendering.documents import Document, PrintedGrid, rounded


@dataclass(frozen=True)
class Style:
    """How numbers are written: with the paper's decimals, or more for short times."""

    spread: bool = False  # write the standard error after the mean
    time_decimals: int = 2

    def fitting(self, numbers: Numbers) -> Style:
        """Return the style of a table of ours, which may have times that the paper's decimals do not show."""
        seconds = [value for spot, value in numbers.items() if METRICS[spot.metric].is_seconds and value]
        return replace(self, time_decimals=4 if min(seconds, default=1) < 0.01 else 2)

    def write(self, metric: str, value: float | None, signed: bool = False, more: int = 0) -> str | None:
        """Write a number with the decimals of its kind, of a size with more."""
        if value is None:
            return None
        kind = METRICS[metric]
        decimals = self.time_decimals if kind.is_seconds else kind.decimals
        if metric == "size":
            decimals = 1 if signed else more  # or 15 and 15 would differ by +1
        value = round(value, decimals) + 0.0  # no negative zero
        return f"{value:{'+' if signed else ''}.{decimals}f}"

    def three(
        self, metric: str, ours: float | None, paper: float | None, mark: str = ""
    ) -> tuple[str | None, str | None, str | None]:
        """Write a number of ours, the published one with its mark, and their difference."""
        printed = Style().write(metric, paper)
        apart = Style().write(metric, _difference(ours, paper), signed=True)
        return self.write(metric, ours), printed and printed + mark, apart


def document(table: FilledTable, style: Style, notes: Iterable[str] = ()) -> Document:
    """Return a table, ours or the paper's, ready to be written."""
    known = [spot for spot in table.layout.spots if spot in table.numbers]
    records = ({**as_record(spot), **_values(table, spot)} for spot in known)
    style = style.fitting(table.numbers)
    grids = (_grid(table, part, style) for part in table.layout.parts)
    with_statistics = table.layout.parts if table.samples else ()
    statistics = (
        _grid_of_lines(part, lambda row: _statistics(table, row, style), "Statistic")
        for part in with_statistics
    )
    return Document(
        caption(table.layout), tuple(grids), tuple(records), tuple(notes), statistics=tuple(statistics)
    )


def _values(table: FilledTable, spot: Spot) -> dict[str, Json]:
    """Return the published number of a place, or what our replicates have there."""
    spread = table.spread(spot)
    if spread is None:
        return {"value": rounded(table.numbers[spot])}
    return {name: rounded(value) for name, value in spread._asdict().items()}


def _grid(table: FilledTable, part: TablePart, style: Style) -> PrintedGrid:
    rows = ((*labels(part, row), *(_written(table, spot, style) for spot in row.spots)) for row in part.rows)
    return PrintedGrid(part.headings, part.n_labels, tuple(rows), part.title)


def _written(table: FilledTable, spot: Spot, style: Style) -> str | None:
    text = style.write(spot.metric, table.numbers.get(spot))
    spread = table.spread(spot) if style.spread else None
    if spread is None or spread.sd is None:
        return text
    return f"{text} ± {style.write(spot.metric, spread.standard_error, more=1)}"


Lines = Mapping[str, Sequence[str | None]]
"""The lines of a row: by what each of them shows, its texts."""


def _grid_of_lines(
    part: TablePart, lines: Callable[[Row], Lines], heading: str = "", last: tuple[str, ...] = ()
) -> PrintedGrid:
    """Return a part with several lines for a row, named in a column of their own."""
    n = part.n_labels
    first, *others = part.headings
    headings = [(*first[:n], heading, *first[n:], *last)]
    headings += [(*line[:n], "", *line[n:], *("" for _ in last)) for line in others]
    rows = [(*labels(part, row), name, *texts) for row in part.rows for name, texts in lines(row).items()]
    return PrintedGrid(tuple(headings), n + 1, tuple(rows), part.title)


def _statistics(table: FilledTable, row: Row, style: Style) -> Lines:
    """Return a line for each statistic of a row."""
    spreads = [table.spread(spot) for spot in row.spots]
    known = list(zip(row.spots, spreads, strict=True))
    return {
        "n": [str(spread.n) if spread else None for spread in spreads],
        **{
            name: [style.write(spot.metric, getattr(spread, name, None)) for spot, spread in known]
            for name in ("mean", "sd", "min", "max")
        },
    }


def caption(layout: Layout) -> str:
    """Return the line above a table; one that is not the paper's has no number."""
    if not layout.number:
        return layout.caption
    return f"Table {layout.number}. {layout.caption}"


def labels(part: TablePart, row: Row) -> Sequence[str]:
    """Return the labels of a row; Table 3 has only the data set."""
    return (row.dataset, row.label)[: part.n_labels]


def as_record(spot: Spot) -> dict[str, Json]:
    """Return a place as the columns of published.csv."""
    if not spot.table:
        return {name: getattr(spot, name) for name in ("dataset", "column", "metric")}
    return {**spot._asdict(), "mutation": float(spot.mutation)}


OUTSIDE = "‡"
MEANING_OF_MARK = f"{OUTSIDE} marks a published number outside the 95 % prediction interval of our runs."


def comparison(ours: FilledTable, style: Style, notes: Iterable[str] = ()) -> Document:
    """Return a table with three lines for each of the paper's: ours, the paper's, the difference.

    A published number outside the prediction interval of our runs is marked. The last column is the row's
    mean, over the cells that both have (J48 left out).
    """
    paper, outside = ours.papers, outside_range(ours)
    style = style.fitting(ours.numbers)

    def lines(row: Row) -> Lines:
        metric = row.spots[0].metric
        cells = [
            style.three(metric, ours.numbers.get(spot), paper.get(spot), OUTSIDE * (spot in outside))
            for spot in row.spots
        ]
        mean = style.three(metric, *_row_means(ours.numbers, paper, row))
        return dict(zip(("ours", "paper", "difference"), zip(*cells, mean, strict=True), strict=True))

    grids = tuple(_grid_of_lines(part, lines, last=("mean",)) for part in ours.layout.parts)
    records = tuple(
        {
            **as_record(spot),
            "ours": rounded(ours.numbers.get(spot)),
            "paper": paper.get(spot),
            "difference": rounded(_difference(ours.numbers.get(spot), paper.get(spot))),
            "outside": spot in outside,
        }
        for spot in ours.layout.spots
    )
    marked = [MEANING_OF_MARK] if outside else []
    return Document(f"{caption(ours.layout)}: ours and the paper's", grids, records, (*marked, *notes))


def _row_means(ours: Numbers, paper: Numbers, row: Row) -> tuple[float | None, float | None]:
    """Return both means of a row; those of the lost Table 6 come from Table 3."""
    spots = [spot for spot in row.spots if spot.column not in BASELINES and spot in ours]
    spot = row.spots[0]
    if TABLES[spot.table].is_lost and {spot.column for spot in spots} == set(SIZES):
        of_savings = mean_savings(Setting(spot.mutation, spot.x), spot.dataset)
        mean = published().get(of_savings._replace(metric=spot.metric))
        return _mean(ours[spot] for spot in spots), mean
    both = [spot for spot in spots if spot in paper]
    return _mean(ours[spot] for spot in both), _mean(paper[spot] for spot in both)


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None


def _difference(ours: float | None, paper: float | None) -> float | None:
    return None if ours is None or paper is None else ours - paper
