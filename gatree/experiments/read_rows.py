"""The tidy rows of an experiment's folder, all of them or those that a user means."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gatree.errors import ResultError
from gatree.experiments.conditions import Conditions
from gatree.experiments.journal import find_journal, read_journal
from gatree.experiments.rows import COLUMNS, Row, rows_of


def chosen_rows(results: Path, where: Iterable[str] = ()) -> list[Row]:
    """Return the rows of a folder of results that fit all of ``KEY=VALUE``; the same key twice is either."""
    journal = find_journal(results)
    rows = list(rows_of(read_journal(journal)))
    if not rows:
        raise ResultError(f"{journal}: no finished cell yet; run the experiment first: gatree run")
    return Conditions[Row]("--where", COLUMNS, lambda row, name: [row[name]]).chosen(rows, where)
