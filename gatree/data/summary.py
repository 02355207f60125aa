"""What one pass over a file, or over a partition of a frame, finds out about its columns.

Summaries are small and can be sent; the summary of many files is made of theirs, in the order of the files,
so it does not depend on who has read which.

Few distinct numbers are counted exactly. Of many, a sample stays: at level l every number stands for 2^l of
the column, and when a level is full, every other one of its sorted numbers moves up (Munro and Paterson 1980;
Karnin, Lang and Liberty 2016). No random numbers: the same pieces in the same order give the same thresholds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.base.limits import MOST_TESTS, refuse_above
from gatree.data.attribute import Attribute, Reading
from gatree.data.blocks import (
    Cells,
    ReadOptions,
    Source,
    Typed,
    attribute_of,
    keys_of,
    n_cells_of,
    plain_numbers,
)
from gatree.data.texts import MISSING_WORDS, PLAIN_NUMBER, Clues, Decoder, Verdict

Floats = NDArray[np.float64]

MOST_EXACT = 4096
"""The maximum of distinct numbers that are counted exactly."""

LEVEL_SIZE = 16_384
"""The numbers at a level: the rank of a threshold is off by less than 0.1 % among 10^9 numbers."""


class NumberSummary:
    """The finite numbers of a column; NaN and infinite ones do not count."""

    def __init__(self) -> None:
        self.values: Floats = np.empty(0)  # distinct and rising, while they are few
        self.counts = np.empty(0, dtype=np.int64)
        self.levels: list[Floats] = []
        self.low, self.high = np.inf, -np.inf
        self._lower_half = True

    @property
    def is_exact(self) -> bool:
        return not self.levels

    @property
    def is_empty(self) -> bool:
        return self.low > self.high

    def add(self, column: Floats) -> None:
        """Take some more numbers."""
        known = column[np.isfinite(column)]
        if len(known) == 0:
            return
        values, counts = np.unique(known, return_counts=True)
        self._note_range(values[0], values[-1])
        self._count(values, counts)

    def add_counted(self, counts: Mapping[float, int]) -> None:
        """Take numbers, each with how often it comes."""
        known = sorted((number, count) for number, count in counts.items() if np.isfinite(number))
        if known:
            values, weights = map(np.array, zip(*known, strict=True))
            self._note_range(values[0], values[-1])
            self._count(values, weights)

    def merge(self, other: NumberSummary) -> None:
        """Take all numbers that another one has taken."""
        if other.is_empty:
            return
        self._note_range(other.low, other.high)
        self._count(other.values, other.counts)
        if not other.is_exact:
            self._leave_exact()
            for level, numbers in enumerate(other.levels):
                self._insert(level, numbers)

    def _note_range(self, low: float, high: float) -> None:
        self.low, self.high = min(self.low, float(low)), max(self.high, float(high))

    def _count(self, values: Floats, counts: NDArray[np.int64]) -> None:
        if not self.is_exact:
            self._insert_weighted(values, counts)
            return
        together, index = np.unique(np.concatenate((self.values, values)), return_inverse=True)
        every = np.concatenate((self.counts, counts))
        self.values, self.counts = together, np.bincount(index, weights=every).astype(np.int64)
        if len(together) > MOST_EXACT:
            self._leave_exact()

    def _leave_exact(self) -> None:
        if self.is_exact:
            values, counts = self.values, self.counts
            self.values, self.counts, self.levels = np.empty(0), np.empty(0, dtype=np.int64), [np.empty(0)]
            self._insert_weighted(values, counts)

    def _insert_weighted(self, values: Floats, counts: NDArray[np.int64]) -> None:
        """Put a number that comes w times at the levels that the bits of w say."""
        for level in range(int(counts.max(initial=0)).bit_length()):
            self._insert(level, values[(counts >> level) & 1 == 1])

    def _insert(self, level: int, numbers: Floats) -> None:
        while len(self.levels) <= level:
            self.levels.append(np.empty(0))
        self.levels[level] = numbers = np.concatenate((self.levels[level], numbers))
        if len(numbers) >= LEVEL_SIZE:
            numbers = np.sort(numbers)
            n_even = len(numbers) // 2 * 2
            self.levels[level] = numbers[n_even:]
            moving = numbers[0 if self._lower_half else 1 : n_even : 2]
            self._lower_half = not self._lower_half
            self._insert(level + 1, moving)

    def distribution(self) -> tuple[Floats, NDArray[np.int64]]:
        """Return distinct numbers in rising order, and for how many of the column each stands."""
        if self.is_exact:
            return self.values, self.counts
        numbers = np.concatenate(self.levels)
        weights = np.concatenate([np.full(len(at), 2**level) for level, at in enumerate(self.levels)])
        values, index = np.unique(numbers, return_inverse=True)
        return values, np.bincount(index, weights=weights).astype(np.int64)


@dataclass
class ColumnSummary:
    """A column: its numbers, or how often each of its values comes, in order of first appearance.

    Of texts that may be numbers or dates, at most `MOST_COUNTED` are counted: if there are more, they are
    read again once it is known how.
    """

    name: str
    attribute: Attribute | None = None  # of cells whose type is known
    clues: Clues | None = None  # of texts that are not all plain numbers
    numbers: NumberSummary = field(default_factory=NumberSummary)
    values: dict[str, int] | None = field(default_factory=dict)
    has_plain: bool = False  # texts that were only taken as numbers
    has_first: bool = False  # the first row's value, which may be a name, comes again

    def add(
        self, cells: Cells, reads: Decoder | Reading | None, keeps_texts: bool, first: str | None
    ) -> None:
        """Take some more cells; how they are read may be known."""
        if isinstance(cells, Typed):
            self._add_typed(cells)
        elif isinstance(reads, Decoder):
            self.numbers.add(reads.of(cells))
        elif reads is not None:
            self._count(_counted(cells))
        else:
            self._add_texts(cells, keeps_texts, first)

    def _add_typed(self, cells: Typed) -> None:
        attribute, column = cells
        before = self.attribute
        if before is not None and before.kind != attribute.kind and not self.is_empty:
            raise DataError(f"column {shown(self.name)} holds numbers in some rows and text in others")
        pattern = max((before.date_format if before else None) or "", attribute.date_format or "", key=len)
        self.attribute = replace(attribute, values=(), date_format=pattern or None)
        if attribute.is_nominal:
            counts = np.bincount(column[column >= 0], minlength=len(attribute.values))
            self._count(dict(zip(attribute.values, counts.tolist(), strict=True)))
        else:
            self.numbers.add(column.astype(np.float64, copy=False))

    def _add_texts(self, words: Sequence[str], keeps_texts: bool, first: str | None) -> None:
        if self.clues is None and not keeps_texts:
            try:
                numbers = plain_numbers(words, MISSING_WORDS)
            except ValueError:
                pass
            else:
                self.has_plain = True
                self.numbers.add(numbers)
                if first is not None and not self.has_first and PLAIN_NUMBER.fullmatch(first):
                    self.has_first = bool(np.any(numbers == float(first)))
                return
        counts = _counted(words)
        self.clues = self.clues or Clues()
        self.clues.add(counts)
        self.has_first = self.has_first or first in counts
        self._count(counts)

    def _count(self, counts: Mapping[str, int]) -> None:
        if self.values is None:
            return
        for value, count in counts.items():
            self.values[value] = self.values.get(value, 0) + count
        refuse_above(MOST_TESTS, len(self.values), f"values of {shown(self.name)}")
        if self.clues is not None and not self.clues.are_categories and len(self.values) > MOST_COUNTED:
            self.values = None

    @property
    def is_empty(self) -> bool:
        """Whether no value is known, so that the kind says nothing."""
        return self.numbers.is_empty and self.values == {} and self.clues is None

    @property
    def declared_kind(self) -> str:
        """What the cells are of which no text has to be read."""
        if self.attribute is None:
            return "text"
        return "categories" if self.attribute.is_nominal else "numbers"

    def merge(self, other: ColumnSummary) -> None:
        """Take what another summary of the same column has taken."""
        self.numbers.merge(other.numbers)
        if other.clues is not None:
            self.clues = self.clues or Clues()
            self.clues.merge(other.clues)
        if self.attribute is None or (self.is_empty and other.attribute is not None):
            self.attribute = other.attribute
        self.has_plain = self.has_plain or other.has_plain
        self.has_first = self.has_first or other.has_first
        if other.values is None:
            self.values = None
        else:
            self._count(other.values)

    def settled(self, verdict: Verdict | None) -> Attribute:
        """Return the attribute; numbers and dates that were counted as texts become numbers."""
        if self.attribute is not None:
            return replace(self.attribute, name=self.name, values=tuple(self.values or ()))
        attribute = attribute_of(self.name, verdict, self.values or ())
        if verdict is not None and not attribute.is_nominal and self.values:
            decoder = Decoder(verdict.reading)
            self.numbers.add_counted({decoder[text]: count for text, count in self.values.items()})
        return attribute


def _counted(words: Sequence[str]) -> dict[str, int]:
    """Return how often each text comes, in order of first appearance."""
    counts: dict[str, int] = {}
    for word, count in Counter(words).items():
        if (text := word.strip()) not in MISSING_WORDS:
            counts[text] = counts.get(text, 0) + count
    return counts


MOST_COUNTED = 50_000
"""The maximum of different texts that are counted before it is known what they are."""


@dataclass(frozen=True)
class Request:
    """What is asked of a pass over data: nothing of the other columns, if some are named."""

    texts: frozenset[str] = frozenset()  # columns whose texts matter, even if they are plain numbers
    readings: Mapping[str, Reading] = field(
        default_factory=dict
    )  # those of which it is known how they are read

    @property
    def columns(self) -> frozenset[str]:
        return self.texts | self.readings.keys()


@dataclass
class Summary:
    """The columns of a file, the class among them, and its number of rows."""

    where: str  # the file, for messages
    columns: dict[str, ColumnSummary]
    n_rows: int
    notes: tuple[str, ...] = ()


def summarise(source: Source, options: ReadOptions, request: Request) -> Summary:
    """Return what a pass over a file, or a partition, shows of its columns."""
    keys = keys_of(source)
    columns = {name: ColumnSummary(name) for name in keys}
    keeps = {name for name in keys if options.keeps_texts(name)} | request.texts
    reads = {
        name: reading if reading.kind == "category" else Decoder(reading)
        for name, reading in request.readings.items()
    }
    first = dict(zip(keys, map(str.strip, source.first_row or ()), strict=False))
    wanted = request.columns
    n_rows = 0
    try:
        for block in source.blocks():
            n_rows += n_cells_of(block[0])
            for (name, column), cells in zip(columns.items(), block, strict=True):
                if not wanted or name in wanted:
                    column.add(cells, reads.get(name), name in keeps, first.get(name))
    except DataError as error:
        where = f"{source.path}: " if not str(error).startswith(source.path) else ""
        raise DataError(f"{where}{error}") from None
    kept = {name: column for name, column in columns.items() if not wanted or name in wanted}
    return Summary(source.path, kept, n_rows, source.notes)


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


class Settled(NamedTuple):
    """Columns of which it is known what they are."""

    attributes: dict[str, Attribute]
    summary: Summary
    notes: tuple[str, ...]


def settle(
    scan: Callable[[Request], Iterable[Summary]],
    options: ReadOptions,
    separator: str = "",
    nameless: Collection[str] = (),
) -> Settled:
    """Decide what columns are, in as many passes as that takes, mostly one.

    Parameters
    ----------
    scan : callable
        Makes a pass over all files or partitions.
    options : ReadOptions
    separator : str
        What separates the values of the files.
    nameless : collection of str
        Columns that have no name of their own: those without a value are left out.
    """
    everything = merged(scan(Request()))
    columns, where = everything.columns, everything.where
    verdicts = options.decide(_clues(columns), separator, where)
    late = frozenset(
        name
        for name, verdict in verdicts.items()
        if columns[name].has_plain and not verdict.reading.keeps_plain_numbers
    )
    if late:
        columns |= merged(scan(Request(texts=late))).columns
        verdicts = options.decide(_clues(columns), separator, where)
    uncounted = {name: verdict.reading for name, verdict in verdicts.items() if columns[name].values is None}
    if uncounted:
        again = merged(scan(Request(readings=uncounted))).columns
        for name, column in again.items():
            columns[name] = replace(column, clues=columns[name].clues)
    for name in nameless:
        if columns[name].is_empty:
            del columns[name]
    attributes = {name: column.settled(verdicts.get(name)) for name, column in columns.items()}
    notes = (verdict.note for verdict in verdicts.values() if verdict.note)
    return Settled(attributes, everything, (*everything.notes, *notes))


def _clues(columns: Mapping[str, ColumnSummary]) -> dict[str, Clues]:
    return {name: column.clues for name, column in columns.items() if column.clues is not None}


def _check_fits(first: Summary, other: Summary) -> None:
    """Refuse a file with other columns."""
    missing = [name for name in first.columns if name not in other.columns]
    if missing:
        raise DataError(f"{other.where}: has no column {shown(missing[0])}, but {first.where} has")
    added = [name for name in other.columns if name not in first.columns]
    if added:
        raise DataError(f"{other.where}: has a column {shown(added[0])}, but {first.where} has none")
    for name, column in other.columns.items():
        before, now = first.columns[name], column
        if not (before.is_empty or now.is_empty) and before.declared_kind != now.declared_kind:
            raise DataError(
                f"{other.where}: column {shown(name)} holds {now.declared_kind}, "
                f"but in {first.where} it holds {before.declared_kind}"
            )
