"""The tables with their notes, what they lack and the command that fills it, and the comparison page.

The verdict on the reproduction comes before all details: four cards, each a number and a sentence.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gatree.data.catalog import dataset_names
from gatree.experiments.frame import Results
from gatree.paper.agreement import baseline_match, paper_time_saved, summary, time_saved
from gatree.paper.errata import TABLE_ERRATA, errata_of, stand_in_notes
from gatree.paper.grids import MEANING_OF_MARK, Style, caption, comparison, document
from gatree.paper.placement import IMPOSSIBLE, KINDS, placement, verdicts
from gatree.paper.published import BASELINES, SAVINGS, SIZES, TABLES, Spot
from gatree.paper.tables import Table, our_table, paper_table
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


@dataclass(frozen=True)
class Card:
    """One statement: what it is about, its number, and what the number means."""

    title: str
    value: str
    text: str

    @property
    def sentence(self) -> str:
        return f"{self.title}: {self.value}. {self.text}"


def verdict(results: Results) -> list[Card]:
    """Return the four cards, as far as the results tell: savings, ranges, J48, errors of the paper."""
    cards = (_saved(results), _inside(results), _j48(results), _errors())
    return [card for card in cards if card is not None]


def _saved(results: Results) -> Card | None:
    ours, paper = time_saved(results, SAVINGS.values()), paper_time_saved(SAVINGS.values())
    if ours is None or paper is None:
        return None
    return Card(
        "Instances saved",
        f"{ours.mean_instances:.1f} % (the paper: {paper.mean_instances:.1f} %)",
        f"The mean over Tables 4-7. Of the total time {ours.total_time:.0f} % is saved "
        f"(the paper: {paper.total_time:.0f} %).",
    )


def _inside(results: Results) -> Card | None:
    parts, counts = [], []
    for what, tables, metric in KINDS[1:]:
        placed = placement(tables, metric, results).without(IMPOSSIBLE)
        if placed.numbers:
            parts.append(f"{placed.n_inside} of {len(placed.numbers)} {what.partition(' (')[0]}")
            counts += [len(number.runs) for number in placed.numbers]
    if not parts:
        return None
    return Card(
        "Published numbers inside the range of our runs",
        ", ".join(parts),
        f"The range holds 95 % of our runs (n = {_span(counts)}). {IMPOSSIBLE} is left out: its published "
        "rows are impossible.",
    )


def _span(counts: Iterable[int]) -> str:
    known = sorted(set(counts))
    return str(known[0]) if len(known) == 1 else f"{known[0]} to {known[-1]}"


def _j48(results: Results) -> Card | None:
    match = baseline_match(our_table(8, results))
    if not match.n_cells:
        return None
    apart = Counter(spot.dataset for spot, _, _ in match.different)
    which = ", ".join(f"{dataset} {n}" for dataset, n in apart.most_common())
    return Card(
        "J48's columns",
        f"{match.n_equal} of {match.n_cells} numbers equal as printed",
        f"Different: {which}." if which else "Accuracies and sizes are WEKA's, digit for digit.",
    )


def _errors() -> Card:
    return Card(
        "Wrong in the paper",
        f"{len(TABLE_ERRATA)} errors",
        f"Among them: Table 6 is a copy of Table 4, and most rows of {IMPOSSIBLE} are impossible for trees "
        "of their size.",
    )
