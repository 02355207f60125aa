"""The part of a page that compares an experiment with the paper: tables and heat maps.

`gatree.paper.figures_section` has its figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gatree.experiments.record import Record
from gatree.paper.agreement import summary
from gatree.paper.errata import TABLE_ERRATA, stand_in_notes, stand_ins
from gatree.paper.grids import Style
from gatree.paper.heat_map import HeatMap, heat_maps
from gatree.paper.layout import TABLES
from gatree.paper.missing import missing_notes, table_3_notes
from gatree.paper.placement import verdicts
from gatree.paper.runs import Runs
from gatree.paper.switch_table import SwitchGrid, switch_grids
from gatree.paper.tables import our_table
from gatree.report.provenance import CAVEATS


@dataclass(frozen=True)
class PageTable:
    """A table with the remarks that belong under it; one that has no number of ours has no grids."""

    number: int
    grids: list[SwitchGrid]
    summary: list[str]
    missing: list[str]
    footnotes: list[int]


@dataclass(frozen=True)
class PapersSection:
    """All that is shown beside the paper's numbers."""

    highlights: list[str]
    caveats: tuple[str, ...]
    tables: list[PageTable]
    heat_maps: list[HeatMap]
    errata: list[str]
    stand_ins: list[str]


def papers_section(done: Runs, journal: Path) -> PapersSection:
    """Return the comparison of finished cells with the paper."""
    return PapersSection(
        highlights=_highlights(done),
        caveats=CAVEATS,
        tables=[_page_table(number, done, journal) for number in TABLES],
        heat_maps=heat_maps(done),
        errata=[erratum.text for erratum in TABLE_ERRATA],
        stand_ins=stand_in_notes(stand_ins()),
    )


def _highlights(done: Sequence[Record]) -> list[str]:
    """Return the few sentences that sum up the whole experiment."""
    j48 = [line for line in summary(our_table(8, done), done) if line.startswith("J48")]
    return [*summary(our_table(3, done), done), *verdicts(done)[2:], *j48]


def _page_table(number: int, done: Sequence[Record], journal: Path) -> PageTable:
    table = our_table(number, done)
    return PageTable(
        number=number,
        grids=switch_grids(table, Style()) if table.numbers else [],
        summary=summary(table, done),
        missing=table_3_notes(done, journal) if number == 3 else missing_notes(table, journal),
        footnotes=[index for index, erratum in enumerate(TABLE_ERRATA, start=1) if number in erratum.tables],
    )
