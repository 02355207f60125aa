"""Read CSV files into a `Dataset`, some thousand rows at a time, so that memory holds little but the columns.

A column is numeric if all that is known in it are numbers, or dates of one form (`date_columns`). Others are
nominal, their values in order of first appearance. The target is always nominal; classes that are numbers
are sorted. Few words mean a missing value, so that "None" stays a value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.base.limits import MOST_CLASSES, refuse_above
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.csv_records import ENDINGS, TAB_SEPARATED, CsvFile, has_decimal_comma
from gatree.data.dataset import Dataset
from gatree.data.date_columns import dates_of
from gatree.data.files import ANY_SIZE, Block, file_name, write_text
from gatree.data.target import checked_target, label

MISSING_WORDS = ("", "?", "NA", "NaN", "nan", "null")
"""The words that mean a missing value in a CSV file."""

_MANY_NUMBERS = 10  # fewer may be names of groups: 0, 1, 2, more
_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?|inf(?:inity)?)", re.IGNORECASE
)
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,4000}")


def read_csv(
    path: str | Path,
    target: str | None = None,
    *,
    separator: str | None = None,
    missing_words: Sequence[str] = MISSING_WORDS,
) -> Dataset:
    """Read a CSV file with a header line, plain or gzipped.

    Parameters
    ----------
    path : str or Path
    target : str, optional
        The column to predict; the last one by default.
    separator : str, optional
        What separates the values, one character. By default the comma, semicolon, tab or bar that parts the
        header and the first rows alike; in a .tsv file the tab. With semicolons, numbers may have a decimal
        comma.
    missing_words : sequence of str
        The words that mean a missing value.

    Raises
    ------
    DataError
        With the file and, if known, the line.
    """
    if separator is not None and not (isinstance(separator, str) and re.fullmatch(r'[^"\r\n]', separator)):
        raise DataError(f"the separator must be one character, and no quote or line end, got {separator!r}")
    file = CsvFile.of(path, separator)
    names = file.names()
    position = names.index(target) if target in names else len(names) - 1
    read = _read_columns(file, len(names), position, frozenset(missing_words))
    class_name = checked_target(names, target, str(path))
    class_values, classes = _classes(read.pop(position))
    del names[position]
    finished = list(map(_finished, names, read))
    return Dataset(
        name=file_name(path, ENDINGS),
        attributes=tuple(attribute for attribute, _ in finished),
        columns=tuple(column for _, column in finished),
        class_attribute=Attribute(class_name, "nominal", class_values),
        classes=classes,
        class_position=position,
    )


def read_csv_columns(path: str | Path) -> list[tuple[Attribute, Column]]:
    """Read all columns of a CSV file as attributes: none of them is the class."""
    file = CsvFile.of(path)
    names = file.names()
    read = _read_columns(file, len(names), None, frozenset(MISSING_WORDS))
    return list(map(_finished, names, read))


def write_csv(dataset: Dataset, path: str | Path) -> None:
    """Write a data set as CSV, gzipped if the path ends in ``.gz``. CSV does not say what is nominal."""
    separator = "\t" if str(path).lower().endswith(TAB_SEPARATED) else ","
    write_text(path, dataset.to_frame().to_csv(index=False, sep=separator, lineterminator="\n"))


def csv_blocks(
    file: CsvFile, names: Sequence[str], nominal: Collection[str], begin: int, end: float
) -> Iterator[Block]:
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
    for block in file.blocks(len(names)):
        n_rows = len(block[0])
        rows = slice(max(0, begin - n_before), max(0, int(min(n_rows, end - n_before))))
        if rows.start < rows.stop:
            yield [parsed(position, words[rows]) for position, words in enumerate(block)]
        n_before += n_rows


def only_text(values: Sequence[str]) -> str | None:
    """Return what alone makes a column nominal: the one value that is no number, where many others are."""
    texts = list(islice((value for value in values if not _NUMBER.fullmatch(value)), 2))
    return texts[0] if len(texts) == 1 and len(values) > _MANY_NUMBERS else None


def only_decimal_commas(values: Sequence[str]) -> bool:
    """Tell whether a column is nominal because its numbers have commas, which are no decimal points here."""
    texts = [value for value in values if not _NUMBER.fullmatch(value)]
    return bool(texts) and len(values) > _MANY_NUMBERS and all(map(has_decimal_comma, texts))


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
    file: CsvFile, n_columns: int, target: int | None, missing_words: frozenset[str]
) -> list[_Column]:
    """Return all columns. One that turns out to be text late in the file is read again."""
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


def _refuse_many_classes(file: CsvFile, target: _Column) -> None:
    if isinstance(target, _Texts):
        refuse_above(MOST_CLASSES, target.n_values, "classes or more", str(file.path))


def _finished(name: str, column: _Column) -> tuple[Attribute, Column]:
    """Return a column that was read: numbers, dates in order, or the codes of categories."""
    if isinstance(column, _Numbers):
        return Attribute(name, "numeric"), column.joined()
    if (dates := dates_of(column.values)) is not None:
        pattern, milliseconds = dates
        with_missing = np.append(milliseconds, np.nan)  # MISSING is -1: the last
        return Attribute(name, "numeric", date_format=pattern), with_missing[column.joined()]
    return Attribute(name, "nominal", column.values, by_appearance=True), column.joined()


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


@dataclass(frozen=True)
class CsvReader:
    """A CSV file, which is scanned once, when it is first opened."""

    file: CsvFile
    declares: bool = False

    @classmethod
    def of(cls, path: str) -> CsvReader:
        return cls(CsvFile.of(path, text=ANY_SIZE))

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
