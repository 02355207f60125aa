"""The columns of a table, gathered block by block: the one way to read, whole or in pieces.

`summarise` makes a pass over a source. Of every column it notes how often each value comes, or a summary of
its numbers; when a table is read whole, it keeps the cells instead. Summaries are small and can be sent, and
are merged in the order of the files, so it does not matter which process has read which. `settle` then
decides what the columns are (`gatree.data.texts`). Texts that were only taken as plain numbers, and turn out
to matter, are gathered in another pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.base.limits import MOST_CELLS, MOST_TESTS, refuse_above
from gatree.data.attribute import MISSING, MISSING_WORDS, Attribute, Column, Reading
from gatree.data.blocks import Cells, ReadOptions, Source, Texts, Typed, n_cells_of
from gatree.data.quantiles import NumberSummary
from gatree.data.texts import Clues, Decoder, Verdict, decide

MOST_COUNTED = 50_000
"""The maximum of different texts that are counted before it is known what they are."""


class Codes(dict[str, int]):
    """The code of every spelling that was met: blanks around a value do not count in files of text."""

    def __init__(self, missing_words: Iterable[str] = MISSING_WORDS, values: Iterable[str] = ()) -> None:
        super().__init__()
        self._missing_words = frozenset(missing_words)
        self.values_ = {value: code for code, value in enumerate(values)}  # in order of first appearance

    def __missing__(self, spelling: str) -> int:
        self[spelling] = self._code_unless_missing(spelling.strip())
        return self[spelling]

    def _code_unless_missing(self, value: str) -> int:
        is_missing = value.strip() in self._missing_words and value not in self.values_
        return MISSING if is_missing else self._code(value)

    def _code(self, value: str) -> int:
        return self.values_.setdefault(value, len(self.values_))

    def of(self, cells: Texts | Typed) -> NDArray[np.int32]:
        """Return the codes of texts, or of cells whose values are declared as they stand."""
        if isinstance(cells, Typed):
            return self.of_values(cells.attribute.values)[cells.column.astype(np.intp)]
        if cells.keeps_blanks:
            codes = [*map(self._code_unless_missing, cells.values), MISSING]
            return np.array(codes, dtype=np.int32)[cells.codes]
        return cells.mapped(self, MISSING, np.int32)

    def of_values(self, values: Iterable[str]) -> NDArray[np.int32]:
        """Return the codes of declared values, and last that of a missing one."""
        return np.array([*map(self._code, values), MISSING], dtype=np.int32)


class GatheredColumn:
    """A column, as far as it was read.

    Of texts that may be numbers or dates, at most `MOST_COUNTED` are counted unless cells are kept: if there
    are more, they are read again once it is known how.
    """

    def __init__(
        self,
        name: str,
        missing_words: Sequence[str] = MISSING_WORDS,
        keeps_cells: bool = True,
        counts_all: bool = False,
        first: str | None = None,
        values: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.attribute: Attribute | None = None  # of cells whose type is known
        self.clues: Clues | None = None  # of texts that are not all plain numbers
        self.numbers = NumberSummary()
        self.counts: NDArray[np.int64] | None = np.zeros(0, dtype=np.int64)  # of the values
        self.has_plain = self.has_value = self.has_first = False
        self.parts: list[Column] = []
        self._missing_words, self._keeps_cells, self._first = missing_words, keeps_cells, first
        self._most = math.inf if keeps_cells or counts_all else MOST_COUNTED
        self._codes = Codes(missing_words, values)

    @property
    def values(self) -> dict[str, int]:
        """The code of each value, in order of first appearance."""
        return self._codes.values_

    def add(self, cells: Cells, decoder: Decoder | None = None) -> None:
        """Take some more cells; how texts are read may be known."""
        if isinstance(cells, Typed):
            self._add_typed(cells)
        elif isinstance(cells, np.ndarray):
            self.has_plain = True
            self._add_numbers(cells)
            if self._first is not None and not self.has_first:
                self.has_first = bool(np.any(cells == Decoder(Reading("number"))[self._first]))
        elif decoder is not None:
            self._add_numbers(decoder.of(cells))
        else:
            self._add_texts(cells)

    def _add_typed(self, cells: Typed) -> None:
        attribute, before = cells.attribute, self.attribute
        if before is not None and before.kind != attribute.kind and self.has_value:
            raise DataError(f"column {shown(self.name)} holds numbers in some rows and text in others")
        self._take_type(attribute)
        if attribute.is_nominal:
            self._add_codes(self._codes.of(cells))
        else:
            self._add_numbers(cells.column.astype(np.float64, copy=False))

    def _take_type(self, attribute: Attribute) -> None:
        """Note the type of cells; of dates, the pattern that holds all of them."""
        before = self.attribute.date_format if self.attribute else None
        pattern = max(before or "", attribute.date_format or "", key=len)
        self.attribute = replace(attribute, values=(), date_format=pattern or None)

    def _add_texts(self, cells: Texts) -> None:
        n_before = len(self.values)
        codes = self._codes.of(cells)
        new = list(self.values)[n_before:]
        if new:
            self.clues = self.clues or Clues()
            self.clues.add(map(str.strip, new))
            self.has_first = self.has_first or self._first in new
        self._add_codes(codes)

    def _add_codes(self, codes: NDArray[np.int32], weights: NDArray[np.int64] | None = None) -> None:
        self.has_value = self.has_value or bool(np.any(codes >= 0))
        refuse_above(MOST_TESTS, len(self.values), f"values of {shown(self.name)}")
        if self._keeps_cells:
            self.parts.append(codes)
        elif self.counts is not None:
            counts = np.bincount(codes[codes >= 0], weights=weights, minlength=len(self.values)).astype(
                np.int64
            )
            counts[: len(self.counts)] += self.counts
            self.counts = counts
        if self.counts is None or (
            len(self.values) > self._most and self.clues and not self.clues.are_categories
        ):
            self.counts, self._codes = None, Codes(self._missing_words)

    def _add_numbers(self, numbers: NDArray[np.float64]) -> None:
        self.has_value = self.has_value or not bool(np.isnan(numbers).all())
        if self._keeps_cells:
            self.parts.append(numbers)
        else:
            self.numbers.add(numbers)

    def merge(self, other: GatheredColumn) -> None:
        """Take what another part of the same column has taken."""
        self.numbers.merge(other.numbers)
        if other.clues is not None:
            self.clues = self.clues or Clues()
            self.clues.merge(other.clues)
        if not self.has_value and (other.has_value or self.attribute is None):
            self.attribute = other.attribute
        elif self.attribute and other.attribute and other.has_value:
            self._take_type(other.attribute)
        self.has_plain = self.has_plain or other.has_plain
        self.has_first = self.has_first or other.has_first
        self.has_value = self.has_value or other.has_value
        if other.counts is None or self.counts is None:
            self.counts = None
        else:
            self._add_codes(self._codes.of_values(other.values)[:-1], other.counts)

    def sendable(self) -> GatheredColumn:
        """Return it without what only its next cells need."""
        self._codes.clear()
        return self

    @property
    def declared_kind(self) -> str:
        """What the cells are of which no text has to be read."""
        if self.attribute is None:
            return "text"
        return "categories" if self.attribute.is_nominal else "numbers"

    def settled(self, verdict: Verdict | None) -> Attribute:
        """Return the attribute; numbers and dates that were counted as texts become numbers."""
        if self.attribute is not None:
            return replace(self.attribute, name=self.name, values=tuple(self.values))
        reading = None if verdict is None or verdict.is_plain else verdict.reading
        if verdict is not None and verdict.reading.kind == "category":
            return Attribute(self.name, "nominal", tuple(self.values), by_appearance=True, reading=reading)
        decoder = Decoder(verdict.reading if verdict else Reading("number"), frozenset(self._missing_words))
        numbers = np.array([*(decoder[value] for value in self.values), np.nan])  # by code
        if self._keeps_cells:
            self.parts = [numbers[part] if part.dtype == np.int32 else part for part in self.parts]
        elif self.counts is not None:
            self.numbers.add(numbers[:-1], self.counts)
        pattern = reading.pattern if reading else None
        return Attribute(self.name, "numeric", date_format=pattern, reading=reading)

    def distribution(self, attribute: Attribute) -> tuple[Column, NDArray[np.int64]]:
        """Return the different cells, and how often each comes."""
        if not attribute.is_nominal:
            return self.numbers.distribution()
        counts = np.zeros(0, dtype=np.int64) if self.counts is None else self.counts
        return np.arange(len(counts), dtype=np.int32), counts

    def column(self, attribute: Attribute) -> Column:
        """Return the cells, which are let go here."""
        own: Any = np.int32 if attribute.is_nominal else np.float64
        gone = MISSING if attribute.is_nominal else np.nan  # parts of the other type have no value
        parts = [part if part.dtype == own else np.full(len(part), gone, own) for part in self.parts]
        self.parts = []
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, own), *parts])


class ScanRequest(NamedTuple):
    """What is asked of a pass over data."""

    keeps_cells: bool = False
    texts: Mapping[str, Reading | None] = MappingProxyType({})
    """The columns whose texts matter, even if they are plain numbers, and how they are read, if it is known;
    nothing is asked of the others, if there are any."""


@dataclass
class Summary:
    """The columns of a file, the class among them, and its number of rows."""

    where: str  # the file, for messages
    columns: dict[str, GatheredColumn]
    n_rows: int
    notes: tuple[str, ...] = ()


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Name a file in errors that do not."""
    try:
        yield
    except DataError as error:
        raise error if str(error).startswith(path) else DataError(f"{path}: {error}") from None


def summarise(source: Source, options: ReadOptions, request: ScanRequest) -> Summary:
    """Return what a pass over a file, or a partition, shows of its columns."""
    keys = source.full_names
    firsts = dict(zip(keys, map(str.strip, source.first_row or ()), strict=False))
    readings = {name: reading for name, reading in request.texts.items() if reading is not None}
    decoders = {name: Decoder(each) for name, each in readings.items() if each.kind != "category"}
    columns = {
        name: GatheredColumn(
            name, options.missing_words, request.keeps_cells, name in readings, firsts.get(name)
        )
        for name in keys
        if not request.texts or name in request.texts
    }
    kept = {name for name, kind in options.known_kinds.items() if kind != "number"}
    n_rows = 0
    with naming(source.path):
        for block in source.blocks(kept | request.texts.keys()):
            n_rows += n_cells_of(block[0]) if block else 0
            if request.keeps_cells:
                refuse_above(MOST_CELLS, n_rows * len(keys), "cells", source.path)
            for name, cells in zip(keys, block, strict=True):
                if name in columns:
                    columns[name].add(cells, decoders.get(name))
    return Summary(
        source.path, {name: each.sendable() for name, each in columns.items()}, n_rows, source.notes
    )


def merged(summaries: Iterable[Summary]) -> Summary:
    """Return the summary of all files; a file that does not fit the first one is named."""
    first, *others = summaries
    for other in others:
        _check_fits(first, other)
        for name, column in first.columns.items():
            column.merge(other.columns[name])
        first.n_rows += other.n_rows
        first.notes = tuple(dict.fromkeys((*first.notes, *other.notes)))
    return first


def _check_fits(first: Summary, other: Summary) -> None:
    """Refuse a file with other columns."""
    missing = [name for name in first.columns if name not in other.columns]
    if missing:
        raise DataError(f"{other.where}: has no column {shown(missing[0])}, but {first.where} has")
    added = [name for name in other.columns if name not in first.columns]
    if added:
        raise DataError(f"{other.where}: has a column {shown(added[0])}, but {first.where} has none")
    for name, now in other.columns.items():
        before = first.columns[name]
        if before.has_value and now.has_value and before.declared_kind != now.declared_kind:
            raise DataError(
                f"{other.where}: column {shown(name)} holds {now.declared_kind}, "
                f"but in {first.where} it holds {before.declared_kind}"
            )


Scan = Callable[[ScanRequest], Iterable[Summary]]
"""Makes a pass over all files or partitions."""


class Settled(NamedTuple):
    """Columns of which it is known what they are."""

    source: Source  # the first one, if there are several
    attributes: dict[str, Attribute]
    summary: Summary
    notes: tuple[str, ...]


def settle(
    opened: Callable[[ReadOptions], tuple[Source, Scan]], options: ReadOptions, keeps_cells: bool = False
) -> Settled:
    """Decide what columns are, in as many passes as that takes, mostly one.

    ``opened`` opens the sources: again if the row that was taken for names is one of the data.
    """
    source, scan = opened(options)
    everything = merged(scan(ScanRequest(keeps_cells)))
    columns, where = everything.columns, everything.where

    def decided() -> dict[str, Verdict]:
        clues = {name: column.clues for name, column in columns.items() if column.clues is not None}
        with naming(where):
            return decide(clues, options, source.separator)

    verdicts = decided()
    late = [
        name
        for name, verdict in verdicts.items()
        if columns[name].has_plain and not verdict.reading.keeps_plain_numbers
    ]
    if late:
        columns |= merged(scan(ScanRequest(keeps_cells, dict.fromkeys(late)))).columns
        verdicts = decided()
    uncounted = {name: verdict.reading for name, verdict in verdicts.items() if columns[name].counts is None}
    if uncounted:
        columns |= merged(scan(ScanRequest(texts=uncounted))).columns
    left_out = _left_out(source, columns)
    attributes = {name: column.settled(verdicts.get(name)) for name, column in columns.items()}
    notes = [verdict.note for verdict in verdicts.values() if verdict.note]
    notes = [*everything.notes, *source.renamed(), *left_out, *notes]
    if source.first_row is None or not _is_data(source, attributes, columns):
        return Settled(source, attributes, everything, tuple(notes))
    again = settle(opened, replace(options, header=False), keeps_cells)
    note = (
        f"warning: {source.path} has no header, so its columns are called column1 to "
        f"column{len(source.names)}; --header takes the first row for names"
    )
    return again._replace(notes=(note, *again.notes))


def _left_out(source: Source, columns: dict[str, GatheredColumn]) -> list[str]:
    """Leave out columns without a name and a value; return a note on each that is not behind all others."""
    names, notes = source.full_names, list[str]()
    empty = {
        name
        for given, name in zip(source.names, names, strict=True)
        if not given and not source.declares and not columns[name].has_value
    }
    for at, name in enumerate(names):
        if name in empty:
            del columns[name]
            if not empty.issuperset(names[at:]):
                notes.append(f"{name}: left out, for it has no name and no value")
    return notes


def _is_data(
    source: Source, attributes: Mapping[str, Attribute], columns: Mapping[str, GatheredColumn]
) -> bool:
    """Return whether the row that was taken for names is one of the data, beyond doubt.

    That needs a column that is numbers or dates in all rows, this one too, and a repeated name, a fraction,
    or a value that its column has again.
    """
    cells = dict(zip(source.full_names, map(str.strip, source.first_row or ()), strict=True))
    numbers = [
        Decoder(attribute.reading or Reading("number"))[cells[name]]
        for name, attribute in attributes.items()
        if not attribute.is_nominal and columns[name].has_value
    ]
    if all(map(math.isnan, numbers)):
        return False
    has_fraction = any(number % 1 for number in numbers if math.isfinite(number))
    is_again = any(column.has_first for column in columns.values())
    return has_fraction or len(set(cells.values())) < len(cells) or is_again
