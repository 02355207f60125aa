"""Our numbers beside the paper's, cell by cell and row by row. `gatree.paper.agreement` sums them up.

The published Table 6 is a copy of Table 4 (see `gatree.paper.errata`); what is compared there are the
means that Table 3 still holds. Differences are ours minus the paper's.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from gatree.paper.grids import Document, PrintedGrid, Style, as_record, caption, labels, rounded
from gatree.paper.layout import BASELINES, Numbers, Part, Row, Spot
from gatree.paper.published import published
from gatree.paper.tables import Table

LOST_TABLE = 6


def paper_numbers(number: int) -> Numbers:
    """Return the published numbers of a table that can be trusted: none of Table 6."""
    if number == LOST_TABLE:
        return {}
    return {spot: value for spot, value in published().items() if spot.table == number}


def comparison(ours: Table, style: Style, notes: Iterable[str] = ()) -> Document:
    """Return a table with three lines for each of the paper's: ours, the paper's, the difference.

    The last column is the row's mean, over the cells that both have (J48 left out).
    """
    paper = paper_numbers(ours.layout.number)
    style = style.fitting(ours.numbers)
    grids = tuple(_grid(ours, paper, part, style) for part in ours.layout.parts)
    records = tuple(
        {
            **as_record(spot),
            "ours": rounded(ours.numbers.get(spot)),
            "paper": paper.get(spot),
            "difference": rounded(_difference(ours.numbers.get(spot), paper.get(spot))),
        }
        for spot in ours.layout.spots
    )
    return Document(f"{caption(ours.layout)}: ours and the paper's", grids, records, tuple(notes))


def _grid(ours: Table, paper: Numbers, part: Part, style: Style) -> PrintedGrid:
    first, *others = part.headings
    n = part.n_labels
    headings = [(*first[:n], "", *first[n:], "mean"), *((*line[:n], "", *line[n:], "") for line in others)]
    rows = [line for row in part.rows for line in _lines(ours.numbers, paper, part, row, style)]
    return PrintedGrid(tuple(headings), n + 1, tuple(rows), part.title)


def _lines(ours: Numbers, paper: Numbers, part: Part, row: Row, style: Style) -> list[tuple[str | None, ...]]:
    metric = row.spots[0].metric
    our_mean, paper_mean = _row_means(ours, paper, row)
    left = [*(ours.get(spot) for spot in row.spots), our_mean]
    right = [*(paper.get(spot) for spot in row.spots), paper_mean]
    apart = [_difference(a, b) for a, b in zip(left, right, strict=True)]
    about = labels(part, row)
    return [
        (*about, "ours", *(style.write(metric, value) for value in left)),
        (*about, "paper", *(style.published.write(metric, value) for value in right)),
        (*about, "difference", *(style.published.write(metric, value, signed=True) for value in apart)),
    ]


def _row_means(ours: Numbers, paper: Numbers, row: Row) -> tuple[float | None, float | None]:
    """Return both means of a row; those of the lost Table 6 come from Table 3."""
    spots = [spot for spot in row.spots if spot.column not in BASELINES and spot in ours]
    if row.spots[0].table == LOST_TABLE:
        spot = row.spots[0]
        mean = published().get(Spot(3, spot.mutation, spot.x, spot.dataset, "mean", spot.metric))
        return _mean(ours[spot] for spot in spots), mean
    both = [spot for spot in spots if spot in paper]
    return _mean(ours[spot] for spot in both), _mean(paper[spot] for spot in both)


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None


def _difference(ours: float | None, paper: float | None) -> float | None:
    return None if ours is None or paper is None else ours - paper
