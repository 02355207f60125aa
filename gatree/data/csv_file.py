"""CSV files: what separates their values, their names, and their cells column by column.

Rows are cut at the separators, some thousand at a time, by the fastest way as long as there are no quotes.
A row may have empty cells behind those that have names, as spreadsheets leave them.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from gatree.base.errors import DataError
from gatree.base.limits import MOST_PIECE_BYTES, MOST_PIECE_CELLS, refuse_above
from gatree.data.blocks import Block, ReadOptions
from gatree.data.dataset import Dataset, read_table
from gatree.data.files import STDIN, encoding_of, file_name, open_text, write_text
from gatree.data.texts import MISSING_WORDS

_TAB_SEPARATED = (".tsv", ".tsv.gz")
ENDINGS = (".csv", ".csv.gz", *_TAB_SEPARATED)
"""How the names of CSV files end."""

_SEPARATORS = (",", ";", "\t", "|")
_ROWS_TO_SEE = 20
_ROWS_AT_A_TIME = 4096
_DECLARED = re.compile(r'"?sep=([^"\r\n])"?\n?', re.IGNORECASE)  # as spreadsheets write it above the header
_NUMBER_WITH_COMMA = re.compile(r"\s*[+-]?[0-9.]*,[0-9]+(?:[eE][+-]?[0-9]+)?\s*[^\s0-9,]{0,3}\s*")


def read_csv(
    path: str | Path,
    target: str | None = None,
    *,
    separator: str | None = None,
    missing_words: Sequence[str] = MISSING_WORDS,
) -> Dataset:
    """Read a CSV file, plain or gzipped, with the target as classes.

    Parameters
    ----------
    path : str or Path
    target : str, optional
        The column to predict; the last one by default.
    separator : str, optional
        What separates the values, one character. By default the comma, semicolon, tab or bar that parts the
        header and the first rows alike; in a .tsv file the tab.
    missing_words : sequence of str
        The words that mean a missing value.

    Raises
    ------
    DataError
        With the file and, if known, the line.
    """
    if separator is not None and not (isinstance(separator, str) and re.fullmatch(r'[^"\r\n]', separator)):
        raise DataError(f"the separator must be one character, and no quote or line end, got {separator!r}")
    options = ReadOptions(separator=separator, missing_words=tuple(missing_words))
    return read_table(lambda chosen: CsvSource.of(str(path), chosen), options).dataset(target)


def write_csv(dataset: Dataset, path: str | Path) -> None:
    """Write a data set as CSV, gzipped if the path ends in ``.gz``. CSV does not say what is nominal."""
    separator = "\t" if str(path).lower().endswith(_TAB_SEPARATED) else ","
    write_text(path, dataset.to_frame().to_csv(index=False, sep=separator, lineterminator="\n"))


@dataclass(frozen=True)
class CsvSource:
    """A CSV file of which it is known what separates its values; it is looked through once."""

    path: str
    separator: str
    encoding: str
    header: bool | None = None
    n_above: int = 0  # lines above the header
    declares: bool = False
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: str, options: ReadOptions) -> CsvSource:
        """Open a file; what separates its values is found out, and its encoding."""
        source = cls(path, ",", encoding_of(path, MOST_PIECE_BYTES), options.header)
        if declared := source._declared_separator():
            return replace(source, separator=options.separator or declared, n_above=1)
        if options.separator is not None:
            return replace(source, separator=options.separator)
        return replace(source, separator="\t" if path.lower().endswith(_TAB_SEPARATED) else source._found())

    @property
    def name(self) -> str:
        return "stdin" if self.path == STDIN else file_name(self.path, ENDINGS)

    @cached_property
    def _top(self) -> list[str]:
        """The first row."""
        with self._lines() as lines, self._records(lines) as reader:
            row = next(filter(_has_cells, reader), None)
        if row is None:
            raise DataError(f"{self.path}: is empty; its first line should name the columns")
        return list(row)

    @property
    def names(self) -> list[str]:
        return [""] * len(self._top) if self.header is False else [name.strip() for name in self._top]

    @property
    def first_row(self) -> list[str] | None:
        return self._top if self.header is None else None

    def blocks(self, begin: int = 0, end: float = math.inf) -> Iterator[Block]:
        n_columns, n_rows = len(self._top), 0
        with self._lines() as lines:
            n_before = 0
            if self.header is not False:
                with self._records(lines) as reader:
                    next(filter(_has_cells, reader))  # the names
                n_before = reader.line_num
            for columns in self._columns(lines, n_columns, n_before):
                n_here = len(columns[0])
                first, last = max(0, begin - n_rows), int(min(n_here, end - n_rows))
                n_rows += n_here
                refuse_above(MOST_PIECE_CELLS, n_rows * n_columns, "cells", self.path)
                if first < last:
                    is_whole = last - first == n_here
                    yield list(columns) if is_whole else [words[first:last] for words in columns]
                if n_rows >= end:
                    return
        if not n_rows:
            raise DataError(f"{self.path}: a header but no rows")

    # ------------------------------------------------------------------------------------------------- rows

    @contextmanager
    def _lines(self) -> Iterator[TextIO]:
        """Open the file at its first row."""
        with open_text(self.path, self.encoding) as file:
            for _ in range(self.n_above):
                file.readline()
            yield file

    @contextmanager
    def _records(self, lines: Iterable[str], n_before: int = 0) -> Iterator[Any]:
        """Read lines as records; what is no CSV is named by its line. Some came before, the header first."""
        is_blank = self.separator == " "
        reader = csv.reader(lines, delimiter=self.separator, skipinitialspace=not is_blank, strict=True)
        try:
            yield reader
        except csv.Error as error:
            line = self.n_above + n_before + reader.line_num
            raise DataError(f"{self.path}, line {line}: {error}") from None

    def _columns(self, lines: Iterator[str], n_columns: int, n_before: int) -> Iterator[list[Sequence[str]]]:
        """Yield the cells column by column, some rows at a time; empty lines are left out."""
        while block := list(islice(lines, _ROWS_AT_A_TIME)):
            columns = self._cut_at_separators(block, n_columns)
            if columns is None:
                break
            n_before += len(block)
            yield columns
        with self._records(chain(block, lines), n_before) as reader:
            records = filter(_has_cells, reader)
            while rows := list(islice(records, _ROWS_AT_A_TIME)):
                if set(map(len, rows)) != {n_columns}:
                    rows = [row[:n_columns] if not any(row[n_columns:]) else row for row in rows]
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
        with self._lines() as lines, self._records(lines) as reader:
            for row in reader:
                if _has_cells(row) and (len(row) < n_columns or any(row[n_columns:])):
                    break
            line = self.n_above + reader.line_num
            return DataError(f"{self.path}, line {line}: {n_columns} columns, but this row has {len(row)}")

    # ----------------------------------------------------------------------------- what separates the values

    def _declared_separator(self) -> str | None:
        """Return what a line above the header says that the values are separated by, if there is one."""
        with open_text(self.path, self.encoding) as lines:
            declared = _DECLARED.fullmatch(lines.readline(len('"sep=;"\n')))
        return declared[1] if declared else None

    def _found(self) -> str:
        """Return what parts the header and most first rows alike, into most columns, or the comma."""
        parted = {separator: self._parted(separator) for separator in _SEPARATORS}
        if _has_decimal_commas(parted[";"]):
            return ";"
        best = max(parted, key=lambda separator: (_n_fitting(parted[separator]), len(parted[separator][0])))
        return best if _n_fitting(parted[best]) else ","

    def _parted(self, separator: str) -> list[list[str]]:
        """Return the first rows, as a separator parts them."""
        file, records = replace(self, separator=separator), list[list[str]]()
        with file._lines() as lines, suppress(DataError), file._records(lines) as reader:
            records.extend(islice(filter(_has_cells, reader), 1 + _ROWS_TO_SEE))  # those before an error stay
        return records or [[]]


def _has_cells(row: Sequence[str]) -> bool:
    """Return whether a row is no empty line."""
    return len(row) > 1 or (len(row) == 1 and not row[0].isspace())


def _n_fitting(records: list[list[str]]) -> int:
    """Return the number of rows that have as many cells as the header, if that has several."""
    return sum(len(row) == len(records[0]) > 1 for row in records[1:])


def _has_decimal_commas(records: list[list[str]]) -> bool:
    """Return whether all rows fit, and a comma is only ever a part of a number."""
    cells = [cell for row in records[1:] for cell in row if "," in cell]
    all_fit = _n_fitting(records) == len(records) - 1
    return all_fit and bool(cells) and all(map(_NUMBER_WITH_COMMA.fullmatch, cells))


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
