"""The tables with their notes, what they lack and the command that fills it, and the comparison page."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from gatree.data.catalog import dataset_names
from gatree.experiments.frame import Results
from gatree.paper.agreement import summary
from gatree.paper.claims import claims_grid
from gatree.paper.errata import TABLE_ERRATA, errata_of, stand_in_notes
from gatree.paper.grids import MEANING_OF_MARK, Style, caption, comparison, document
from gatree.paper.placement import verdicts
from gatree.paper.published import BASELINES, SIZES, TABLES, Spot
from gatree.paper.tables import Table, our_table, paper_table
from gatree.paper.verdict import bases, verdict
from gatree.rendering.documents import Document, markdown_grid


def ours(number: int, results: Results, style: Style, extended: bool) -> Document:
    """Return one of our tables with the notes that belong under it."""
    table = our_table(number, results, extended)
    return document(table, style, _notes(table, results))


def papers(number: int, style: Style) -> Document:
    """Return a published table with what is known to be wrong with it."""
    return document(paper_table(number), style, errata_of(number))


def compared(number: int, results: Results, style: Style) -> Document:
    """Return one of our tables next to the published one, with a summary."""
    table = our_table(number, results)
    notes = [*summary(table, results), *errata_of(number), *_notes(table, results)]
    return comparison(table, style, notes, lead=[card.sentence for card in verdict(results)])


def _notes(table: Table, results: Results) -> list[str]:
    about_data = stand_in_notes(row.dataset for row in table.layout.rows)
    return [*_seeds_note(table), *about_data, *missing_notes(table, results)]


def _seeds_note(table: Table) -> list[str]:
    """Say over how many seeds the means of a table are."""
    counts = {len(runs) for spot, runs in (table.samples or {}).items() if spot.column not in BASELINES}
    n = max(counts, default=0)
    return (
        [f"n = {n}: numbers are means over {n} seeds; seconds are those of the timed ones."] if n > 1 else []
    )


def comparison_page(results: Results, style: Style) -> str:
    """Return the whole comparison with the paper: a summary, the errata, and every table side by side."""
    tables = {number: our_table(number, results) for number in TABLES}
    blocks = ["# Our numbers and the paper's", _listed(card.sentence for card in verdict(results))]
    if grid := bases(results):
        blocks += ["## What was saved, by the data sets that count", markdown_grid(grid)]
    blocks += ["## The claims of Section 5", markdown_grid(claims_grid(results))]
    if lines := verdicts(results):
        blocks += ["## In all", _listed(lines)]
    for table in tables.values():
        lines = summary(table, results) or ["Nothing to compare yet."]
        blocks += [f"## {caption(table.layout)}", _listed(lines)]
    notes = stand_in_notes(row.dataset for row in tables[3].layout.rows)
    blocks += ["## Data that are not the paper's own", _listed(notes)]
    blocks += ["## Known errors of the paper", _listed(erratum.text for erratum in TABLE_ERRATA)]
    blocks += ["## Side by side", f"Differences are ours minus the paper's. {MEANING_OF_MARK}"]
    for table in tables.values():
        side_by_side = comparison(table, style)
        grids = [markdown_grid(grid) for grid in side_by_side.grids]
        blocks += [f"### {side_by_side.caption}", *grids]
    return "\n\n".join(blocks) + "\n"


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


_MOST_LISTED = 3


def missing_notes(table: Table, results: Results) -> list[str]:
    """Say how many numbers of a table are missing and what to run to have them."""
    means_of = TABLES[table.layout.number].means_of
    if means_of:
        return _missing_of_means([our_table(number, results) for number in means_of], results.journal)
    missing = table.missing
    known = sum(spot in table.numbers for spot in table.layout.spots)
    note = f"{len(missing)} of {known + len(missing)} numbers are missing (—)."
    return [f"{note} {_advice(missing, results.journal)}"] if missing else []


def _missing_of_means(tables: Sequence[Table], journal: Path) -> list[str]:
    """Say how many of the savings that a table has the means of are missing."""
    spots = [spot for table in tables for spot in table.layout.spots if spot.metric == "savings"]
    missing = [spot for table in tables for spot in table.missing if spot.metric == "savings"]
    note = f"These are means over {len(spots) - len(missing)} of {len(spots)} cells."
    return [f"{note} {_advice(missing, journal)}"] if missing else []


def _advice(missing: Sequence[Spot], journal: Path) -> str:
    papers = [spot for spot in missing if spot.dataset in dataset_names() and spot.column in _PAPER_COLUMNS]
    commands = fill_commands(papers, journal.parent.parent)
    if not commands:
        return "They are not part of the paper's experiment: run your own again to finish it."
    which = "them" if len(papers) == len(missing) else f"the {len(papers)} that the paper has"
    return f"To fill {which}: {' && '.join(commands)}"


def fill_commands(missing: Sequence[Spot], results: Path) -> list[str]:
    """Return the commands that run the paper's experiment for these numbers of the paper's tables.

    They may name more cells than are missing: what is done is not run again.
    """
    evolutions = [spot for spot in missing if spot.column not in BASELINES]
    baselines = [spot for spot in missing if spot.column in BASELINES]
    start = ["gatree", "run", "--config", "paper"]
    if results != Path("results"):
        start += ["--results", str(results)]
    commands = []
    if evolutions:
        kind = TABLES[evolutions[0].table].kind
        settings = [*_only("mutation", evolutions), *_only("x", evolutions)]
        where = [*_only("dataset", evolutions), *_only("column", evolutions)]
        commands.append([*start, "--only", f"kind={kind}", *settings, *where])
    if baselines:
        commands.append([*start, "--only", "kind=baseline", *_only("dataset", baselines)])
    return [shlex.join(command) for command in commands]


_PAPER_COLUMNS = (*SIZES, *BASELINES)
_CONDITIONS = {"mutation": "mutation_rate", "x": "x_factor", "dataset": "dataset", "column": "size"}


def _only(field: str, spots: Sequence[Spot]) -> list[str]:
    """Return the conditions on a field, or none if there would be many."""
    values = dict.fromkeys(str(getattr(spot, field)) for spot in spots)
    if len(values) > _MOST_LISTED:
        return []
    return [part for value in values for part in ("--only", f"{_CONDITIONS[field]}={value}")]
