"""CSV files to a `Dataset`, some thousand rows at a time, so that memory holds little beside the columns.

A column is numeric if all that is known in it are numbers, else nominal, its values in order of first
appearance. The target is always nominal; classes that are numbers are sorted. What stands for a missing
value is as narrow as can be, so that "None" stays a value.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.dataset import Dataset
from gatree.data.files import WHOLE, Text, open_text
from gatree.data.target import checked_target, label
from gatree.errors import DataError
from gatree.limits import MOST_CELLS, MOST_CLASSES, refuse_above

MISSING_WORDS = ("", "?", "NA", "NaN", "nan", "null")
"""What stands for a missing value in a CSV file."""

_ROWS_AT_A_TIME = 4096
_MANY_NUMBERS = 10  # fewer may be names of groups: 0, 1, 2, more
_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?|inf(?:inity)?)", re.IGNORECASE
)
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,4000}")


def read_csv(
    path: str | Path,
    target: str | None = None,
    *,
    separator: str = ",",
    missing_words: Sequence[str] = MISSING_WORDS,
) -> Dataset:
    """Read a CSV file with a header line, plain or gzipped.

    Parameters
    ----------
    path : str or Path
    target : str, optional
        The column to predict; the last one by default.
    separator : str
        What separates the values, one character.
    missing_words : sequence of str
        What stands for a missing value.

    Raises
    ------
    DataError
        With the file and, where there is one, the line.
    """
    if len(separator) != 1:
        raise DataError(f"the separator must be one character, got {separator!r}")
    file = _CsvFile(path, separator)
    names = file.names()
    position = names.index(target) if target in names else len(names) - 1
    read = _read_columns(file, len(names), position, frozenset(missing_words))
    class_name = checked_target(names, target, str(path))
    class_values, classes = _classes(read.pop(position))
    del names[position]
    return Dataset(
        name=Path(path).name.removesuffix(".gz").removesuffix(".csv"),
        attributes=tuple(map(_attribute, names, read)),
        columns=tuple(column.joined() for column in read),
        class_attribute=Attribute(class_name, "nominal", class_values),
        classes=classes,
        class_position=position,
    )


def read_csv_columns(path: str | Path) -> list[tuple[Attribute, Column]]:
    """Read all columns of a CSV file as attributes: none of them is the class."""
    file = _CsvFile(path, ",")
    names = file.names()
    read = _read_columns(file, len(names), None, frozenset(MISSING_WORDS))
    return [(_attribute(name, column), column.joined()) for name, column in zip(names, read, strict=True)]


def csv_names(path: str | Path, text: Text) -> list[str]:
    """Return the names of a file's columns."""
    return _CsvFile(path, ",", text).names()


def csv_blocks(
    path: str | Path, names: Sequence[str], nominal: Collection[str], text: Text, begin: int, end: float
) -> Iterator[list[tuple[Attribute, Column]]]:
    """Yield the rows from `begin` to `end`, some thousand at a time.

    The columns called `nominal` are; of all others that is seen block by block, so they may be numeric in one
    and nominal in the next.
    """
    missing_words = frozenset(MISSING_WORDS)
    numbers, codes = _Numbers(missing_words), [_Codes(missing_words) for _ in names]

    def parsed(position: int, words: Sequence[str]) -> tuple[Attribute, Column]:
        name = names[position]
        if name not in nominal:
            with suppress(ValueError):
                return Attribute(name, "numeric"), numbers.parsed(words)
        coded = np.fromiter(map(codes[position].__getitem__, words), np.int32, count=len(words))
        return Attribute(name, "nominal", tuple(codes[position].of_values)), coded

    n_before = 0
    for block in _CsvFile(path, ",", text).blocks(len(names)):
        n_rows = len(block[0])
        rows = slice(max(0, begin - n_before), max(0, int(min(n_rows, end - n_before))))
        if rows.start < rows.stop:
            yield [parsed(position, words[rows]) for position, words in enumerate(block)]
        n_before += n_rows


def only_text(values: Sequence[str]) -> str | None:
    """Return what alone makes a column nominal: the one value that is no number, where many others are."""
    texts = list(islice((value for value in values if not _NUMBER.fullmatch(value)), 2))
    return texts[0] if len(texts) == 1 and len(values) > _MANY_NUMBERS else None


# ----------------------------------------------------------------------------------------------- records


@dataclass(frozen=True)
class _CsvFile:
    path: str | Path
    separator: str
    text: Text = WHOLE

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


# ----------------------------------------------------------------------------------------------- columns


class _Numbers:
    """A column of numbers, as far as it was read."""

    def __init__(self, missing_words: frozenset[str]) -> None:
        self._missing_words = missing_words
        self._may_be_plain = not any(map(_NUMBER.fullmatch, missing_words))
        self._blocks: list[NDArray[np.float64]] = []

    def add(self, words: Sequence[str]) -> None:
        """Take some more cells; a ValueError if one of them is known and no number."""
        self._blocks.append(self.parsed(words))

    def parsed(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return cells as numbers; a ValueError if one of them is known and no number."""
        if self._may_be_plain and _as_float_reads(" ".join(words)):
            try:
                return np.fromiter(map(float, words), np.float64, count=len(words))
            except ValueError:
                pass  # an empty cell, most likely
        return np.array([self._number(word.strip()) for word in words])

    def _number(self, word: str) -> float:
        if word in self._missing_words:
            return math.nan
        if not _NUMBER.fullmatch(word):
            raise ValueError(word)
        return float(word)

    def joined(self) -> NDArray[np.float64]:
        column = np.concatenate(self._blocks)
        self._blocks.clear()
        return column


def _as_float_reads(words: str) -> bool:
    """Tell whether float() can be asked: it also takes 1_000, digits of all scripts, and nan for numbers."""
    return words.isascii() and not ("_" in words or "n" in words or "N" in words)


class _Texts:
    """A column of text, as far as it was read."""

    def __init__(self, missing_words: frozenset[str]) -> None:
        self._codes = _Codes(missing_words)
        self._blocks: list[NDArray[np.int32]] = []

    def add(self, words: Sequence[str]) -> None:
        self._blocks.append(np.fromiter(map(self._codes.__getitem__, words), np.int32, count=len(words)))

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(self._codes.of_values)

    @property
    def n_values(self) -> int:
        return len(self._codes.of_values)

    def joined(self) -> NDArray[np.int32]:
        column = np.concatenate(self._blocks)
        self._blocks.clear()
        return column


class _Codes(dict[str, int]):
    """The code of every spelling that was met: blanks around a value do not count."""

    def __init__(self, missing_words: frozenset[str]) -> None:
        super().__init__()
        self._missing_words = missing_words
        self.of_values: dict[str, int] = {}

    def __missing__(self, spelling: str) -> int:
        value = spelling.strip()
        missing = value in self._missing_words
        self[spelling] = MISSING if missing else self.of_values.setdefault(value, len(self.of_values))
        return self[spelling]


_Column = _Numbers | _Texts


def _read_columns(
    file: _CsvFile, n_columns: int, target: int | None, missing_words: frozenset[str]
) -> list[_Column]:
    """Return all columns. One that turns out to be text late in the file is read once more."""
    columns: list[_Column] = [_Numbers(missing_words) for _ in range(n_columns)]
    if target is not None:
        columns[target] = _Texts(missing_words)
    late: set[int] = set()
    for number, block in enumerate(file.blocks(n_columns)):
        for position, words in enumerate(block):
            try:
                if position not in late:
                    columns[position].add(words)
            except ValueError:
                columns[position] = _Texts(missing_words)
                if number == 0:
                    columns[position].add(words)
                else:
                    late.add(position)
        if target is not None:
            _refuse_many_classes(file, columns[target])
    if late:
        for block in file.blocks(n_columns):
            for position in late:
                columns[position].add(block[position])
    return columns


def _refuse_many_classes(file: _CsvFile, target: _Column) -> None:
    if isinstance(target, _Texts):
        refuse_above(MOST_CLASSES, target.n_values, "classes or more", str(file.path))


def _attribute(name: str, column: _Column) -> Attribute:
    if isinstance(column, _Texts):
        return Attribute(name, "nominal", column.values)
    return Attribute(name, "numeric")


def _classes(target: _Column) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the class values, sorted if all of them are numbers, and the class of every row."""
    assert isinstance(target, _Texts)
    labels, recoded = class_order(target.values)
    return labels, np.append(recoded, MISSING).astype(np.int32)[target.joined()]  # MISSING is -1: the last


def class_order(values: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the classes of values in order of first appearance, and the class of each value.

    If all of them are numbers they are sorted, and the same number is the same class.
    """
    if not all(map(_NUMBER.fullmatch, values)):
        return tuple(values), np.arange(len(values), dtype=np.int32)
    all_whole = all(map(_WHOLE_NUMBER.fullmatch, values))
    numbers = [int(value) if all_whole else float(value) for value in values]
    rising = sorted(set(numbers))
    position = {number: index for index, number in enumerate(rising)}
    classes = np.array([position[number] for number in numbers], dtype=np.int32)
    return tuple(map(label, rising)), classes
