"""Named columns in blocks of rows, as a file or a frame has them, and the one way to join them.

Every format opens as a `Source`, which yields its rows in blocks: per column texts, or cells whose type is
known. `joined` joins the blocks in one pass, and decides at the end what the texts of a column are
(`gatree.data.texts`). Plain numbers are kept as numbers on the way, all other texts by codes; a column of
numbers whose last row turns out to be text is collected again, in a second pass.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.base.limits import MOST_CELLS, refuse_above
from gatree.data.attribute import MISSING, Attribute, Column, Kind, Reading, missing
from gatree.data.texts import MISSING_WORDS, PLAIN_NUMBER, Clues, Decoder, Verdict, decide


@dataclass(frozen=True)
class ReadOptions:
    """What a person says of a table that its reader would else find out.

    Parameters
    ----------
    kinds : mapping
        What columns are, by name.
    day_first : bool, optional
        Whether the day comes first in dates that do not show it.
    header : bool, optional
        Whether the first row holds the names of the columns.
    sheet : str, optional
        The sheet of an Excel file; the first one by default.
    drop_strings : bool
        Leave out ARFF attributes of type string.
    separator : str, optional
        What separates the values of a CSV file.
    missing_words : tuple of str
        The words that mean a missing value in any column of text.
    like : tuple of Attribute
        Columns of an earlier table, as a tree knows them: those with their names are read in the same way.
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    day_first: bool | None = None
    header: bool | None = None
    sheet: str | None = None
    drop_strings: bool = False
    separator: str | None = None
    missing_words: tuple[str, ...] = MISSING_WORDS
    like: tuple[Attribute, ...] = ()

    def decide(self, clues: Mapping[str, Clues], separator: str, where: str) -> dict[str, Verdict]:
        """Return how columns of texts are read."""
        kinds = {attribute.name: _kind_of(attribute) for attribute in self.like if attribute.is_nominal}
        readings = {attribute.name: attribute.reading for attribute in self.like if attribute.reading}
        try:
            return decide(
                clues,
                separator=separator,
                kinds={**kinds, **self.kinds},
                day_first=self.day_first,
                like=readings,
            )
        except DataError as error:
            raise DataError(f"{where}: {error}") from None

    def keeps_texts(self, name: str) -> bool:
        """Return whether the texts of a column matter even if all are plain numbers."""
        return self.kinds.get(name) in ("category", "date") or any(
            name == attribute.name and attribute.is_nominal for attribute in self.like
        )


def _kind_of(attribute: Attribute) -> Kind:
    return "category" if attribute.is_nominal else "number" if attribute.date_format is None else "date"


class Typed(NamedTuple):
    """Cells whose type is known. The values of a nominal attribute may be those of the block only."""

    attribute: Attribute
    column: Column


Cells = Sequence[str] | Typed
Block = list[Cells]


def n_cells_of(cells: Cells) -> int:
    """Return how many cells there are."""
    return len(cells.column if isinstance(cells, Typed) else cells)


class Source(Protocol):
    """A file or a frame that can be read in blocks, again and again."""

    @property
    def path(self) -> str:
        """What errors call it."""

    @property
    def name(self) -> str: ...

    @property
    def names(self) -> list[str]:
        """The names of the columns; empty where there is none."""

    @property
    def first_row(self) -> list[str] | None:
        """The row that was taken for names, if it could be one of the data."""

    @property
    def separator(self) -> str:
        """What separates the values, if anything does."""

    @property
    def declares(self) -> bool:
        """Whether a header says what the columns are, their values, and the order of these."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about how it was read."""

    def blocks(self, begin: int = 0, end: float = math.inf) -> Iterator[Block]:
        """Yield the rows from `begin` to `end`."""


@dataclass(frozen=True)
class Joined:
    """Columns that were read whole: what a `gatree.data.dataset.Table` is made of."""

    name: str
    path: str
    attributes: tuple[Attribute, ...]
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    declares: bool = False


def refuse_repeated(names: Sequence[str], where: str) -> None:
    """Raise a DataError if two columns have one name."""
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise DataError(f"{where}: two columns are called {shown(repeated)}")


def full_names(source: Source) -> list[str]:
    """Return names for all columns: those without one are called by their position."""
    if source.declares:
        return source.names
    return [name or other for name, other in zip(source.names, _by_position(len(source.names)), strict=True)]


def _by_position(n_columns: int) -> list[str]:
    return [f"column{position}" for position in range(1, n_columns + 1)]


def keys_of(source: Source) -> list[str]:
    """Return different names for all columns, in case that the first row has no names."""
    names = full_names(source)
    return names if len(set(names)) == len(names) else _by_position(len(names))


# ---------------------------------------------------------------------------------------------- reading whole


class Opener(Protocol):
    """Opens a source again, with or without its first row as names."""

    def __call__(self, options: ReadOptions) -> Source: ...


def joined(opener: Opener, options: ReadOptions) -> Joined:
    """Read a source whole."""
    source = opener(options)
    names = full_names(source)
    keys = keys_of(source)
    growing = [_Growing(options, options.keeps_texts(key)) for key in keys]
    n_cells = 0
    for block in source.blocks():
        for column, cells in zip(growing, block, strict=True):
            column.add(cells)
            n_cells += n_cells_of(cells)
        refuse_above(MOST_CELLS, n_cells, "cells", source.path)
    verdicts = _verdicts(source, options, dict(zip(keys, growing, strict=True)))
    parts = [column.finished(key, verdicts.get(key)) for key, column in zip(keys, growing, strict=True)]
    if source.first_row is not None and _starts_with_data(source.first_row, parts):
        again = joined(opener, replace(options, header=False))
        return replace(again, notes=(no_header_note(source.path, len(names)), *again.notes))
    refuse_repeated(names, source.path)
    kept = [
        part
        for part, given in zip(parts, source.names, strict=True)
        if given or source.declares or not bool(missing(part.column).all())
    ]
    notes = tuple(verdict.note for verdict in verdicts.values() if verdict.note)
    return Joined(
        name=source.name,
        path=source.path,
        attributes=tuple(part.attribute for part in kept),
        columns=tuple(part.column for part in kept),
        notes=(*source.notes, *notes),
        declares=source.declares,
    )


def no_header_note(where: str, n_columns: int) -> str:
    """Return what to say of a file whose first row is one of the data."""
    return (
        f"warning: {where} has no header, so its columns are called column1 to column{n_columns}; "
        "--header takes the first row for names"
    )


def _starts_with_data(first_row: Sequence[str], parts: Sequence[Typed]) -> bool:
    cells = [text.strip() for text in first_row]
    numbers = [
        math.nan if bool(missing(column).all()) else number_in(attribute, text)
        for text, (attribute, column) in zip(cells, parts, strict=True)
    ]
    again = [
        bool(np.any(column == number)) or text in attribute.values
        for text, number, (attribute, column) in zip(cells, numbers, parts, strict=True)
    ]
    return is_data(cells, numbers, again)


def is_data(cells: Sequence[str], numbers: Sequence[float], again: Sequence[bool]) -> bool:
    """Return whether the row that was taken for names is one of the data, beyond doubt.

    That needs a column that is numbers or dates in all rows, this one too, and a repeated name, a fraction,
    or a value that its column has again.

    Parameters
    ----------
    cells : sequence of str
        The row.
    numbers : sequence of float
        Each cell as a number of its column, NaN where that is none.
    again : sequence of bool
        Whether its column has a cell again.
    """
    if all(map(math.isnan, numbers)):
        return False
    has_fraction = any(number % 1 for number in numbers if math.isfinite(number))
    return has_fraction or len(set(cells)) < len(cells) or any(again)


def number_in(attribute: Attribute, text: str) -> float:
    """Return a text as a number or date of a column, or NaN."""
    return math.nan if attribute.is_nominal else _decoder(attribute)[text]


def _decoder(attribute: Attribute) -> Decoder:
    return Decoder(attribute.reading or Reading("number"))


def _verdicts(source: Source, options: ReadOptions, columns: Mapping[str, _Growing]) -> dict[str, Verdict]:
    """Decide how texts are read; texts that were only kept as numbers are collected again if they matter."""
    clues = {name: column.clues() for name, column in columns.items() if column.is_text}
    verdicts = options.decide(clues, source.separator, source.path)
    late = [name for name, verdict in verdicts.items() if columns[name].lost_texts(verdict)]
    if not late:
        return verdicts
    for name in late:
        columns[name].restart()
    positions = {position: column for position, (name, column) in enumerate(columns.items()) if name in late}
    for block in source.blocks():
        for position, column in positions.items():
            column.add(block[position])
    clues |= {name: columns[name].clues() for name in late}
    return options.decide(clues, source.separator, source.path)


class Codes(dict[str, int]):
    """The code of every spelling that was met: blanks around a value do not count."""

    def __init__(self, missing_words: Sequence[str]) -> None:
        super().__init__()
        self._missing_words = frozenset(missing_words)
        self.values_: dict[str, int] = {}

    def __missing__(self, spelling: str) -> int:
        value = spelling.strip()
        is_missing = value in self._missing_words
        self[spelling] = MISSING if is_missing else self.values_.setdefault(value, len(self.values_))
        return self[spelling]

    def of(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return the codes of cells."""
        return np.fromiter(map(self.__getitem__, words), np.int32, count=len(words))


def plain_numbers(words: Sequence[str], missing_words: Sequence[str]) -> NDArray[np.float64]:
    """Return cells as numbers; a ValueError if one of them is known and no plain number."""
    joined = " ".join(words)
    # float() also takes 1_000, digits of all scripts, and nan for numbers
    if joined.isascii() and not any(letter in joined for letter in "_nN"):
        try:
            return np.fromiter(map(float, words), np.float64, count=len(words))
        except ValueError:
            pass  # an empty cell, most likely
    return np.array([_plain_number(word.strip(), missing_words) for word in words], np.float64)


def _plain_number(word: str, missing_words: Sequence[str]) -> float:
    if word in missing_words:
        return math.nan
    if not PLAIN_NUMBER.fullmatch(word):
        raise ValueError(word)
    return float(word)


class _Growing:
    """A column, as far as it was read."""

    def __init__(self, options: ReadOptions, keeps_texts: bool) -> None:
        self._missing_words = options.missing_words
        self._numbers_are_missing = any(map(PLAIN_NUMBER.fullmatch, options.missing_words))
        self.is_text = keeps_texts
        self._codes = Codes(options.missing_words)
        self._parts: list[Column] = []
        self._typed: Attribute | None = None
        self._has_floats = False

    def add(self, cells: Cells) -> None:
        """Take some more cells."""
        if isinstance(cells, Typed):
            self._add_typed(cells)
            return
        if not self.is_text:
            try:
                self._parts.append(self._plain(cells))
            except ValueError:
                self.is_text = True
            else:
                self._has_floats = True
                return
        self._parts.append(self._codes.of(cells))

    def _plain(self, words: Sequence[str]) -> NDArray[np.float64]:
        if self._numbers_are_missing:
            return np.array([_plain_number(word.strip(), self._missing_words) for word in words], np.float64)
        return plain_numbers(words, self._missing_words)

    def _add_typed(self, cells: Typed) -> None:
        attribute, column = cells
        if attribute.is_nominal and not (self._typed and attribute.values == self._typed.values):
            before = {value: code for code, value in enumerate(self._typed.values)} if self._typed else {}
            codes = [before.setdefault(value, len(before)) for value in attribute.values]
            column = np.array([*codes, MISSING], dtype=np.int32)[column.astype(np.intp)]
            attribute = replace(attribute, values=tuple(before))
        if self._typed is not None and self._typed.date_format is not None:
            longest = max(self._typed.date_format, attribute.date_format or "", key=len)
            attribute = replace(attribute, date_format=longest)
        self._typed = attribute
        self._parts.append(column)

    def restart(self) -> None:
        """Forget the cells, and keep the texts of those that come."""
        self.is_text, self._has_floats = True, False
        self._codes = Codes(self._missing_words)
        self._parts.clear()

    def clues(self) -> Clues:
        clues = Clues()
        clues.add(self._codes.values_)
        return clues

    def lost_texts(self, verdict: Verdict) -> bool:
        """Return whether the texts of cells that are plain numbers so far are needed."""
        return self._has_floats and not verdict.reading.keeps_plain_numbers

    def finished(self, name: str, verdict: Verdict | None) -> Typed:
        """Return the column; its cells are let go here."""
        parts, self._parts = self._parts, []
        if self._typed is not None:
            return Typed(replace(self._typed, name=name), _in_one(parts, np.float64))
        if verdict is None:
            return Typed(Attribute(name, "numeric"), _in_one(parts, np.float64))
        reading = verdict.reading
        attribute = attribute_of(name, verdict, self._codes.values_)
        if attribute.is_nominal:
            return Typed(attribute, _in_one(parts, np.int32))
        decoder = Decoder(reading, frozenset(self._missing_words))
        numbers = np.array([*(decoder[value] for value in self._codes.values_), np.nan])  # MISSING is -1
        for at, part in enumerate(parts):
            if part.dtype != np.float64:
                parts[at] = numbers[part]
        return Typed(attribute, _in_one(parts, np.float64))


def attribute_of(name: str, verdict: Verdict | None, values: Iterable[str] = ()) -> Attribute:
    """Return the attribute of a column of texts, which has these values if they are categories."""
    reading = None if verdict is None or verdict.is_plain else verdict.reading
    if verdict is not None and verdict.reading.kind == "category":
        return Attribute(name, "nominal", tuple(values), by_appearance=True, reading=reading)
    return Attribute(name, "numeric", date_format=reading.pattern if reading else None, reading=reading)


def _in_one(parts: list[Column], dtype: type) -> Column:
    """Return the blocks of a column in one, and let them go."""
    whole: Any = np.concatenate(parts) if parts else np.empty(0, dtype)
    parts.clear()
    return whole  # type: ignore[no-any-return]
