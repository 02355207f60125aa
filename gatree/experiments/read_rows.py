"""The tidy rows of an experiment's folder, all of them or those that a user means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TypeVar

from gatree.base.errors import ResultError
from gatree.experiments.conditions import Conditions
from gatree.experiments.csv_rows import CsvRecords, CsvWriter
from gatree.experiments.journal import find_journal, newest_of_each
from gatree.experiments.rows import COLUMNS, Row, RowMaker
from gatree.experiments.swift_record import numbers

Found = TypeVar("Found")


def read_rows(journal: Path) -> list[Row]:
    """Return the rows of the newest record of every cell; faster than by way of whole records."""
    return list(chain.from_iterable(newest_of_each(journal, numbers, RowMaker().rows)))


def csv_text(results: Path, names: Sequence[str]) -> str:
    """Return columns of all rows of a folder of results as CSV; faster than by way of rows."""
    journal = find_journal(results)
    found = newest_of_each(journal, CsvRecords(tuple(names)), itemgetter("lines"), in_two=True)
    return CsvWriter(names).text(_some(list(chain.from_iterable(found)), journal))


def chosen_rows(results: Path, where: Iterable[str] = ()) -> list[Row]:
    """Return the rows of a folder of results that fit all of ``KEY=VALUE``; the same key twice is either."""
    journal = find_journal(results)
    rows = _some(read_rows(journal), journal)
    return Conditions[Row]("--where", COLUMNS, lambda row, name: [row[name]]).chosen(rows, where)


def _some(found: list[Found], journal: Path) -> list[Found]:
    if not found:
        raise ResultError(f"{journal}: no finished cell yet; run the experiment first: gatree run")
    return found
