"""Excel files (the extra ``excel``): the cells of one sheet as texts, as a CSV of it would have them.

A number in the format of per cent is read as it is shown: 62 %, not 0.62.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import islice
from typing import Any
from zipfile import BadZipFile

from gatree.base.errors import DataError, did_you_mean, shown, there_are
from gatree.base.extras import extras
from gatree.data.blocks import Block, ReadOptions, RowsOfTexts, Texts

ENDINGS = (".xlsx", ".xlsm")
_ROWS_AT_A_TIME = 4096


@dataclass(frozen=True)
class ExcelSource(RowsOfTexts):
    """One sheet of an Excel file."""

    path: str
    sheet: str
    header: bool | None = None
    sheets: tuple[str, ...] = ()  # all of them, if it was not said which to read

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
        is_guess = len(sheets) > 1 and options.sheet is None
        source = cls(path, sheet, options.header, sheets if is_guess else ())
        widths = [sum(cell != "" for cell in row) for row in source.first_rows]
        if len(widths) < 2 or widths[0] < 2 or max(widths[1:]) > len(source.top):
            raise DataError(
                f"{path}: the sheet {shown(sheet)} holds no table: a row of two or more names with rows of "
                f"values below is expected. The sheets are: {', '.join(sheets)}; choose one with --sheet NAME"
            )
        return source

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.sheets:
            return super().notes
        return (f"sheet {self.sheet} of {', '.join(self.sheets)}; --sheet NAME reads another", *super().notes)

    def blocks(self, _texts: Collection[str] = ()) -> Iterator[Block]:
        n_columns = len(self.top)
        rows = islice(self.rows(), self.n_above, None)
        while block := list(islice(rows, _ROWS_AT_A_TIME)):
            full = [[*row[:n_columns], *[""] * (n_columns - len(row))] for row in block]
            yield list(map(Texts.of, zip(*full, strict=True)))

    def rows(self) -> Iterator[list[str]]:
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
