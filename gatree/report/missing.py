"""What a table lacks, and the command that fills it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from gatree.data.catalog import dataset_names
from gatree.report.layout import BASELINES, SAVINGS, SIZES, Spot
from gatree.report.tables import Table

_MOST_LISTED = 3


def missing_notes(table: Table, journal: Path) -> list[str]:
    """Say how many numbers of a table are missing and what to run to have them."""
    missing = table.missing
    if not missing:
        return []
    known = sum(spot in table.numbers for spot in table.layout.spots)
    note = f"{len(missing)} of {known + len(missing)} numbers are missing (—)."
    commands = fill_commands(missing, journal.parent.parent)
    if not commands:
        return [f"{note} They are not part of the paper's experiment: run your own again to finish it."]
    return [f"{note} To fill them: {' && '.join(commands)}"]


def fill_commands(missing: Iterable[Spot], results: Path) -> list[str]:
    """Return the commands that run the paper's experiment for these numbers.

    They may name more cells than are missing: what is done is not run again.
    """
    papers = [spot for spot in missing if spot.dataset in dataset_names() and spot.column in _PAPER_COLUMNS]
    evolutions = [spot for spot in papers if spot.column not in BASELINES]
    baselines = [spot for spot in papers if spot.column in BASELINES]
    start = ["gatree", "run", "--config", "paper"]
    if results != Path("results"):
        start += ["--results", str(results)]
    commands = []
    if evolutions:
        kind = "savings" if evolutions[0].table in (3, *SAVINGS) else "cross-validation"
        settings = [*_only("mutation", evolutions), *_only("x", evolutions)]
        where = [*_only("dataset", evolutions), *_only("column", evolutions)]
        commands.append([*start, "--only", f"kind={kind}", *settings, *where])
    if baselines:
        commands.append([*start, "--only", "kind=baseline", *_only("dataset", baselines)])
    return [shlex.join(command) for command in commands]


_PAPER_COLUMNS = ("mean", *SIZES, *BASELINES)
_CONDITIONS = {"mutation": "mutation_rate", "x": "x_factor", "dataset": "dataset", "column": "size"}


def _only(field: str, spots: Sequence[Spot]) -> list[str]:
    """Return the conditions on a field, or none if there would be many."""
    values = dict.fromkeys(str(getattr(spot, field)) for spot in spots)
    values.pop("mean", None)
    if len(values) > _MOST_LISTED:
        return []
    return [part for value in values for part in ("--only", f"{_CONDITIONS[field]}={value}")]
