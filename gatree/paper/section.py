"""The part of a page that compares an experiment with the paper: verdict, claims and tables.

In its tables one can switch between our numbers, the published ones and the differences. The figures are in
`gatree.paper.figures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from gatree.experiments.frame import Results
from gatree.paper.agreement import summary
from gatree.paper.claims import Claim, claims
from gatree.paper.errata import TABLE_ERRATA, stand_in_notes, stand_ins
from gatree.paper.grids import OUTSIDE, Style, caption
from gatree.paper.placement import outside_range, verdicts
from gatree.paper.publish import missing_notes
from gatree.paper.published import TABLES, Numbers, Part, Row, Spot, paper_numbers, published
from gatree.paper.tables import Table, our_table
from gatree.paper.verdict import Card, verdict
from gatree.rendering.documents import MISSING

CITATION = (
    "D. Kalles and A. Papagelis, Lossless fitness inheritance in genetic algorithms for decision trees, "
    "Soft Computing 14(9):973-993, 2010, doi 10.1007/s00500-009-0489-y"
)
CAVEATS = (
    "The paper does not print the settings of its genetic algorithm; those used here are listed below.",
    "Each published number is one run; ours are means over the seeds, where there are several.",
    "Two data sets stand in for the paper's (†) and are left out of the comparisons.",
    "The published rows of kr-vs-kp are impossible for trees of the printed sizes: see the notes.",
    "Seconds are those of the machine below; only ratios compare.",
)


@dataclass(frozen=True)
class PageTable:
    """A table with the remarks that belong under it; one that has no number of ours has no grids."""

    number: int
    caption: str
    grids: list[SwitchGrid]
    summary: list[str]
    missing: list[str]
    footnotes: list[int]


@dataclass(frozen=True)
class PapersSection:
    """Everything that is shown next to the paper's numbers."""

    verdict: list[Card]
    claims: list[Claim]
    highlights: list[str]
    caveats: tuple[str, ...]
    tables: list[PageTable]
    errata: list[str]
    stand_ins: list[str]


def papers_section(results: Results) -> PapersSection:
    """Return the comparison of finished cells with the paper."""
    return PapersSection(
        verdict=verdict(results),
        claims=claims(results),
        highlights=_highlights(results),
        caveats=CAVEATS,
        tables=[_page_table(number, results) for number in TABLES],
        errata=[erratum.text for erratum in TABLE_ERRATA],
        stand_ins=stand_in_notes(stand_ins()),
    )


def _highlights(results: Results) -> list[str]:
    """Return the few sentences that sum up the whole experiment."""
    j48 = [line for line in summary(our_table(8, results), results) if line.startswith("J48")]
    return [*summary(our_table(3, results), results), *verdicts(results)[2:], *j48]


def _page_table(number: int, results: Results) -> PageTable:
    table = our_table(number, results)
    return PageTable(
        number=number,
        caption=caption(table.layout),
        grids=switch_grids(table, Style()) if table.numbers else [],
        summary=summary(table, results),
        missing=missing_notes(table, results),
        footnotes=[index for index, erratum in enumerate(TABLE_ERRATA, start=1) if number in erratum.tables],
    )


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
    outside: bool = False  # the published number lies outside the range of our runs


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
        return ((*first, *(Heading(text, i) for i, text in _numbered(lowest, part.n_labels))),)
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
    return ((*first, *upper), tuple(lower))


def _numbered(texts: Sequence[str], n_labels: int) -> list[tuple[int, str]]:
    return list(enumerate(texts))[n_labels:]


def _groups(table: Table, part: Part, style: Style) -> list[Group]:
    trusted, outside = paper_numbers(table.layout.number), outside_range(table)

    def cells(row: Row) -> tuple[SwitchCell, ...]:
        return tuple(_cell(table.numbers, trusted, spot, style, spot in outside) for spot in row.spots)

    return [
        Group(dataset, tuple(Line(row.label, cells(row)) for row in rows))
        for dataset, rows in groupby(part.rows, key=lambda row: row.dataset)
    ]


def _cell(ours: Numbers, trusted: Numbers, spot: Spot, style: Style, is_outside: bool) -> SwitchCell:
    """Return the texts for a place. All that was printed is shown; what cannot be trusted is not compared."""
    mine, paper = ours.get(spot), trusted.get(spot)
    apart = None if mine is None or paper is None else mine - paper
    return SwitchCell(
        ours=style.write(spot.metric, mine) or MISSING,
        paper=(style.published.write(spot.metric, published().get(spot)) or MISSING) + OUTSIDE * is_outside,
        difference=style.published.write(spot.metric, apart, signed=True) or MISSING,
        outside=is_outside,
    )
