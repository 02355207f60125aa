"""What is printed: each table with its notes, the files of `gatree table all`, the comparison page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from gatree.errors import ResultError
from gatree.experiments.journal import find_journal, read_journal
from gatree.report.compare import comparison, summary
from gatree.report.errata import errata_of, stand_in_notes
from gatree.report.formats import FORMATS, markdown
from gatree.report.grids import Document, Style, document
from gatree.report.layout import TABLES
from gatree.report.missing import missing_notes
from gatree.report.tables import Record, Table, our_table, paper_table


def read_results(results: Path) -> tuple[Path, list[Record]]:
    """Return the journal that a folder of results means, and its finished cells."""
    journal = find_journal(results)
    records = read_journal(journal)
    done = [record for record in records if record["status"] == "done"]
    if not done:
        failed = f" ({len(records)} failed)" if records else ""
        raise ResultError(f"{journal}: no finished cell yet{failed}; run the experiment first: gatree run")
    return journal, done


def ours(number: int, records: Sequence[Record], journal: Path, style: Style, extended: bool) -> Document:
    """Return one of our tables with the notes that belong under it."""
    table = our_table(number, records, extended)
    return document(table, style, [*_data_notes(table), *missing_notes(table, journal)])


def papers(number: int, style: Style) -> Document:
    """Return a published table with what is known to be wrong with it."""
    return document(paper_table(number), style, errata_of(number))


def compared(number: int, records: Sequence[Record], journal: Path, style: Style, extended: bool) -> Document:
    """Return one of our tables beside the published one, with a summary."""
    table = our_table(number, records, extended)
    notes = [
        *summary(table, records),
        *errata_of(number),
        *_data_notes(table),
        *missing_notes(table, journal),
    ]
    return comparison(table, style, notes)


def _data_notes(table: Table) -> list[str]:
    return stand_in_notes(row.dataset for row in table.layout.rows)


def write_all(
    records: Sequence[Record],
    journal: Path,
    style: Style,
    formats: Iterable[str] = tuple(FORMATS),
    extended: bool = False,
    compare: bool = False,
) -> list[Path]:
    """Write Tables 3-12 in all formats, and comparison.md, into the folder ``tables`` beside a journal."""
    folder = journal.parent / "tables"
    folder.mkdir(exist_ok=True)
    written = []
    for number in TABLES:
        versions = {f"table-{number}": ours(number, records, journal, style, extended)}
        if compare:
            versions[f"table-{number}-compared"] = compared(number, records, journal, style, extended)
        for stem, content in versions.items():
            for name in formats:
                ending, write = FORMATS[name]
                written.append(_write(folder / f"{stem}.{ending}", write(content)))
    written.append(_write(folder / "comparison.md", comparison_page(records, style)))
    return written


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def comparison_page(records: Sequence[Record], style: Style) -> str:
    """Return a page that says, table by table, how our numbers compare with the paper's."""
    tables = {number: our_table(number, records) for number in TABLES}
    blocks = ["# Our numbers and the paper's"]
    for number, table in tables.items():
        lines = [*summary(table, records), *errata_of(number)]
        blocks += [f"## Table {number}", *(f"- {line}" for line in lines or ["nothing to compare yet"])]
    notes = stand_in_notes(row.dataset for row in tables[3].layout.rows)
    blocks += ["## Data that are not the paper's own", *(f"- {note}" for note in notes)]
    blocks += ["## Table 3, side by side", markdown(comparison(tables[3], style)).partition("\n\n")[2]]
    return "\n".join(_spaced(blocks)).rstrip("\n") + "\n"


def _spaced(blocks: Sequence[str]) -> Iterable[str]:
    """Yield the lines with an empty one around every heading."""
    for index, block in enumerate(blocks):
        if block.startswith("#") and index:
            yield ""
        yield block
        if block.startswith("#"):
            yield ""
