"""What every format opens as: named columns, whose cells come in blocks of rows.

A block has, per column, plain numbers, texts, or cells whose type is known. `gatree.data.reading` makes
attributes and columns of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, counted, listed_names, shown
from gatree.data.attribute import MISSING_WORDS, Attribute, Column, Kind, missing
from gatree.data.files import name_of_file
from gatree.data.number_texts import PLAIN_NUMBER

_ROWS_TO_SEE = 50


Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True)
class ReadOptions:
    """What a person says of a table that its reader would else find out."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)  # of columns, by name
    day_first: bool | None = None  # in dates that do not show it
    header: bool | None = None  # whether the first row holds the names of the columns
    sheet: str | None = None  # of an Excel file; the first one by default
    drop_strings: bool = False  # leave out ARFF attributes of type string
    separator: str | None = None  # of the values of a CSV file
    missing_words: tuple[str, ...] = MISSING_WORDS  # that mean a missing value in any column of text
    like: tuple[Attribute, ...] = ()  # of an earlier table: columns with their names are read as they were

    @property
    def known_kinds(self) -> dict[str, Kind]:
        """What columns are, whatever their texts look like."""
        nominal: dict[str, Kind] = {each.name: "category" for each in self.like if each.is_nominal}
        return {**nominal, **self.kinds}


class Typed(NamedTuple):
    """Cells whose type is known. The values of a nominal attribute may be those of the block only."""

    attribute: Attribute
    column: Column


class Texts(NamedTuple):
    """Cells that are texts: the different ones, in order of first appearance, and which each is, or -1.

    A frame keeps the blanks around its texts, which a file of text has for layout.
    """

    values: Sequence[str]
    codes: NDArray[np.int32]
    keeps_blanks: bool = False

    @classmethod
    def of(cls, cells: Any) -> Texts:
        """Return a sequence of texts, or a series of pandas; what is no text is missing."""
        import pandas as pd

        series = cells if isinstance(cells, pd.Series) else pd.Series(cells, dtype=object)
        codes, values = series.factorize()
        texts: Any = values.tolist()
        return cls(texts, codes.astype(np.int32))

    def mapped(self, numbers: Mapping[str, float], missing: float, dtype: type[Number]) -> NDArray[Number]:
        """Return the number of every cell, given that of each text."""
        return np.array([*map(numbers.__getitem__, self.values), missing], dtype)[self.codes]


Cells = Texts | NDArray[np.float64] | Typed
"""Texts, texts that all were plain numbers, or cells of a type."""

Block = list[Cells]


def n_cells_of(cells: Cells) -> int:
    """Return how many cells there are."""
    return len(cells if isinstance(cells, np.ndarray) else cells[1])


def type_of(cells: Cells) -> str:
    """Return what cells are of which no text has to be read; empty without a value."""
    if isinstance(cells, Typed):
        return (
            "" if missing(cells.column).all() else "categories" if cells.attribute.is_nominal else "numbers"
        )
    is_empty = np.isnan(cells).all() if isinstance(cells, np.ndarray) else np.all(cells.codes < 0)
    return "" if is_empty else "text"


class Source:
    """A file or a frame that can be read in blocks, again and again."""

    path: str
    """What errors call it."""

    separator: str = ""
    """What separates the values, if anything does."""

    most_rows: int = 0
    """The number of rows, or a little more, if it is known before they are read."""

    declared_at: Mapping[str, int] = MappingProxyType({})
    """The line of each column's declaration, if a header says what the columns and their values are."""

    @property
    def declares(self) -> bool:
        """Whether a header says what the columns are, their values, and the order of these."""
        return bool(self.declared_at)

    @property
    def name(self) -> str:
        """What the table is called: a file's name without its folder and ending."""
        return name_of_file(self.path)

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns; empty where there is none."""
        raise NotImplementedError

    @property
    def first_row(self) -> list[str] | None:
        """The row that was taken for names, if it could be one of the data."""
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about how it was read."""
        return ()

    def blocks(self, texts: Collection[str] = ()) -> Iterator[Block]:
        """Yield all rows; of the columns named in ``texts``, by their full names, texts and no numbers."""
        raise NotImplementedError

    @property
    def full_names(self) -> list[str]:
        """Different names for all columns: one without a name is called by its position, a second a_2."""
        if self.declares:
            return list(self.names)
        found: dict[str, None] = {}
        for at, name in enumerate(self.names, start=1):
            base, n = name or f"column{at}", 1
            full = base
            while full in found:
                n += 1
                full = f"{base}_{n}"
            found[full] = None
        return list(found)

    def renamed(self) -> list[str]:
        """Return a note for each column that has the name of an earlier one."""
        pairs = zip(self.names, self.full_names, strict=True)
        return [
            f"{full}: another column that is called {name}" for name, full in pairs if name and name != full
        ]


@dataclass(frozen=True)
class SeveralFiles(Source):
    """Files with the same columns, in any order, read as one."""

    path: str
    files: tuple[Source, ...]

    @property
    def name(self) -> str:
        return f"{Path(self.files[0].path).parent.name or 'data'} ({len(self.files)} files)"

    @property
    def separator(self) -> str:  # type: ignore[override]
        return self.files[0].separator

    @property
    def declared_at(self) -> Mapping[str, int]:  # type: ignore[override]
        return self.files[0].declared_at

    @property
    def names(self) -> Sequence[str]:
        return self.files[0].names

    @property
    def most_rows(self) -> int:  # type: ignore[override]
        return sum(file.most_rows for file in self.files)

    @property
    def first_row(self) -> list[str] | None:
        return self.files[0].first_row

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(note for file in self.files for note in file.notes))

    def blocks(self, texts: Collection[str] = ()) -> Iterator[Block]:
        types: dict[str, tuple[str, str]] = {}  # of the columns that have values, and the file that shows it
        for file in self.files:
            self._refuse_other_columns(file)
            for block in file.blocks(texts):
                cells_of = dict(zip(file.full_names, block, strict=True))
                for name, cells in cells_of.items():
                    if type_ := type_of(cells):
                        before, where = types.setdefault(name, (type_, file.path))
                        if type_ != before:
                            holds = f"holds {type_}, but in {where} it holds {before}"
                            raise DataError(f"{file.path}: column {shown(name)} {holds}")
                yield [cells_of[name] for name in self.full_names]

    def _refuse_other_columns(self, other: Source) -> None:
        """Refuse a file that has other columns than the first one."""
        first, names, others = self.files[0].path, self.full_names, other.full_names
        if gone := [name for name in names if name not in others]:
            raise DataError(f"{other.path}: has no column {shown(gone[0])}, but {first} has")
        if added := [name for name in others if name not in names]:
            raise DataError(f"{other.path}: has a column {shown(added[0])}, but {first} has none")


class RowsOfTexts(Source):
    """A source whose first row may hold the names of its columns, below lines with a title."""

    header: bool | None

    def rows(self) -> Iterator[list[str]]:
        """Yield all rows, those above the names and these included."""
        raise NotImplementedError

    @cached_property
    def _first(self) -> tuple[list[str], list[list[str]]]:
        rows = list[list[str]]()
        with suppress(DataError):
            rows.extend(islice(self.rows(), _ROWS_TO_SEE))  # those before an error stay
        n = n_titles(rows)
        return [" ".join(filter(None, row)) for row in rows[:n]], rows[n:]

    @property
    def titles(self) -> list[str]:
        return self._first[0]

    @property
    def first_rows(self) -> list[list[str]]:
        """Some rows, from the first that is no title on."""
        return self._first[1]

    @property
    def top(self) -> list[str]:
        """The row that may hold the names."""
        if not self.first_rows:
            next(self.rows(), None)  # says what is wrong
            raise DataError(f"{self.path}: is empty; its first line should name the columns")
        return self.first_rows[0]

    @property
    def n_above(self) -> int:
        """The number of rows above the data."""
        return len(self.titles) + (self.header is not False)

    @property
    def names(self) -> list[str]:
        return [""] * len(self.top) if self.header is False else [name.strip() for name in self.top]

    @property
    def first_row(self) -> list[str] | None:
        return self.top if self.header is None else None

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.titles:
            return ()
        listed = listed_names(repr(title) for title in self.titles if title)
        return (f"{counted(len(self.titles), 'line')} above the header left out: {listed}",)


def n_titles(rows: Sequence[Sequence[str]]) -> int:
    """Return how many of the first rows are titles: less than half as wide as the table, above its names."""
    widths = [sum(map(bool, map(str.strip, row))) for row in rows]
    n = next((at for at, width in enumerate(widths) if width > max(1, max(widths) / 2)), 0)
    is_header = 0 < n < len(rows) - 1 and all(map(str.strip, rows[n][1:]))  # the first column may be empty
    return n if is_header and not any(PLAIN_NUMBER.fullmatch(cell.strip()) for cell in rows[n]) else 0
