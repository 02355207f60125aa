"""The tables with their notes, what they lack and how to fill it, and the comparison with the paper.

The comparison is a document per table, a page in Markdown, and a part of the experiment's page: verdict,
claims, and tables in which one can switch between our numbers, the published ones and the differences.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from gatree.data.catalog import dataset_names
from gatree.experiments.frame import Results
from gatree.paper.agreement import agreement, baseline_notes, outside_range, saved_work
from gatree.paper.claims import claims_grid
from gatree.paper.definitions import definition, departure_lines
from gatree.paper.grids import MEANING_OF_MARK, OUTSIDE, Style, caption, comparison, document
from gatree.paper.published import (
    BASELINES,
    SIZES,
    TABLE_ERRATA,
    TABLES,
    Row,
    Spot,
    TablePart,
    errata_of,
    published,
    stand_in_notes,
    stand_ins,
)
from gatree.paper.tables import FilledTable, our_table, paper_table
from gatree.paper.verdict import verdict
from gatree.rendering.documents import MISSING, Document, PrintedGrid, flat_headings, markdown_grid

# --- documents --------------------------------------------------------------------------------------


def ours(number: int, results: Results, style: Style, with_papers: bool = False) -> Document:
    """Return one of our tables with the notes that belong under it, and above it what is not the paper's."""
    table = our_table(number, results, with_papers)
    lead = tuple(departure_lines(results, [number]))
    return replace(document(table, style, _notes(table, results, style)), lead=lead)


def papers(number: int, style: Style) -> Document:
    """Return a published table with what is known to be wrong with it."""
    return document(paper_table(number), style, [definition(number), *errata_of(number)])


def compared(number: int, results: Results, style: Style, with_papers: bool = False) -> Document:
    """Return one of our tables next to the published one, with the verdict and how far they agree."""
    table = our_table(number, results, with_papers)
    notes = [*baseline_notes(table), *errata_of(number), *_notes(table, results, style)]
    apart = departure_lines(results, [number])
    below = () if apart else tuple(_agreement(number, results))
    lead = tuple(apart or [card.sentence for card in verdict(results)])
    return replace(comparison(table, style, notes), lead=lead, below=below)


def _agreement(number: int, results: Results) -> list[PrintedGrid]:
    """Return how far a table agrees with the published one, and what was saved in its cells."""
    is_about_savings = TABLES[number].kind == "savings"
    return [*agreement(results, number), *(saved_work(results, number) if is_about_savings else [])]


def _notes(table: FilledTable, results: Results, style: Style) -> list[str]:
    """Say what the numbers are, over how many seeds, which data are not the paper's, and what is missing."""
    n = max((len(runs) for spot, runs in table.samples.items() if spot.column not in BASELINES), default=0)
    seeds = means_notes(n, style)
    if seeds and any(spot.column in BASELINES for spot in table.numbers):
        seeds = [f"{seeds[0]} J48 has no seed: n = 1."]
    about_data = stand_in_notes(row.dataset for row in table.layout.rows)
    line = definition(table.layout.number, results)
    missing = [] if results.is_part else missing_notes(table, results)
    return [line, *seeds, *about_data, *missing]


def means_notes(n: int, style: Style, runs: str = "seeds") -> list[str]:
    """Say over how many runs the means are, if over several."""
    error = " ± is the standard error of the mean." if style.spread else ""
    note = f"n = {n}: numbers are means over {n} {runs}; seconds are those of the timed ones.{error}"
    return [note] if n > 1 else []


def comparison_page(results: Results, style: Style) -> str:
    """Return the whole comparison with the paper: a summary, the errata, and every table side by side."""
    tables = {number: our_table(number, results) for number in TABLES}
    grids = {
        "What was saved": saved_work(results),
        "The claims of Section 5": [claims_grid(results)],
        "How our numbers agree with the published ones": agreement(results),
        "Known errors of the paper, and other remarks": [_remarks(tables)],
    }
    cards = tuple((card.title, card.value, card.text) for card in verdict(results))
    summary = markdown_grid(_texts(("About", "Verdict", "Meaning"), cards))
    blocks = ["# Our numbers and the paper's", *(departure_lines(results) or [summary])]
    for title, some in grids.items():
        blocks += [f"## {title}", *map(markdown_grid, some)] if some else []
    blocks += ["## Side by side", f"Differences are ours minus the paper's. {MEANING_OF_MARK}"]
    for table in tables.values():
        side_by_side = comparison(table, style)
        blocks += [f"### {side_by_side.caption}", *map(markdown_grid, side_by_side.grids)]
    return "\n\n".join(blocks) + "\n"


def _remarks(tables: Mapping[int, FilledTable]) -> PrintedGrid:
    """Return what is wrong in the published tables, which data are not the paper's, and where J48 differs."""
    rows = [(f"Table {', '.join(map(str, erratum.tables))}", erratum.text) for erratum in TABLE_ERRATA]
    rows += [("our data", text) for text in stand_in_notes(row.dataset for row in tables[3].layout.rows)]
    rows += [("J48", text) for text in baseline_notes(tables[8])]
    return _texts(("About", "Remark"), tuple(rows))


def _texts(headings: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> PrintedGrid:
    return PrintedGrid((headings,), len(headings), rows, repeats_labels=True)


# --- what is missing --------------------------------------------------------------------------------

_MOST_LISTED = 3
_PAPERS_RUNS = ("paper", "reference")


def missing_notes(table: FilledTable, results: Results) -> list[str]:
    """Say how many numbers of a table are missing, or those it has the means of, and what to run for them."""
    number = table.layout.number
    means_of = TABLES[number].means_of
    tables = [our_table(number, results, with_papers=True) for number in means_of or (number,)]
    spots = {spot for one in tables for spot in one.layout.spots if not means_of or spot.metric == "savings"}
    missing = [spot for one in tables for spot in one.missing if spot in spots]
    if means_of:
        notes = [f"These are means over {len(spots) - len(missing)} of {len(spots)} cells."]
    else:
        n_shown, n_more = len(table.missing), len(missing) - len(table.missing)
        notes = [f"{n_shown} of {len(table.layout.spots)} numbers are missing (—)."] if n_shown else []
        notes += [f"The paper's table has {n_more} more (--all)."] if n_more else []
    return [" ".join([*notes, _advice(missing, results.journal)])] if missing else []


def _advice(missing: Sequence[Spot], journal: Path) -> str:
    papers = [spot for spot in missing if spot.dataset in dataset_names() and spot.column in _PAPER_COLUMNS]
    commands = fill_commands(papers, journal.parent.parent)
    if not commands:
        return f"They are not part of the paper's experiment: run {journal.parent.name} again to finish it."
    which = "them" if len(papers) == len(missing) else f"{len(papers)} of them"
    other = "" if journal.parent.name in _PAPERS_RUNS else f" (this is {journal.parent.name})"
    return f"The paper's experiment has {which}{other}: {' && '.join(commands)}"


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


# --- the part of a page -----------------------------------------------------------------------------

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


class SwitchCell(NamedTuple):
    """The three texts of one number."""

    ours: str
    paper: str
    difference: str
    outside: bool = False  # the published number lies outside the prediction interval of our runs


class SwitchGrid(NamedTuple):
    """One grid of a table; the caption tells it from the others on the page."""

    caption: str
    headings: list[str]
    measures: list[str]  # the kinds of rows, if there are several
    groups: list[
        tuple[str, list[tuple[str, list[SwitchCell]]]]
    ]  # by data set: measure and numbers of each row


def papers_section(results: Results) -> dict[str, object]:
    """Return the comparison of finished cells with the paper, for the template of the page."""
    return {
        "verdict": verdict(results),
        "departures": departure_lines(results),
        "claims": claims_grid(results),
        "agreement": [*saved_work(results), *agreement(results)],
        "caveats": CAVEATS,
        "tables": [_page_table(number, results) for number in TABLES],
        "errata": [erratum.text for erratum in TABLE_ERRATA],
        "stand_ins": stand_in_notes(stand_ins()),
    }


def _page_table(number: int, results: Results) -> dict[str, object]:
    """Return a table with what belongs under it; one that has no number of ours has no grids."""
    table = our_table(number, results)
    return {
        "number": number,
        "caption": caption(table.layout),
        "grids": switch_grids(table, Style()) if table.numbers else [],
        "agreement": _agreement(number, results),
        "notes": [definition(number, results), *baseline_notes(table)],
        "missing": missing_notes(table, results),
        "footnotes": [n for n, erratum in enumerate(TABLE_ERRATA, start=1) if number in erratum.tables],
    }


def switch_grids(table: FilledTable, style: Style) -> list[SwitchGrid]:
    """Return the grids of one of our tables together with the published numbers.

    All that was printed is shown; what cannot be trusted is not compared.
    """
    title, style = caption(table.layout), style.fitting(table.numbers)
    outside = outside_range(table)

    def cell(spot: Spot) -> SwitchCell:
        is_outside = spot in outside
        there = table.papers.get(spot, published().get(spot))
        texts = style.three(spot.metric, table.numbers.get(spot), there, OUTSIDE * is_outside)
        ours, paper, difference = (text or MISSING for text in texts)
        return SwitchCell(ours, paper, difference if spot in table.papers else MISSING, is_outside)

    def line(row: Row) -> tuple[str, list[SwitchCell]]:
        return row.label, [cell(spot) for spot in row.spots]

    def grid(part: TablePart) -> SwitchGrid:
        groups = groupby(part.rows, key=lambda row: row.dataset)
        return SwitchGrid(
            caption=title if part.title is None else f"{title}: {' '.join(part.title).lower()}",
            headings=[
                *("Dataset", "Measure")[: part.n_labels],
                *flat_headings(part.headings, joined=part.title is None)[part.n_labels :],
            ],
            measures=list(dict.fromkeys(row.label for row in part.rows)) if part.n_labels > 1 else [],
            groups=[(dataset, list(map(line, rows))) for dataset, rows in groups],
        )

    return [grid(part) for part in table.layout.parts]
