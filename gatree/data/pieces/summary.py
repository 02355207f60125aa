"""What one pass over a file, or over a partition of a frame, tells of its columns.

Summaries are small and can be sent; the summary of many files is made of theirs, in the order of the files,
so it does not depend on who has read which.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from gatree.base.errors import DataError, shown
from gatree.base.limits import MOST_TESTS, refuse_above
from gatree.data.attribute import Attribute, Column
from gatree.data.blocks import Block, Reader
from gatree.data.pieces.number_summary import NumberSummary


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

    A column whose kind is seen from its cells, and that turns out to be text late, is read once more.
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
