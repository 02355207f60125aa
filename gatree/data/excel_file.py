"""Excel files (the extra ``excel``): the cells of one sheet as texts, as a CSV of it would have them.

A number in the format of per cent is read as it is shown: 62 %, not 0.62. Before openpyxl parses a file, its
parts are looked through, block by block, for more than a sheet of Excel can hold.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from gatree.base.errors import DataError, did_you_mean, listed_names, shown, there_are
from gatree.base.extras import extras
from gatree.base.limits import (
    MOST_CELL_CHARACTERS,
    MOST_SHEET_CELLS,
    MOST_SHEET_ROWS,
    refuse_above,
    refuse_too_much_unpacked,
)
from gatree.data.files import naming_failures
from gatree.data.source import Block, ReadOptions, RowsOfTexts, Texts

_ROWS_AT_A_TIME = 4096
_BLOCK = 2**20
_DOCUMENT_TYPE = re.compile(rb"<!(DOCTYPE|ENTITY)")
_NO_CELLS = ("customXml/", "xl/media/", "xl/embeddings/")  # parts that may have long texts
_MOST_BYTES_OF_A_TEXT = 8 * MOST_CELL_CHARACTERS  # as UTF-8 with escapes


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
        if not sheets:
            raise DataError(f"{path}: an Excel file without a sheet")
        sheet = sheets[0] if options.sheet is None else options.sheet
        if sheet not in sheets:
            raise DataError(
                f"{path}: no sheet {shown(sheet)}{did_you_mean(sheet, sheets)}{there_are(sheets)}"
            )
        is_guess = len(sheets) > 1 and options.sheet is None
        source = cls(path, sheet, options.header, sheets if is_guess else ())
        widths = [sum(cell != "" for cell in row) for row in source.first_rows]
        if len(widths) < 2 or widths[0] < 2 or max(widths[1:]) > len(source.top):
            for _ in islice(source.rows(), 50):  # a damaged sheet says what is wrong
                pass
            raise DataError(
                f"{path}: the sheet {shown(sheet)} holds no table: a row of two or more names with rows of "
                f"values below is expected. The sheets are: {listed_names(sheets)}; choose one with --sheet "
                "NAME"
            )
        return source

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.sheets:
            return super().notes
        one, others = listed_names([self.sheet]), listed_names(self.sheets)
        return (f"sheet {one} of {others}; --sheet NAME reads another", *super().notes)

    def blocks(self, _texts: Collection[str] = ()) -> Iterator[Block]:
        n_columns = len(self.top)
        rows = islice(self.rows(), self.n_above, None)
        while block := list(islice(rows, _ROWS_AT_A_TIME)):
            full = [[*row[:n_columns], *[""] * (n_columns - len(row))] for row in block]
            yield list(map(Texts.of, zip(*full, strict=True)))

    def rows(self) -> Iterator[list[str]]:
        """Yield the rows from the first that has a value to the last, each up to its last value."""
        with _opened(self.path) as book:
            n_empty = n_cells = 0
            has_begun = False
            sheet = book[self.sheet]
            if not hasattr(sheet, "reset_dimensions"):
                raise DataError(f"{self.path}: the sheet {shown(self.sheet)} holds a chart and no table")
            sheet.reset_dimensions()  # what the file says of its size may be wrong
            for cells in sheet.iter_rows(max_row=MOST_SHEET_ROWS):
                n_cells += len(cells)
                refuse_above(MOST_SHEET_CELLS, n_cells, "cells", self.path)
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
    if isinstance(value, str):
        refuse_above(MOST_CELL_CHARACTERS, len(value), "characters", f"cell {cell.coordinate}")
        return value
    if isinstance(value, bool):
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
    """Open a file; whatever openpyxl meets in it, then or while rows are read, is one line about the file."""
    with extras():
        from openpyxl import load_workbook
    with naming_failures(path, "Excel"):
        _refuse_too_much(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on styles and extensions that only matter on a screen
            book = load_workbook(path, read_only=True, data_only=True)
        with closing(book):
            yield book


def _refuse_too_much(path: str) -> None:
    """Refuse a file whose parts hold more than a sheet of Excel can, without parsing it."""
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        n_packed = sum(part.compress_size for part in parts)
        refuse_too_much_unpacked(path, sum(part.file_size for part in parts), n_packed, "zip")
        for part in parts:
            if not part.filename.startswith(_NO_CELLS):
                with archive.open(part) as content:
                    _refuse_part(f"{path}, {shown(part.filename)}", content)


def _refuse_part(where: str, part: Any) -> None:
    """Refuse a part in XML that declares entities, or has longer texts, more rows or cells than a sheet."""
    n_rows = n_cells = 0
    text, block = b"", part.read(_BLOCK)
    if not block.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<"):
        return  # a picture, or a macro
    while block:
        text += block
        cut = text.rfind(b"<")
        head, text = text[:cut], text[cut:]
        if _DOCUMENT_TYPE.search(head):
            raise DataError(f"{where}: has a document type, which Excel never writes")
        longest = max(map(len, (*head.split(b"<"), text)))
        refuse_above(_MOST_BYTES_OF_A_TEXT, longest, "bytes in one text", where)
        n_rows += _n_tags(b"row", head)
        n_cells += _n_tags(b"c", head)
        refuse_above(MOST_SHEET_ROWS, n_rows, "rows", where)
        refuse_above(MOST_SHEET_CELLS, n_cells, "cells", where)
        block = part.read(_BLOCK)


def _n_tags(name: bytes, xml: bytes) -> int:
    """Return how often a tag is opened, with or without a namespace."""
    return sum(xml.count(start + name + end) for start in (b"<", b":") for end in (b" ", b">", b"/"))
