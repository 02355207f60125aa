"""Data in pieces: many files, or one that is too large, some thousand rows at a time.

The first pass, `survey`, finds the schema, the coding, and how many rows each file has. What a cell
becomes is settled there, once, so that every shard codes its rows alike. A numeric attribute gets at
most `MAX_THRESHOLDS` thresholds, so that a cell takes a byte; nominal ones keep all their values. The
second pass, `encode`, makes codes of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.base.limits import MOST_CLASSES, refuse_above
from gatree.data.attribute import MISSING, Attribute, Column, Schema
from gatree.data.coding import Coding, NumericTests, thresholds_between
from gatree.data.csv_file import class_order
from gatree.data.files import Block, Reader
from gatree.data.formats import reader_of
from gatree.data.summary import ColumnSummary, Summary, merged, summarise

MAX_THRESHOLDS = 255
"""Of an attribute: with one more code for missing values, a cell then takes a byte."""


@dataclass(frozen=True)
class Plan:
    """How rows become codes.

    Parameters
    ----------
    schema : Schema
    coding : Coding
    class_of : dict
        The class of every spelling of one.
    """

    schema: Schema
    coding: Coding
    class_of: dict[str, int]


@dataclass(frozen=True)
class Piece:
    """A file that has been surveyed."""

    reader: Reader
    n_rows: int


@dataclass(frozen=True)
class DataInPieces:
    """Data that are in files, or in partitions of a frame, and how they are coded."""

    plan: Plan
    pieces: tuple[Piece, ...]


def survey(
    paths: Sequence[str],
    class_name: str | None = None,
    numeric_tests: NumericTests = "auto",
    *,
    drop_strings: bool = False,
    each: Callable[..., Iterable[tuple[Reader, Summary]]] = map,
) -> DataInPieces:
    """Read files once, and settle how their rows are coded.

    Parameters
    ----------
    paths : sequence of str
        CSV, ARFF and Parquet files.
    class_name : str, optional
        The column to predict; the last one of the first file by default.
    numeric_tests : {"integer", "observed", "auto"}
        As in `gatree.data.coding.code`.
    drop_strings : bool
        Leave out ARFF attributes of type string.
    each : callable
        A replacement for `map`, if other processes read the files.

    Raises
    ------
    DataError
        If a file cannot be read or does not fit the first one; it is named.
    """
    first = reader_of(paths[0], drop_strings)
    target, n = first.class_name(class_name), len(paths)
    surveyed = list(each(_survey_file, paths, [target] * n, [drop_strings] * n))
    pieces = tuple(Piece(reader, summary.n_rows) for reader, summary in surveyed)
    everything = merged(summary for _, summary in surveyed)
    plan = plan_of(_name_of(paths), everything, target, numeric_tests, first.declares)
    return DataInPieces(plan, pieces)


def _survey_file(path: str, target: str, drop_strings: bool) -> tuple[Reader, Summary]:
    reader = reader_of(path, drop_strings)
    reader.class_name(target)  # or say that it is not there
    return reader, summarise(reader, {target})


def _name_of(paths: Sequence[str]) -> str:
    """Return the name of one file without its ending; many are called by their folder."""
    if len(paths) == 1:
        return Path(paths[0]).name.removesuffix(".gz").rsplit(".", 1)[0]
    return f"{Path(paths[0]).parent.name or 'data'} ({len(paths)} files)"


def plan_of(
    name: str,
    summary: Summary,
    target: str,
    numeric_tests: NumericTests,
    declared: bool = False,
    max_thresholds: int | None = None,
) -> Plan:
    """Return how rows with such a summary become codes; classes keep the order that was declared."""
    position = summary.names.index(target)
    attributes = [column for column in summary.columns if column.name != target]
    classes = summary.columns[position].values
    values = tuple(classes)
    labels, order = (values, np.arange(len(values))) if declared else class_order(values)
    refuse_above(MOST_CLASSES, len(labels), "classes", name)
    counts = np.bincount(order, weights=list(classes.values()), minlength=len(labels)).astype(np.int64)
    if counts.sum() == 0:
        raise DataError(f"{name}: there is no row with a class to learn from")
    schema = Schema(
        name=name,
        attributes=tuple(map(_attribute, attributes)),
        class_attribute=Attribute(target, "nominal", labels),
        class_position=position,
        class_counts=counts,
    )
    most = max_thresholds or MAX_THRESHOLDS
    thresholds = (_thresholds(column, numeric_tests, most) for column in attributes)
    coding = Coding.of(schema.attributes, thresholds, where=name)
    return Plan(schema, coding, dict(zip(classes, order.tolist(), strict=True)))


def _attribute(column: ColumnSummary) -> Attribute:
    if column.kind == "nominal":
        return Attribute(column.name, "nominal", tuple(column.values))
    return Attribute(column.name, "numeric", date_format=column.date_format)


def _thresholds(column: ColumnSummary, kind: NumericTests, most: int) -> np.ndarray:
    if column.kind == "nominal" or column.numbers.is_empty:
        return np.empty(0)
    values, counts = column.numbers.distribution()
    if kind == "integer":  # only the ends matter, and a sample may have lost them
        values, counts = np.unique([column.numbers.low, column.numbers.high]), np.ones(1, dtype=np.int64)
    return thresholds_between(_attribute(column), values, np.cumsum(counts) - 1, kind, most)


class Stretch(NamedTuple):
    """Some rows of a piece."""

    piece: Piece
    begin: int
    end: int


def stretches(pieces: Sequence[Piece], n_parts: int) -> list[list[Stretch]]:
    """Cut the rows of all pieces, one after the other, into parts of nearly the same size."""
    n_rows = sum(piece.n_rows for piece in pieces)
    n_parts = max(1, min(n_parts, n_rows))
    parts: list[list[Stretch]] = []
    for part in range(n_parts):
        begin, end = n_rows * part // n_parts, n_rows * (part + 1) // n_parts
        parts.append(list(_between(pieces, begin, end)))
    return parts


def _between(pieces: Sequence[Piece], begin: int, end: int) -> Iterable[Stretch]:
    before = 0
    for piece in pieces:
        first, last = max(begin - before, 0), min(end - before, piece.n_rows)
        if first < last:
            yield Stretch(piece, first, last)
        before += piece.n_rows


def encode(plan: Plan, part: Sequence[Stretch]) -> tuple[Any, NDArray[np.uint16]]:
    """Return the codes, [attribute, instance], and the classes of the rows that have one."""
    n_rows = sum(stretch.end - stretch.begin for stretch in part)
    room = Room(plan, min(n_rows, plan.schema.n_instances))
    nominal = {attribute.name for attribute in plan.schema.attributes if attribute.is_nominal}
    expected = 0
    for piece, begin, end in part:
        for block in piece.reader.blocks({*nominal, plan.schema.class_attribute.name}, begin, end):
            room.add(block, piece.reader.path)
        expected += end - begin
        if room.n_seen < expected:
            raise DataError(f"{piece.reader.path}: the file was changed while it was read")
    return room.filled()


def no_codes(plan: Plan) -> tuple[Any, NDArray[np.uint16]]:
    """Return the codes and classes of no rows at all, in their types."""
    return Room(plan, 0).filled()


class Room:
    """Codes of rows, as they come in."""

    def __init__(self, plan: Plan, n_rows: int) -> None:
        self.plan = plan
        self.codes: Any = np.empty((plan.schema.n_attributes, n_rows), dtype=plan.coding.dtype)
        self.classes = np.empty(n_rows, dtype=np.uint16)
        self.n = self.n_seen = 0
        self._index = {attribute.name: at for at, attribute in enumerate(plan.schema.attributes)}
        self._codes_of = [
            {value: code for code, value in enumerate(attribute.values)}
            for attribute in plan.schema.attributes
        ]

    def add(self, block: Block, where: str) -> None:
        """Code some more rows; those without a class are left out."""
        columns = {attribute.name: (attribute, column) for attribute, column in block}
        target = self.plan.schema.class_attribute.name
        classes = _recoded(*columns.pop(target), self.plan.class_of, where)
        known, n_rows = classes >= 0, len(classes)
        end = self.n + int(np.count_nonzero(known))
        self.n_seen += n_rows
        if end > len(self.classes):
            raise DataError(f"{where}: the file was changed while it was read")
        self.classes[self.n : end] = classes[known]
        for name, (attribute, column) in columns.items():
            at = self._index[name]
            self.codes[at, self.n : end] = self._coded(at, attribute, column, where)[known]
        self.n = end

    def _coded(self, at: int, attribute: Attribute, column: Column, where: str) -> NDArray[Any]:
        if attribute.is_nominal:
            column = _recoded(attribute, column, self._codes_of[at], where)
        return self.plan.coding.encode_column(at, column)

    def filled(self) -> tuple[Any, NDArray[np.uint16]]:
        """Return the codes and classes of the rows that have a class."""
        if self.n == self.codes.shape[1]:
            return self.codes, self.classes
        return self.codes[:, : self.n].copy(), self.classes[: self.n].copy()


def _recoded(attribute: Attribute, column: Column, codes: dict[str, int], where: str) -> NDArray[np.int32]:
    """Return the codes that all pieces share in place of those of a block."""
    wanted = [codes.get(value, MISSING - 1) for value in attribute.values]
    table = np.array([*wanted, MISSING], dtype=np.int32)  # MISSING is -1: the last
    recoded: NDArray[np.int32] = table[column]
    unknown = np.flatnonzero(recoded < MISSING)
    if len(unknown):
        value = attribute.values[int(column[unknown[0]])]
        raise DataError(
            f"{where}: column {shown(attribute.name)} has the value {shown(value)}, which is none of "
            f"those that were there when the data were surveyed"
        )
    return recoded
