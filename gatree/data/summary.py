"""What one pass over a file, or over a partition of a frame, finds out about its columns.

Summaries are small and can be sent; the summary of many files is made of theirs, in the order of the files,
so it does not depend on who has read which.

Few distinct numbers are counted exactly. Of many, a sample stays: at level l every number stands for 2^l of
the column, and when a level is full, every other one of its sorted numbers moves up (Munro and Paterson 1980;
Karnin, Lang and Liberty 2016). No random numbers: the same pieces in the same order give the same thresholds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.base.limits import MOST_TESTS, refuse_above
from gatree.data.attribute import Attribute, Column
from gatree.data.files import Block, Reader

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
    """A column: its numbers, or how often each of its values comes, in order of first appearance."""

    name: str
    kind: Literal["nominal", "numeric"]
    date_format: str | None = None
    numbers: NumberSummary = field(default_factory=NumberSummary)
    values: dict[str, int] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether no value is known, so that the kind says nothing."""
        return self.numbers.is_empty if self.kind == "numeric" else not self.values

    def add(self, attribute: Attribute, column: Column) -> None:
        """Take some more cells, of the same kind."""
        if attribute.is_nominal:
            counts = np.bincount(column[column >= 0], minlength=len(attribute.values))
            for value, count in zip(attribute.values, counts.tolist(), strict=True):
                self.values[value] = self.values.get(value, 0) + count
            refuse_above(MOST_TESTS, len(self.values), f"values of {shown(self.name)}")
        else:
            self.numbers.add(column.astype(np.float64, copy=False))

    def merge(self, other: ColumnSummary) -> None:
        """Take what another summary of the same column has taken."""
        if self.is_empty:
            self.kind, self.date_format = other.kind, other.date_format
        self.numbers.merge(other.numbers)
        for value, count in other.values.items():
            self.values[value] = self.values.get(value, 0) + count


@dataclass
class Summary:
    """The columns of a file, the class among them, and its number of rows."""

    where: str  # the file, for messages
    columns: list[ColumnSummary]
    n_rows: int

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


def summarise(reader: Reader, nominal: Collection[str]) -> Summary:
    """Return what a file holds. Columns called `nominal` are.

    A column whose kind is seen from its cells, and that turns out to be text late, is read again.
    """
    summary, mixed = _summary(reader.path, reader.blocks(nominal))
    if mixed:
        summary, _ = _summary(reader.path, reader.blocks({*nominal, *mixed}))
    if summary.n_rows == 0:
        raise DataError(f"{reader.path}: there are no rows")
    return summary


def summarise_block(where: str, block: Block) -> Summary:
    """Return what some rows hold."""
    summary, _ = _summary(where, [block])
    return summary


def _summary(where: str, blocks: Iterable[Block]) -> tuple[Summary, set[str]]:
    """Return the summary of blocks, and the columns that are numeric in one and nominal in another."""
    columns: dict[str, ColumnSummary] = {}
    mixed: set[str] = set()
    n_rows = 0
    for block in blocks:
        for attribute, column in block:
            summary = columns.setdefault(
                attribute.name, ColumnSummary(attribute.name, attribute.kind, attribute.date_format)
            )
            if summary.kind != attribute.kind:
                mixed.add(attribute.name)
            else:
                summary.add(attribute, column)
        n_rows += len(block[0][1])
    return Summary(where, list(columns.values()), n_rows), mixed


def merged(summaries: Iterable[Summary]) -> Summary:
    """Return the summary of all files; a file that does not fit the first one is named."""
    first, *others = summaries
    for other in others:
        _check_fits(first, other)
        by_name = {column.name: column for column in other.columns}
        for column in first.columns:
            column.merge(by_name[column.name])
        first.n_rows += other.n_rows
    return first


def _check_fits(first: Summary, other: Summary) -> None:
    """Refuse a file with other columns, or with a column of another kind."""
    missing = [name for name in first.names if name not in other.names]
    if missing:
        raise DataError(f"{other.where}: has no column {shown(missing[0])}, but {first.where} has")
    added = [name for name in other.names if name not in first.names]
    if added:
        raise DataError(f"{other.where}: has a column {shown(added[0])}, but {first.where} has none")
    kinds = {column.name: column for column in first.columns}
    for column in other.columns:
        before = kinds[column.name]
        if column.kind != before.kind and not (column.is_empty or before.is_empty):
            raise DataError(
                f"{other.where}: column {shown(column.name)} {_holds(column)}, "
                f"but in {first.where} it {_holds(before)}"
            )


def _holds(column: ColumnSummary) -> str:
    if column.kind == "numeric":
        return "holds numbers"
    return f"holds text, such as {shown(next(iter(column.values)))}"
