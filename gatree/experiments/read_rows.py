"""The tidy rows of an experiment's folder, all of them or those that a user means."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from gatree.errors import ResultError
from gatree.experiments.conditions import Conditions
from gatree.experiments.journal import find_journal, newest_of_each
from gatree.experiments.rows import COLUMNS, Row, RowMaker
from gatree.experiments.swift_record import numbers


def read_rows(journal: Path) -> list[Row]:
    """Return the rows of the newest record of every cell; faster than by way of whole records."""
    return list(chain.from_iterable(newest_of_each(journal, numbers, RowMaker().rows)))


def chosen_rows(results: Path, where: Iterable[str] = ()) -> list[Row]:
    """Return the rows of a folder of results that fit all of ``KEY=VALUE``; the same key twice is either."""
    journal = find_journal(results)
    rows = read_rows(journal)
    if not rows:
        raise ResultError(f"{journal}: no finished cell yet; run the experiment first: gatree run")
    return Conditions[Row]("--where", COLUMNS, lambda row, name: [row[name]]).chosen(rows, where)
