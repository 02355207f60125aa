"""Tidy rows as lines of CSV, made from rows, or straight from the lines of a journal."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import takewhile
from operator import itemgetter
from typing import Any

from gatree.experiments.record import Record
from gatree.experiments.rows import REPEATED_COLUMNS, Row, RowMaker
from gatree.experiments.swift_record import numbers


class CsvWriter:
    """Writes some columns. Settings at the end, the same in many rows, are written only once."""

    def __init__(self, names: Sequence[str]) -> None:
        settings = list(takewhile(REPEATED_COLUMNS.__contains__, reversed(names)))[::-1]
        others = names[: len(names) - len(settings)]
        if len(others) < 2:  # csv writes one value alone in quotes if it is empty
            others, settings = names, []
        self._names = names
        self._others, self._settings = _getter(others), _getter(settings)
        self._ends: dict[tuple[Any, ...], str] = {}
        self._written = _Lines()
        self._write = csv.writer(self._written, lineterminator="").writerow

    def text(self, lines: Iterable[str]) -> str:
        """Return lines with their header, as a file has them."""
        return "\n".join([self._line(self._names), *lines, ""])

    def lines(self, rows: Iterable[Row]) -> list[str]:
        """Return a line for each row."""
        return [self._line(self._others(row)) + self._end(self._settings(row)) for row in rows]

    def _line(self, values: Sequence[Any]) -> str:
        self._write(values)
        return self._written.pop()

    def _end(self, settings: tuple[Any, ...]) -> str:
        if settings not in self._ends:
            self._ends[settings] = self._line(("", *settings)) if settings else ""
        return self._ends[settings]


class _Lines(list[str]):
    """What a csv.writer has written, line by line."""

    write = list.append


def _getter(names: Sequence[str]) -> Callable[[Row], tuple[Any, ...]]:
    if len(names) > 1:
        return itemgetter(*names)
    return lambda row: tuple(row[name] for name in names)


class CsvRecords:
    """Reads lines of a journal; what is left of a record is what tells its cell, and its lines of CSV."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def __reduce__(self) -> tuple[Any, ...]:
        return CsvRecords, (self._names,)  # a second process has a writer of its own

    @cached_property
    def _writer(self) -> CsvWriter:
        return CsvWriter(self._names)

    @cached_property
    def _maker(self) -> RowMaker:
        return RowMaker()

    def __call__(self, line: bytes) -> Record:
        record = numbers(line)
        lines = self._writer.lines(self._maker.rows(record))
        return {"key": record["key"], "cell": record["cell"], "status": record["status"], "lines": lines}
