"""CSV files as records: what separates their values, their header, and their cells column by column."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from gatree.base.errors import DataError
from gatree.base.limits import MOST_CELLS, refuse_above
from gatree.data.files import WHOLE, Text, looked_through, open_text

TAB_SEPARATED = (".tsv", ".tsv.gz")
ENDINGS = (".csv", ".csv.gz", *TAB_SEPARATED)
"""How the names of CSV files end."""

_SEPARATORS = (",", ";", "\t", "|")
_ROWS_TO_SEE = 20
_ROWS_AT_A_TIME = 4096
_DECLARED = re.compile(r'"?sep=([^"\r\n])"?\n?', re.IGNORECASE)  # as spreadsheets write it above the header
_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?\s*")


@dataclass(frozen=True)
class CsvFile:
    """A CSV file of which it is known what separates its values.

    With semicolons, a comma in a number is read as its decimal point.
    """

    path: str | Path
    separator: str
    text: Text
    n_above: int = 0  # lines above the header

    @classmethod
    def of(cls, path: str | Path, separator: str | None = None, text: Text = WHOLE) -> CsvFile:
        """Return a file; what separates its values is found out, and its encoding, unless they are given."""
        if text.encoding is None:
            text = looked_through(path, text)
        if declared := _declared_separator(path, text):
            return cls(path, separator or declared, text, n_above=1)
        if separator is None:
            separator = "\t" if str(path).lower().endswith(TAB_SEPARATED) else _separator_of(path, text)
        return cls(path, separator, text)

    @contextmanager
    def lines(self) -> Iterator[TextIO]:
        """Open the file at its header."""
        with open_text(self.path, self.text) as file:
            for _ in range(self.n_above):
                file.readline()
            yield file

    @contextmanager
    def records(self, lines: Iterable[str], n_before: int = 0) -> Iterator[Any]:
        """Read lines as records; what is no CSV is named by its line. Some came before, the header first."""
        is_blank = self.separator == " "
        reader = csv.reader(lines, delimiter=self.separator, skipinitialspace=not is_blank, strict=True)
        try:
            yield reader
        except csv.Error as error:
            line = self.n_above + n_before + reader.line_num
            raise DataError(f"{self.path}, line {line}: {error}") from None

    def names(self) -> list[str]:
        with self.lines() as lines, self.records(lines) as reader:
            header = next(filter(None, reader), None)
        if header is None:
            raise DataError(f"{self.path}: is empty; its first line should name the columns")
        return [name.strip() for name in header]

    def blocks(self, n_columns: int) -> Iterator[list[Sequence[str]]]:
        """Yield the cells column by column, some rows at a time; empty lines are left out."""
        n_rows = 0
        with self.lines() as lines:
            with self.records(lines) as reader:
                next(filter(None, reader))  # the names
            for columns in self._columns(lines, n_columns, n_before=reader.line_num):
                n_rows += len(columns[0])
                refuse_above(self.text.most_cells or MOST_CELLS, n_rows * n_columns, "cells", str(self.path))
                yield list(map(_with_points, columns)) if self.separator == ";" else columns
        if not n_rows:
            raise DataError(f"{self.path}: a header but no rows")

    def _columns(self, lines: Iterator[str], n_columns: int, n_before: int) -> Iterator[list[Sequence[str]]]:
        while block := list(islice(lines, _ROWS_AT_A_TIME)):
            columns = self._cut_at_separators(block, n_columns)
            if columns is None:
                break
            n_before += len(block)
            yield columns
        with self.records(chain(block, lines), n_before) as reader:
            records = filter(None, reader)
            while rows := list(islice(records, _ROWS_AT_A_TIME)):
                if set(map(len, rows)) != {n_columns}:
                    raise self._row_of_other_length(n_columns)
                yield list(zip(*rows, strict=True))

    def _cut_at_separators(self, block: list[str], n_columns: int) -> list[Sequence[str]] | None:
        """Return the columns of lines without quotes and of the right length, by the fastest way."""
        text = "".join(block).removesuffix("\n")
        if '"' in text or not _is_rectangular(text, self.separator, len(block), n_columns):
            return None
        cells = text.replace("\n", self.separator).split(self.separator)
        return [cells[column::n_columns] for column in range(n_columns)]

    def _row_of_other_length(self, n_columns: int) -> DataError:
        with self.lines() as lines, self.records(lines) as reader:
            for row in reader:
                if row and len(row) != n_columns:
                    break
            line = self.n_above + reader.line_num
            return DataError(f"{self.path}, line {line}: {n_columns} columns, but this row has {len(row)}")


def _is_rectangular(text: str, separator: str, n_lines: int, n_columns: int) -> bool:
    """Tell whether all lines of a text have as many cells, and none is longer than a cell may be."""
    if not separator.isascii():
        return False
    letters = np.frombuffer(f"{text}\n".encode(), dtype=np.uint8)
    is_end = letters == ord("\n")
    ends = np.flatnonzero(is_end | (letters == ord(separator)))  # of cells
    if len(ends) != n_lines * n_columns or np.count_nonzero(is_end) != n_lines:
        return False
    lines = ends[n_columns - 1 :: n_columns]
    return bool(is_end[lines].all() and np.diff(lines, prepend=-1).max() <= csv.field_size_limit())


def has_decimal_comma(word: str) -> bool:
    """Tell whether a word is a number, were its comma a decimal point."""
    return _DECIMAL_COMMA.fullmatch(word) is not None


def _with_points(words: Sequence[str]) -> Sequence[str]:
    """Return cells in which numbers have a decimal point where they had a comma."""
    if not any("," in word for word in words):
        return words
    return [word.replace(",", ".") if has_decimal_comma(word) else word for word in words]


# ------------------------------------------------------------------------------------- what separates values


@dataclass(frozen=True)
class _Parted:
    """The header and the first rows of a file, as one of the separators parts them."""

    separator: str
    records: list[list[str]]

    @classmethod
    def of(cls, path: str | Path, separator: str, text: Text) -> _Parted:
        file, records = CsvFile(path, separator, text), list[list[str]]()
        with file.lines() as lines, suppress(DataError), file.records(lines) as reader:
            records.extend(islice(filter(None, reader), 1 + _ROWS_TO_SEE))  # those before an error stay
        return cls(separator, records)

    @property
    def n_columns(self) -> int:
        return len(self.records[0]) if self.records else 0

    @property
    def n_fitting(self) -> int:
        """The rows that have as many cells as the header, if that has several."""
        return sum(len(row) == self.n_columns > 1 for row in self.records[1:])

    @property
    def has_decimal_commas(self) -> bool:
        """Whether all rows fit, and a comma is only ever a part of a number."""
        cells = [cell for row in self.records[1:] for cell in row if "," in cell]
        all_fit = self.n_fitting == len(self.records) - 1
        return all_fit and bool(cells) and all(map(has_decimal_comma, cells))


def _declared_separator(path: str | Path, text: Text) -> str | None:
    """Return what a line above the header says that the values are separated by, if there is one."""
    with open_text(path, text) as lines:
        declared = _DECLARED.fullmatch(lines.readline(len('"sep=;"\n')))
    return declared[1] if declared else None


def _separator_of(path: str | Path, text: Text) -> str:
    """Return what parts the header and most of the first rows alike, into most columns; else the comma."""
    parted = {separator: _Parted.of(path, separator, text) for separator in _SEPARATORS}
    if parted[";"].has_decimal_commas:
        return ";"
    best = max(parted.values(), key=lambda each: (each.n_fitting, each.n_columns))
    return best.separator if best.n_fitting else ","
