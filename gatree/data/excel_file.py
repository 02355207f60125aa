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
from gatree.data.blocks import Block, ReadOptions, RowsOfTexts, Texts

ENDINGS = (".xlsx", ".xlsm")
_ROWS_AT_A_TIME = 4096


@dataclass(frozen=True)
class ExcelSource(RowsOfTexts):
    """One sheet of an Excel file."""

    path: str
    sheet: str
    sheets: tuple[str, ...] = ()
    header: bool | None = None
    notes: tuple[str, ...] = ()

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
                source, notes=(f"sheet {sheet} of {', '.join(sheets)}; --sheet NAME reads another",)
            )
        source._refuse_other_shapes()
        return source

    @property
    def name(self) -> str:
        return Path(self.path).stem

    def _refuse_other_shapes(self) -> None:
        """Refuse a sheet whose first row does not name the columns of those that follow."""
        rows = list(islice(self._rows(), 50))
        widths = [sum(cell != "" for cell in row) for row in rows]
        if len(rows) < 2 or widths[0] < 2 or max(widths[1:]) > len(rows[0]):
            listed = ", ".join(self.sheets)
            raise DataError(
                f"{self.path}: the sheet {shown(self.sheet)} holds no table: a row of two or more names with "
                f"rows of values below is expected. The sheets are: {listed}; choose one with --sheet NAME"
            )

    @cached_property
    def top(self) -> list[str]:
        return next(self._rows())

    def blocks(self, _texts: Collection[str] = ()) -> Iterator[Block]:
        rows = islice(self._rows(len(self.top)), int(self.header is not False), None)
        while block := list(islice(rows, _ROWS_AT_A_TIME)):
            yield list(map(Texts.of, zip(*block, strict=True)))

    def _rows(self, n_columns: int | None = None) -> Iterator[list[str]]:
        """Yield the rows from the first that has a value to the last, with as many cells as the first."""
        with _opened(self.path) as book:
            n_empty = 0
            for cells in book[self.sheet].iter_rows():
                row = [_text(cell) for cell in cells]
                if not any(row):
                    n_empty += n_columns is not None
                    continue
                if n_columns is None:
                    n_columns = max(at for at, text in enumerate(row) if text) + 1
                yield from ([""] * n_columns for _ in range(n_empty))
                n_empty = 0
                yield [*row[:n_columns], *[""] * (n_columns - len(row))]


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
