"""CSV files: what separates their values, their names, and their cells column by column.

Some thousand lines at a time are checked to have as many cells as the header, by counting separators or,
where there are quotes, by the standard library's reader; then pandas parses them, into plain numbers and
texts. A row may have empty cells behind those that have names, as spreadsheets leave them, and lines above
the header may hold a title.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from gatree.base.errors import DataError
from gatree.base.limits import MOST_DATA_BYTES
from gatree.data.attribute import MISSING_WORDS
from gatree.data.dataset import Dataset, read_table
from gatree.data.files import STDIN, facts_of, naming_failures, open_text
from gatree.data.source import Block, ReadOptions, RowsOfTexts, Texts, n_cells_of

_TAB_SEPARATED = (".tsv", ".tsv.gz")

_SEPARATORS = (",", ";", "\t", "|")
_LETTERS_AT_A_TIME = 2**22
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


@dataclass(frozen=True)
class CsvSource(RowsOfTexts):
    """A CSV file of which it is known what separates its values; it is looked through once."""

    path: str
    encoding: str
    most_rows: int
    header: bool | None = None
    missing_words: tuple[str, ...] = MISSING_WORDS
    separator: str = ","
    is_declared: bool = False  # what separates the values, in a line of its own

    @classmethod
    def of(cls, path: str, options: ReadOptions) -> CsvSource:
        """Open a file; what separates its values is found out, and its encoding."""
        encoding, n_lines = facts_of(path, MOST_DATA_BYTES)
        with open_text(path, encoding) as lines:
            declared = _DECLARED.fullmatch(lines.readline(len('"sep=;"\n')))
        source = cls(
            path, encoding, n_lines, options.header, options.missing_words, is_declared=bool(declared)
        )
        tab = "\t" if path.lower().endswith(_TAB_SEPARATED) else None
        separator = options.separator or (declared and declared[1]) or tab or source._found()
        return replace(source, separator=separator)

    @property
    def name(self) -> str:
        return "stdin" if self.path == STDIN else super().name

    def rows(self) -> Iterator[list[str]]:
        with self._lines() as lines, self._records(lines) as reader:
            yield from filter(_has_cells, reader)

    def blocks(self, texts: Collection[str] = ()) -> Iterator[Block]:
        keep, n_rows = {at for at, name in enumerate(self.full_names) if name in texts}, 0
        with self._lines() as lines:
            with self._records(lines) as reader:
                for _ in islice(filter(_has_cells, reader), self.n_above):
                    pass
            for text in self._checked(lines, reader.line_num):
                block = self._parsed(text, keep)
                n_rows += n_cells_of(block[0])
                yield block
        if not n_rows:
            raise DataError(f"{self.path}: a header but no rows")

    # ------------------------------------------------------------------------------------------------- rows

    @contextmanager
    def _lines(self) -> Iterator[TextIO]:
        """Open the file at its first row."""
        with open_text(self.path, self.encoding) as file:
            if self.is_declared:
                file.readline()
            yield file

    @contextmanager
    def _records(self, lines: Iterable[str], n_before: int = 0) -> Iterator[Any]:
        """Read lines as records; what is no CSV is named by its line. Some came before, the header first."""
        reader = self._reader(lines)
        try:
            yield reader
        except csv.Error as error:
            line, first = self.is_declared + n_before + reader.line_num, self._first_line_of_bad_row()
            wrong = str(error)
            if first < line or wrong == "unexpected end of data":
                wrong = f"a quote that is opened in this row is not closed by line {line} ({error})"
            raise DataError(f"{self.path}, line {min(first, line)}: {wrong}") from None

    def _first_line_of_bad_row(self) -> int:
        """Return the line in which the first row begins that is no CSV."""
        line = 0
        with self._lines() as lines, suppress(csv.Error):
            reader = self._reader(lines)
            for _ in reader:
                line = reader.line_num
        return self.is_declared + line + 1

    def _reader(self, lines: Iterable[str]) -> Any:
        is_blank = self.separator == " "
        return csv.reader(lines, delimiter=self.separator, skipinitialspace=not is_blank, strict=True)

    def _checked(self, lines: TextIO, n_before: int) -> Iterator[str]:
        """Yield some thousand lines at a time, all of whose rows have as many cells as the header."""
        n_columns = len(self.top)
        while text := lines.read(_LETTERS_AT_A_TIME) + lines.readline():
            if '"' in text or not _is_rectangular(text, self.separator, n_columns):
                block, taken = io.StringIO(text), list[str]()
                more = (taken.append(line) or line for line in chain(block, lines))  # type: ignore[func-returns-value]
                with self._records(more, n_before) as reader:
                    for row in reader:
                        if _has_cells(row) and (len(row) < n_columns or any(row[n_columns:])):
                            line = self.is_declared + n_before + reader.line_num
                            wrong = f"{n_columns} columns, but this row has {len(row)}"
                            raise DataError(f"{self.path}, line {line}: {wrong}")
                        if block.tell() == len(text):
                            break
                text = "".join(taken)
            n_before += text.count("\n")
            if not text.isspace():
                yield text

    def _parsed(self, text: str, texts: set[int]) -> Block:
        """Return the cells of lines, as pandas parses them: plain numbers, and texts.

        Where ``texts`` asks for none, pandas may take them for truth values; these columns are added to it.
        """
        import pandas as pd

        n_columns = len(self.top)
        with naming_failures(self.path, "CSV"):
            frame: Any = pd.read_csv(
                io.StringIO(text),
                sep=self.separator,
                header=None,
                names=range(n_columns),
                usecols=range(n_columns),
                dtype=dict.fromkeys(texts, object),
                na_values=list(self.missing_words),
                keep_default_na=False,
                skipinitialspace=self.separator != " ",
                low_memory=False,
                **_exact_floats(),
            )
        block = [
            series.to_numpy(np.float64) if series.dtype.kind in "iuf" else Texts.of(series)
            for _, series in frame.items()
        ]
        truth = {
            at
            for at, cells in enumerate(block)
            if isinstance(cells, Texts) and not isinstance(next(iter(cells.values), ""), str)
        }
        if not truth:
            return block
        texts |= truth
        return self._parsed(text, texts)

    def _found(self) -> str:
        """Return what parts the header and most first rows alike, into most columns, or the comma."""
        parted = {each: replace(self, separator=each).first_rows or [[]] for each in _SEPARATORS}
        if _has_decimal_commas(parted[";"]):
            return ";"
        best = max(parted, key=lambda separator: (_n_fitting(parted[separator]), len(parted[separator][0])))
        return best if _n_fitting(parted[best]) else ","


def _has_cells(row: Sequence[str]) -> bool:
    """Return whether a row is no empty line."""
    return len(row) > 1 or (len(row) == 1 and bool(row[0].strip()))


def _exact_floats() -> dict[str, Any]:
    """Return the option of pandas before 3.1 by which a number is the nearest one, as `float` has it."""
    import pandas as pd

    is_default = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    return {} if is_default else {"float_precision": "round_trip"}


def _n_fitting(records: list[list[str]]) -> int:
    """Return the number of rows that have as many cells as the header, if that has several."""
    return sum(len(row) == len(records[0]) > 1 for row in records[1:])


def _has_decimal_commas(records: list[list[str]]) -> bool:
    """Return whether all rows fit, and a comma is only ever a part of a number."""
    cells = [cell for row in records[1:] for cell in row if "," in cell]
    all_fit = _n_fitting(records) == len(records) - 1
    return all_fit and bool(cells) and all(map(_NUMBER_WITH_COMMA.fullmatch, cells))


def _is_rectangular(text: str, separator: str, n_columns: int) -> bool:
    """Tell whether all lines of a text have as many cells."""
    if not separator.isascii():
        return False
    letters = np.frombuffer(text.removesuffix("\n").encode() + b"\n", dtype=np.uint8)
    is_end = letters == ord("\n")
    ends = np.flatnonzero(is_end | (letters == ord(separator)))  # of cells
    n_lines = np.count_nonzero(is_end)
    return len(ends) == n_lines * n_columns and bool(is_end[ends[n_columns - 1 :: n_columns]].all())
