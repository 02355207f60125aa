"""What is printed: each table with its notes, the files of `gatree table all`, the comparison page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from gatree.base.atomic_write import write_whole
from gatree.base.errors import ResultError
from gatree.experiments.journal import find_journal, read_journal
from gatree.experiments.record import Record
from gatree.paper.agreement import summary
from gatree.paper.comparison import comparison
from gatree.paper.design import is_papers
from gatree.paper.errata import TABLE_ERRATA, errata_of, stand_in_notes
from gatree.paper.grids import Document, Style, caption, document
from gatree.paper.layout import TABLES
from gatree.paper.missing import missing_notes, table_3_notes
from gatree.paper.placement import placement_rows, verdicts
from gatree.paper.runs import Runs
from gatree.paper.tables import Table, our_table, paper_table
from gatree.report.formats import FORMATS, markdown
from gatree.report.grid_tables import grid_tables
from gatree.report.points import Points


def read_results(results: Path) -> tuple[Path, Runs]:
    """Return the journal that a folder of results means, and its finished cells."""
    journal = find_journal(results)
    records = read_journal(journal)
    done = Runs.of(records)
    if not done:
        failed = f" ({len(records)} failed)" if records else ""
        raise ResultError(f"{journal}: no finished cell yet{failed}; run the experiment first: gatree run")
    return journal, done


def ours(number: int, records: Sequence[Record], journal: Path, style: Style, extended: bool) -> Document:
    """Return one of our tables with the notes that belong under it."""
    table = our_table(number, records, extended)
    return document(table, style, _notes(table, records, journal))


def papers(number: int, style: Style) -> Document:
    """Return a published table with what is known to be wrong with it."""
    return document(paper_table(number), style, errata_of(number))


def compared(number: int, records: Sequence[Record], journal: Path, style: Style) -> Document:
    """Return one of our tables beside the published one, with a summary."""
    table = our_table(number, records)
    notes = [*summary(table, records), *errata_of(number), *_notes(table, records, journal)]
    return comparison(table, style, notes)


def _notes(table: Table, records: Sequence[Record], journal: Path) -> list[str]:
    about_data = stand_in_notes(row.dataset for row in table.layout.rows)
    if table.layout.number == 3:
        return [*about_data, *table_3_notes(records, journal)]
    return [*about_data, *missing_notes(table, journal)]


def write_all(
    records: Sequence[Record],
    journal: Path,
    into: Path,
    style: Style,
    formats: Iterable[str] = tuple(FORMATS),
    extended: bool = False,
) -> list[Path]:
    """Write all tables of an experiment into the folder ``tables`` of a folder.

    Those are Tables 3-12, comparison.md and placement.csv if it is the paper's, and else what its grid has.
    """
    folder = into / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    points = Points.of(records)
    is_the_papers = is_papers(records, points)
    if is_the_papers:
        documents = {f"table-{n}": ours(n, records, journal, style, extended) for n in TABLES}
    else:
        documents = grid_tables(points)
    written = []
    for stem, content in documents.items():
        for name in formats:
            ending, write = FORMATS[name]
            written.append(_write(folder / f"{stem}.{ending}", write(content)))
    if not is_the_papers:
        return written
    written.append(_write(folder / "comparison.md", comparison_page(records, style)))
    if rows := placement_rows(records):
        written.append(_write(folder / "placement.csv", pd.DataFrame(rows).to_csv(index=False)))
    return written


def _write(path: Path, text: str) -> Path:
    write_whole(path, text)
    return path


def comparison_page(records: Sequence[Record], style: Style) -> str:
    """Return the whole comparison with the paper: a summary, the errata, and every table side by side."""
    tables = {number: our_table(number, records) for number in TABLES}
    blocks = ["# Our numbers and the paper's"]
    if lines := verdicts(records):
        blocks += ["## In all", _listed(lines)]
    for table in tables.values():
        lines = summary(table, records) or ["Nothing to compare yet."]
        blocks += [f"## {caption(table.layout)}", _listed(lines)]
    notes = stand_in_notes(row.dataset for row in tables[3].layout.rows)
    blocks += ["## Data that are not the paper's own", _listed(notes)]
    blocks += ["## Known errors of the paper", _listed(erratum.text for erratum in TABLE_ERRATA)]
    blocks += ["## Side by side", "Differences are ours minus the paper's."]
    for table in tables.values():
        heading, _, grids = markdown(comparison(table, style)).rstrip("\n").partition("\n\n")
        blocks += [f"### {heading}", grids]
    return "\n\n".join(blocks) + "\n"


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
