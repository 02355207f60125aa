"""Data in pieces: many files, or one that is too large, some thousand rows at a time.

The first pass, `survey`, finds the schema, the coding, and how many rows each file has. What a cell
becomes is settled there, once, so that every shard codes its rows alike. A numeric attribute gets at
most `MAX_THRESHOLDS` thresholds, so that a cell takes a byte; nominal ones keep all their values. The
second pass, `encode`, makes codes of rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, did_you_mean, shown, there_are
from gatree.base.limits import MOST_CLASSES, refuse_above
from gatree.data.attribute import MISSING, Attribute, Column, Reading, Schema
from gatree.data.blocks import (
    Cells,
    ReadOptions,
    Source,
    Typed,
    full_names,
    is_data,
    no_header_note,
    number_in,
    plain_numbers,
    refuse_repeated,
)
from gatree.data.coding import Coding, NumericTests, thresholds_between
from gatree.data.load import source_of
from gatree.data.summary import ColumnSummary, Request, Settled, Summary, settle, summarise
from gatree.data.target import class_order, number_labels, refuse_unfit
from gatree.data.texts import MISSING_WORDS, Decoder

MAX_THRESHOLDS = 255
"""Of an attribute: with one more code for missing values, a cell then takes a byte."""


@dataclass(frozen=True)
class Plan:
    """How rows become codes.

    Parameters
    ----------
    schema : Schema
    coding : Coding
    classes : Classes
        What the cells of the class stand for.
    """

    schema: Schema
    coding: Coding
    classes: Classes


@dataclass(frozen=True)
class Piece:
    """A file that has been surveyed."""

    source: Source
    n_rows: int


@dataclass(frozen=True)
class DataInPieces:
    """Data that are in files, or in partitions of a frame, and how they are coded."""

    plan: Plan
    pieces: tuple[Piece, ...]
    notes: tuple[str, ...] = ()


def survey(
    paths: Sequence[str],
    class_name: str | None = None,
    numeric_tests: NumericTests = "auto",
    *,
    options: ReadOptions | None = None,
    choose: str | None = None,
    each: Callable[..., Iterable[tuple[Source, Summary]]] = map,
) -> DataInPieces:
    """Read files once, and settle how their rows are coded.

    Parameters
    ----------
    paths : sequence of str
        Files of any format.
    class_name : str, optional
        The column to predict; the last one of the first file by default.
    numeric_tests : {"integer", "observed", "auto"}
        As in `gatree.data.coding.code`.
    options : ReadOptions, optional
        What is known of the files that their reader would else find out.
    choose : str, optional
        How the user names another class: then one that cannot be learnt is refused with it.
    each : callable
        A replacement for `map`, if other processes read the files.

    Raises
    ------
    DataError
        If a file cannot be read or does not fit the first one; it is named.
    """
    options = options or ReadOptions()
    first = source_of(paths[0], options)
    if class_name is not None and first.first_row is None and class_name not in first.names:
        names = full_names(first)
        raise DataError(
            f"{first.path}: no column {shown(class_name)}{did_you_mean(class_name, names)}{there_are(names)}"
        )
    sources: dict[str, tuple[Source, int]] = {}

    def scan(request: Request) -> Iterator[Summary]:
        n = len(paths)
        for source, summary in each(_scan_file, paths, [options] * n, [request] * n):
            sources[source.path] = source, summary.n_rows
            yield summary

    nameless = [
        full
        for full, name in zip(full_names(first), first.names, strict=True)
        if not name and not first.declares
    ]
    settled = settle(scan, options, first.separator, nameless)
    if first.first_row is not None and _starts_with_data(first.first_row, settled):
        without = replace(options, header=False)
        again = survey(paths, class_name, numeric_tests, options=without, choose=choose, each=each)
        return replace(again, notes=(no_header_note(paths[0], len(first.names)), *again.notes))
    refuse_repeated(full_names(first), paths[0])
    if settled.summary.n_rows == 0:
        raise DataError(f"{paths[0]}: there are no rows")
    plan = plan_of(
        _name_of(paths), settled, class_name, numeric_tests, declared=first.declares, choose=choose
    )
    pieces = tuple(Piece(source, n_rows) for source, n_rows in sources.values())
    return DataInPieces(plan, pieces, settled.notes)


def _scan_file(path: str, options: ReadOptions, request: Request) -> tuple[Source, Summary]:
    source = source_of(path, options)
    return source, summarise(source, options, request)


def _starts_with_data(first_row: Sequence[str], settled: Settled) -> bool:
    cells = [text.strip() for text in first_row]
    columns = settled.summary.columns
    numbers = [
        math.nan if columns[name].is_empty else number_in(attribute, text)
        for text, (name, attribute) in zip(cells, settled.attributes.items(), strict=False)
    ]
    return is_data(cells, numbers, [column.has_first for column in columns.values()])


def _name_of(paths: Sequence[str]) -> str:
    """Return the name of one file without its ending; many are called by their folder."""
    if len(paths) == 1:
        return Path(paths[0]).name.removesuffix(".gz").rsplit(".", 1)[0]
    return f"{Path(paths[0]).parent.name or 'data'} ({len(paths)} files)"


def plan_of(
    name: str,
    settled: Settled,
    class_name: str | None,
    numeric_tests: NumericTests,
    *,
    declared: bool = False,
    max_thresholds: int | None = None,
    choose: str | None = None,
) -> Plan:
    """Return how rows with such a summary become codes; classes keep the order that was declared."""
    names = list(settled.attributes)
    target = names[-1] if class_name is None else class_name
    if target not in names:
        raise DataError(f"{name}: no column {shown(target)}{did_you_mean(target, names)}{there_are(names)}")
    if len(names) < 2:
        raise DataError(f"{name}: only one column ({shown(target)}); at least two are needed")
    position = names.index(target)
    columns = settled.summary.columns
    classes = _classes(name, settled.attributes[target], columns[target], declared)
    others = [attribute for each, attribute in settled.attributes.items() if each != target]
    if choose is not None:
        refuse_unfit(name, target, classes.labels, classes.counts, [each.name for each in others], choose)
    refuse_above(MOST_CLASSES, len(classes.labels), "classes", name)
    if classes.counts.sum() == 0:
        raise DataError(f"{name}: there is no row with a class to learn from")
    schema = Schema(
        name=name,
        attributes=tuple(others),
        class_attribute=Attribute(
            target, "nominal", classes.labels, reading=settled.attributes[target].reading
        ),
        class_position=position,
        class_counts=classes.counts,
    )
    most = max_thresholds or MAX_THRESHOLDS
    thresholds = (_thresholds(each, columns[each.name], numeric_tests, most) for each in others)
    return Plan(schema, Coding.of(schema.attributes, thresholds, where=name), classes)


@dataclass(frozen=True)
class Classes:
    """The classes of a column: by the texts that stand for each, or by rising numbers."""

    attribute: Attribute
    labels: tuple[str, ...]
    counts: NDArray[np.int64]
    of_text: dict[str, int]
    of_number: NDArray[np.float64]


def _classes(where: str, attribute: Attribute, column: ColumnSummary, declared: bool) -> Classes:
    if not attribute.is_nominal:
        if declared:
            raise DataError(f"{where}: the class must be nominal, but {shown(attribute.name)} is numeric")
        values, counts = column.numbers.distribution()
        return Classes(attribute, number_labels(attribute, values), counts, {}, values)
    texts = column.values or {}
    labels, order = class_order(tuple(texts), attribute.by_appearance)
    counts = np.bincount(order, weights=list(texts.values()), minlength=len(labels)).astype(np.int64)
    return Classes(attribute, labels, counts, dict(zip(texts, order.tolist(), strict=True)), np.empty(0))


def _thresholds(attribute: Attribute, column: ColumnSummary, kind: NumericTests, most: int) -> np.ndarray:
    if attribute.is_nominal or column.numbers.is_empty:
        return np.empty(0)
    values, counts = column.numbers.distribution()
    if kind == "integer":  # only the ends matter, and a sample may have lost them
        values, counts = np.unique([column.numbers.low, column.numbers.high]), np.ones(1, dtype=np.int64)
    return thresholds_between(attribute, values, np.cumsum(counts) - 1, kind, most)


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
    expected = 0
    for piece, begin, end in part:
        names = full_names(piece.source)
        for block in piece.source.blocks(begin, end):
            room.add(dict(zip(names, block, strict=True)), piece.source.path)
        expected += end - begin
        if room.n_seen < expected:
            raise DataError(f"{piece.source.path}: the file was changed while it was read")
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
        self._readers = list(map(_CellReader.of, plan.schema.attributes))
        self._class_reader = _CellReader(plan.classes.attribute, plan.classes.of_text)

    def add(self, block: Mapping[str, Cells], where: str) -> None:
        """Code some more rows, given the cells of each column; those without a class are left out."""
        classes = self._class_reader.column(block[self.plan.schema.class_attribute.name], where)
        if not self.plan.classes.attribute.is_nominal:
            classes = self._numbered(classes)
        known, n_rows = classes >= 0, len(classes)
        end = self.n + int(np.count_nonzero(known))
        self.n_seen += n_rows
        if end > len(self.classes):
            raise DataError(f"{where}: the file was changed while it was read")
        self.classes[self.n : end] = classes[known]
        for at, reader in enumerate(self._readers):
            column = reader.column(block[reader.attribute.name], where)
            self.codes[at, self.n : end] = self.plan.coding.encode_column(at, column)[known]
        self.n = end

    def _numbered(self, numbers: Column) -> NDArray[np.int32]:
        """Return the classes that numbers are."""
        values = self.plan.classes.of_number
        at = np.searchsorted(values, numbers).clip(max=len(values) - 1)
        return np.where(values[at] == numbers, at, MISSING).astype(np.int32)

    def filled(self) -> tuple[Any, NDArray[np.uint16]]:
        """Return the codes and classes of the rows that have a class."""
        if self.n == self.codes.shape[1]:
            return self.codes, self.classes
        return self.codes[:, : self.n].copy(), self.classes[: self.n].copy()


class _CellReader:
    """Makes numbers, or the codes that all pieces share, of the cells of one column."""

    def __init__(self, attribute: Attribute, codes: Mapping[str, int]) -> None:
        self.attribute, self._codes = attribute, codes
        self._of_text: dict[str, int] = {}
        self._decoder = Decoder(attribute.reading or Reading("number"))

    @classmethod
    def of(cls, attribute: Attribute) -> _CellReader:
        return cls(attribute, {value: code for code, value in enumerate(attribute.values)})

    def column(self, cells: Cells, where: str) -> Column:
        if not self.attribute.is_nominal:
            return self._numbers(cells)
        if isinstance(cells, Typed):
            table = [self._code(value, where) for value in cells.attribute.values]
            recoded: Column = np.array([*table, MISSING], dtype=np.int32)[cells.column]  # MISSING is the last
            return recoded
        for text in set(cells) - self._of_text.keys():
            value = text.strip()
            self._of_text[text] = MISSING if value in MISSING_WORDS else self._code(value, where)
        return np.fromiter(map(self._of_text.__getitem__, cells), np.int32, count=len(cells))

    def _numbers(self, cells: Cells) -> Column:
        if isinstance(cells, Typed):
            return cells.column
        if self.attribute.reading is None:
            try:
                return plain_numbers(cells, MISSING_WORDS)
            except ValueError:
                pass  # the file was changed; what is no number is missing
        return self._decoder.of(cells)

    def _code(self, value: str, where: str) -> int:
        if value not in self._codes:
            raise DataError(
                f"{where}: column {shown(self.attribute.name)} has the value {shown(value)}, which is none "
                f"of those that were there when the data were surveyed"
            )
        return self._codes[value]
