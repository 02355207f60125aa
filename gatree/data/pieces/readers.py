"""A file in pieces, whatever its format: blocks of some thousand rows, a column per attribute.

A nominal attribute's values are those that its block knows of: the values of all blocks are brought
together elsewhere (`summary.py`). Rows are counted as they stand in the file.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from glob import glob, has_magic
from itertools import islice
from pathlib import Path
from typing import Protocol

from gatree.base.errors import DataError
from gatree.base.limits import MOST_PIECE_BYTES, MOST_PIECE_CELLS
from gatree.data.arff import class_of, refuse_strings
from gatree.data.arff_header import Header, read_header
from gatree.data.arff_rows import read_columns
from gatree.data.arff_tokens import ArffLines
from gatree.data.attribute import Attribute, Column
from gatree.data.csv_file import csv_blocks
from gatree.data.csv_records import CsvFile
from gatree.data.files import Text, looked_through, open_text
from gatree.data.formats import ENDINGS, format_of
from gatree.data.parquet_file import frame_of, opened_parquet, parquet_names
from gatree.data.target import checked_target

Block = list[tuple[Attribute, Column]]

_ROWS_AT_A_TIME = 4096
_PARQUET_ROWS_AT_A_TIME = 65_536

_ANY_SIZE = Text(most_bytes=MOST_PIECE_BYTES, most_cells=MOST_PIECE_CELLS)


class Reader(Protocol):
    """A file that can be read in blocks, again and again."""

    @property
    def path(self) -> str: ...

    @property
    def names(self) -> list[str]: ...

    @property
    def declares(self) -> bool:
        """Whether a header says which values there are, and their order."""

    def class_name(self, wanted: str | None) -> str:
        """Return the name of the attribute to predict, or say why there is none."""

    def blocks(self, nominal: Collection[str], begin: int = 0, end: float = math.inf) -> Iterator[Block]:
        """Yield the rows from `begin` to `end`; columns called `nominal` are."""


@dataclass(frozen=True)
class CsvReader:
    """A CSV file. It is looked through once, by whoever opens it first."""

    file: CsvFile
    declares: bool = False

    @classmethod
    def of(cls, path: str) -> CsvReader:
        return cls(CsvFile.of(path, text=_ANY_SIZE))

    @property
    def path(self) -> str:
        return str(self.file.path)

    @cached_property
    def names(self) -> list[str]:
        return self.file.names()

    def class_name(self, wanted: str | None) -> str:
        return checked_target(self.names, wanted, self.path)

    def blocks(self, nominal: Collection[str], begin: int = 0, end: float = math.inf) -> Iterator[Block]:
        return csv_blocks(self.file, self.names, nominal, begin, end)


@dataclass(frozen=True)
class ArffReader:
    """An ARFF file, whose header says what its attributes are."""

    path: str
    text: Text
    header_lines: tuple[str, ...]
    drop_strings: bool
    declares: bool = True

    @classmethod
    def of(cls, path: str, drop_strings: bool) -> ArffReader:
        text, lines = looked_through(path, _ANY_SIZE), []
        with open_text(path, text) as file:
            for line in file:
                lines.append(line.rstrip("\n"))
                if line.lstrip().lower().startswith("@data"):
                    break
        reader = cls(path, text, tuple(lines), drop_strings)
        if not drop_strings:
            refuse_strings(reader._source, reader.header)
        return reader

    @property
    def _source(self) -> ArffLines:
        return ArffLines(self.path, list(self.header_lines))

    @cached_property
    def header(self) -> Header:
        return read_header(self._source)

    @cached_property
    def names(self) -> list[str]:
        return [attribute.name for attribute in self.header.attributes if isinstance(attribute, Attribute)]

    def class_name(self, wanted: str | None) -> str:
        return class_of(self._source, self.header, wanted).name

    def blocks(self, nominal: Collection[str], begin: int = 0, end: float = math.inf) -> Iterator[Block]:
        del nominal  # the header says it
        in_block, n_rows, n_before = replace(self.header, data_line=0), 0, len(self.header_lines) - 1
        with open_text(self.path, self.text) as file:
            lines = islice(file, n_before, None)
            chunk = list(islice(lines, _ROWS_AT_A_TIME))  # begins with @data, which may have a row behind it
            while len(chunk) > 0 and n_rows < end:
                source = ArffLines(self.path, [line.rstrip("\n") for line in chunk], n_before)
                block = read_columns(source, in_block)
                yield from _cut(block, n_rows, begin, end)
                n_rows, n_before = n_rows + len(block[0][1]), n_before + len(chunk) - 1
                more = list(islice(lines, _ROWS_AT_A_TIME))
                chunk = ["@data", *more] if more else []


@dataclass(frozen=True)
class ParquetReader:
    """A Parquet file."""

    path: str
    declares: bool = False

    @cached_property
    def names(self) -> list[str]:
        with opened_parquet(self.path) as file:
            return parquet_names(file)

    def class_name(self, wanted: str | None) -> str:
        return checked_target(self.names, wanted, self.path)

    def blocks(self, nominal: Collection[str], begin: int = 0, end: float = math.inf) -> Iterator[Block]:
        from gatree.data.table import block_of

        n_rows = 0
        with opened_parquet(self.path) as file:
            for batch in file.iter_batches(_PARQUET_ROWS_AT_A_TIME):
                if n_rows >= end:
                    return
                if n_rows + batch.num_rows > begin:
                    frame = frame_of(batch, self.names)
                    yield from _cut(block_of(frame, nominal, self.path), n_rows, begin, end)
                n_rows += batch.num_rows


def _cut(block: Block, n_before: int, begin: int, end: float) -> Iterator[Block]:
    """Yield the rows of a block, before which so many stand, that are wanted, if there are any."""
    n_rows = len(block[0][1])
    first, last = max(0, begin - n_before), int(min(n_rows, end - n_before))
    if first < last:
        yield block if last - first == n_rows else [(name, column[first:last]) for name, column in block]


def reader_of(path: str, drop_strings: bool = False) -> Reader:
    """Return the reader of a file, by how its name ends."""
    match format_of(path):
        case "csv":
            return CsvReader.of(path)
        case "arff":
            return ArffReader.of(path, drop_strings)
        case "parquet":
            return ParquetReader(path)
    raise DataError(f"{path}: cannot be read in pieces; files end in {ENDINGS}")


def files_of(pattern: str) -> list[str]:
    """Return the files that a path, or a pattern such as ``data/*.parquet``, names, sorted."""
    found = sorted(glob(pattern, recursive=True)) if has_magic(pattern) else [pattern]  # noqa: PTH207
    found = [path for path in found if not Path(path).is_dir()]
    if not found:
        raise DataError(f"{pattern}: no file has such a name")
    return found
