"""Excel files (the extra ``excel``): the cells of one sheet as texts, as a CSV of it would have them.

A number in the format of per cent is read as it is shown: 62 %, not 0.62.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from gatree.base.errors import DataError, did_you_mean, shown, there_are
from gatree.base.extras import extras
from gatree.data.blocks import Block, ReadOptions, RowsOfTexts, Texts, n_titles, titles_note

ENDINGS = (".xlsx", ".xlsm")
_ROWS_AT_A_TIME = 4096


@dataclass(frozen=True)
class ExcelSource(RowsOfTexts):
    """One sheet of an Excel file."""

    path: str
    sheet: str
    sheets: tuple[str, ...] = ()
    header: bool | None = None
    on_sheets: tuple[str, ...] = ()  # a note

    @classmethod
    def of(cls, path: str, options: ReadOptions) -> ExcelSource:
        """Open a file; a sheet that is no table is refused with the names of all."""
        with _opened(path) as book:
            sheets = tuple(book.sheetnames)
        sheet = sheets[0] if options.sheet is None else options.sheet
        if sheet not in sheets:
            raise DataError(
                f"{path}: no sheet {shown(sheet)}{did_you_mean(sheet, sheets)}{there_are(sheets)}"
            )
        source = cls(path, sheet, sheets, options.header)
        if len(sheets) > 1 and options.sheet is None:
            source = replace(
                source, on_sheets=(f"sheet {sheet} of {', '.join(sheets)}; --sheet NAME reads another",)
            )
        return source

    @property
    def name(self) -> str:
        return Path(self.path).stem

    @cached_property
    def _start(self) -> tuple[list[str], list[str]]:
        """The first row, and what is above it; refuse a sheet whose first row does not name columns."""
        rows = list(islice(self._rows(), 50))
        at = n_titles(rows)
        widths = [sum(cell != "" for cell in row) for row in rows[at:]]
        if len(widths) < 2 or widths[0] < 2 or max(widths[1:]) > len(rows[at]):
            listed = ", ".join(self.sheets)
            raise DataError(
                f"{self.path}: the sheet {shown(self.sheet)} holds no table: a row of two or more names with "
                f"rows of values below is expected. The sheets are: {listed}; choose one with --sheet NAME"
            )
        return rows[at], [" ".join(filter(None, row)) for row in rows[:at]]

    @property
    def top(self) -> list[str]:
        return self._start[0]

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.on_sheets, *titles_note(self._start[1]))

    def blocks(self, _texts: Collection[str] = ()) -> Iterator[Block]:
        n_columns = len(self.top)
        rows = islice(self._rows(), len(self._start[1]) + (self.header is not False), None)
        while block := list(islice(rows, _ROWS_AT_A_TIME)):
            full = [[*row[:n_columns], *[""] * (n_columns - len(row))] for row in block]
            yield list(map(Texts.of, zip(*full, strict=True)))

    def _rows(self) -> Iterator[list[str]]:
        """Yield the rows from the first that has a value to the last, each up to its last value."""
        with _opened(self.path) as book:
            n_empty = 0
            has_begun = False
            for cells in book[self.sheet].iter_rows():
                row = [_text(cell) for cell in cells]
                if not any(row):
                    n_empty += has_begun
                    continue
                yield from ([""] for _ in range(n_empty))
                n_empty, has_begun = 0, True
                yield row[: max(at for at, text in enumerate(row) if text) + 1]


def _text(cell: Any) -> str:
    """Return a cell as text."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, int | float) and "%" in (cell.number_format or ""):
        return f"{float(f'{value * 100:.12g}')!r}%"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    """Open a file, and say what is wrong with it."""
    with extras():
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException
    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (BadZipFile, InvalidFileException, OSError, KeyError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as Excel ({error})") from None
    try:
        yield book
    finally:
        book.close()
