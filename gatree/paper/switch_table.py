"""Tables for a page in which one can switch between our numbers, the published ones and the differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from gatree.paper.comparison import paper_numbers
from gatree.paper.grids import Style, caption
from gatree.paper.layout import Numbers, Part, Row, Spot
from gatree.paper.published import published
from gatree.paper.tables import Table

MISSING = "—"


@dataclass(frozen=True)
class Heading:
    """A cell of the head: what it says, how far it reaches, and the column it sorts (or None)."""

    text: str
    column: int | None
    colspan: int = 1
    rowspan: int = 1


@dataclass(frozen=True)
class SwitchCell:
    """The three texts of one number."""

    ours: str
    paper: str
    difference: str


@dataclass(frozen=True)
class Line:
    """One row: what it shows, and its numbers."""

    label: str
    cells: tuple[SwitchCell, ...]


@dataclass(frozen=True)
class Group:
    """The rows of one data set."""

    dataset: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class SwitchGrid:
    """One grid of a table; the caption tells it from the others on the page."""

    caption: str
    head: tuple[tuple[Heading, ...], ...]
    groups: tuple[Group, ...]
    n_labels: int

    @property
    def labels(self) -> list[str]:
        """The kinds of rows, in their order."""
        return list(dict.fromkeys(line.label for group in self.groups for line in group.lines))


def switch_grids(table: Table, style: Style) -> list[SwitchGrid]:
    """Return the grids of one of our tables together with the published numbers."""
    title, style = caption(table.layout), style.fitting(table.numbers)
    return [
        SwitchGrid(
            caption=title if part.title is None else f"{title}: {' '.join(part.title).lower()}",
            head=_head(part),
            groups=tuple(_groups(table, part, style)),
            n_labels=part.n_labels,
        )
        for part in table.layout.parts
    ]


def _head(part: Part) -> tuple[tuple[Heading, ...], ...]:
    """Return the lines of the head; empty headings of the paper's layout become wider or higher cells."""
    *above, lowest = part.headings
    labels = ("Dataset", "Measure")[: part.n_labels]
    height = len(part.headings)
    first = [Heading(text, None if index else 0, rowspan=height) for index, text in enumerate(labels)]
    if not above:
        return (*_with(first, [Heading(text, i) for i, text in _numbered(lowest, part.n_labels)]),)
    upper: list[Heading] = []
    for column, text in _numbered(above[0], part.n_labels):
        if not lowest[column]:
            upper.append(Heading(text, column, rowspan=height))
        elif text:
            upper.append(Heading(text, None))
        else:
            last = upper.pop()
            upper.append(Heading(last.text, None, colspan=last.colspan + 1))
    lower = [Heading(text, column) for column, text in _numbered(lowest, part.n_labels) if text]
    return (*_with(first, upper), tuple(lower))


def _numbered(texts: Sequence[str], n_labels: int) -> list[tuple[int, str]]:
    return list(enumerate(texts))[n_labels:]


def _with(first: list[Heading], others: list[Heading]) -> tuple[tuple[Heading, ...]]:
    return ((*first, *others),)


def _groups(table: Table, part: Part, style: Style) -> list[Group]:
    trusted = paper_numbers(table.layout.number)
    return [
        Group(dataset, tuple(Line(row.label, _cells(table.numbers, trusted, row, style)) for row in rows))
        for dataset, rows in groupby(part.rows, key=lambda row: row.dataset)
    ]


def _cells(ours: Numbers, trusted: Numbers, row: Row, style: Style) -> tuple[SwitchCell, ...]:
    return tuple(_cell(ours, trusted, spot, style) for spot in row.spots)


def _cell(ours: Numbers, trusted: Numbers, spot: Spot, style: Style) -> SwitchCell:
    """Return the texts for a place. All that was printed is shown; what cannot be trusted is not compared."""
    mine, paper = ours.get(spot), trusted.get(spot)
    apart = None if mine is None or paper is None else mine - paper
    return SwitchCell(
        ours=style.write(spot.metric, mine) or MISSING,
        paper=style.published.write(spot.metric, published().get(spot)) or MISSING,
        difference=style.published.write(spot.metric, apart, signed=True) or MISSING,
    )
