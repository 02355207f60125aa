"""CSV files as records: what separates their values, their header, and their cells column by column."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from gatree.data.files import WHOLE, Text, looked_through, open_text
from gatree.data.formats import is_tsv
from gatree.errors import DataError
from gatree.limits import MOST_CELLS, refuse_above

SEPARATORS = (",", ";", "\t", "|")
"""What may separate values, the first one that does so in the header."""

_ROWS_AT_A_TIME = 4096


@dataclass(frozen=True)
class CsvFile:
    """A CSV file of which somebody has found out what separates its values."""

    path: str | Path
    separator: str
    text: Text

    @classmethod
    def of(cls, path: str | Path, separator: str | None = None, text: Text = WHOLE) -> CsvFile:
        """Return a file; without a separator it is the first of the common ones that parts its header.

        It is looked through, unless its encoding is known.
        """
        if text.encoding is None:
            text = looked_through(path, text)
        if separator is not None:
            return cls(path, separator, text)
        of_this_name = sorted(SEPARATORS, key=lambda each: is_tsv(path) and each != "\t")
        files = [cls(path, each, text) for each in of_this_name]
        return next(filter(CsvFile._parts_its_header, files), files[0])

    @property
    def decimal_comma(self) -> bool:
        """Whether numbers may have one: where commas are decimal, semicolons separate values."""
        return self.separator == ";"

    def _parts_its_header(self) -> bool:
        with suppress(DataError):
            return len(self.names()) > 1
        return False

    @contextmanager
    def records(self, lines: Iterable[str], n_before: int = 0) -> Iterator[Any]:
        """Read lines as records; what is no CSV is named by its line, of which some came before."""
        reader = csv.reader(lines, delimiter=self.separator, skipinitialspace=True, strict=True)
        try:
            yield reader
        except csv.Error as error:
            raise DataError(f"{self.path}, line {n_before + reader.line_num}: {error}") from None

    def names(self) -> list[str]:
        with open_text(self.path, self.text) as lines, self.records(lines) as reader:
            header = next(filter(None, reader), None)
        if header is None:
            raise DataError(f"{self.path}: is empty; its first line should name the columns")
        return [name.strip() for name in header]

    def blocks(self, n_columns: int) -> Iterator[list[Sequence[str]]]:
        """Yield the cells column by column, some rows at a time; empty lines are left out."""
        n_rows = 0
        with open_text(self.path, self.text) as lines:
            with self.records(lines) as reader:
                next(filter(None, reader))  # the names
            for columns in self._columns(lines, n_columns, n_before=reader.line_num):
                n_rows += len(columns[0])
                refuse_above(self.text.most_cells or MOST_CELLS, n_rows * n_columns, "cells", str(self.path))
                yield columns
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
        text = "".join(block)
        if '"' in text or max(map(len, block)) > csv.field_size_limit():
            return None
        if {line.count(self.separator) for line in block} != {n_columns - 1}:
            return None
        cells = text.removesuffix("\n").replace("\n", self.separator).split(self.separator)
        return [cells[column::n_columns] for column in range(n_columns)]

    def _row_of_other_length(self, n_columns: int) -> DataError:
        with open_text(self.path, self.text) as lines, self.records(lines) as reader:
            for row in reader:
                if row and len(row) != n_columns:
                    break
            return DataError(
                f"{self.path}, line {reader.line_num}: {n_columns} columns, but this row has {len(row)}"
            )
