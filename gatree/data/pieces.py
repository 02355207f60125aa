"""Data in pieces: many files, or one that is too large, some thousand rows at a time.

The first pass, `survey`, finds the schema, the coding, and how many rows each file has. What a cell
becomes is settled there, once, so that every shard codes its rows alike. A numeric attribute gets at
most `MAX_THRESHOLDS` thresholds, so that a cell takes a byte; nominal ones keep all their values. The
second pass, `encode`, makes codes of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.base.limits import MOST_CLASSES, refuse_above
from gatree.data.attribute import MISSING, Attribute, Column, Reading, Schema
from gatree.data.blocks import Cells, ReadOptions, Source, rows_between
from gatree.data.coding import Coding, NumericTests, thresholds_of
from gatree.data.columns import GatheredColumn, Scan, ScanRequest, Settled, Summary, settle, summarise
from gatree.data.formats import source_of
from gatree.data.target import learnable_classes, position_of, way_out
from gatree.data.texts import Decoder

MAX_THRESHOLDS = 255
"""Of an attribute: with one more code for missing values, a cell then takes a byte."""


@dataclass(frozen=True)
class CodingPlan:
    """How rows become codes."""

    schema: Schema
    coding: Coding
    target: Attribute  # the class, as its cells are read
    target_cells: NDArray[np.float64]  # the different ones, in rising order
    classes: NDArray[np.int32]  # of these
    notes: tuple[str, ...] = ()  # on the class


class Stretch(NamedTuple):
    """Some rows of a file that has been surveyed."""

    source: Source
    begin: int
    end: int


@dataclass(frozen=True)
class DataInPieces:
    """Data that are in files, or in partitions of a frame, and how they are coded."""

    plan: CodingPlan
    pieces: tuple[Stretch, ...]  # all rows of each
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
    sources: dict[str, Stretch] = {}

    def opened(chosen: ReadOptions) -> tuple[Source, Scan]:
        first = source_of(paths[0], chosen)
        if class_name is not None and first.first_row is None:
            position_of(first.path, first.full_names, class_name)  # before all is read
        return first, partial(scan, chosen)

    def scan(chosen: ReadOptions, request: ScanRequest) -> Iterator[Summary]:
        n = len(paths)
        for source, summary in each(_scan_file, paths, [chosen] * n, [request] * n):
            sources[source.path] = Stretch(source, 0, summary.n_rows)
            yield summary

    settled = settle(opened, options or ReadOptions())
    if settled.summary.n_rows == 0:
        raise DataError(f"{paths[0]}: there are no rows")
    is_one = len(paths) == 1
    name = settled.source.name if is_one else f"{Path(paths[0]).parent.name or 'data'} ({len(paths)} files)"
    plan = plan_of(name, settled, class_name, numeric_tests, choose=choose)
    return DataInPieces(plan, tuple(sources.values()), settled.notes + plan.notes)


def _scan_file(path: str, options: ReadOptions, request: ScanRequest) -> tuple[Source, Summary]:
    source = source_of(path, options)
    return source, summarise(source, options, request)


def plan_of(
    name: str,
    settled: Settled,
    class_name: str | None,
    numeric_tests: NumericTests,
    *,
    max_thresholds: int | None = None,
    choose: str | None = None,
) -> CodingPlan:
    """Return how rows with such a summary become codes; classes keep the order that was declared."""
    others = list(settled.attributes.values())
    position = position_of(name, list(settled.attributes), class_name)
    target = others.pop(position)
    columns = settled.summary.columns
    values, counts = columns[target.name].distribution(target)
    otherwise = way_out(choose, (each.name for each in others))
    declared_in = name if settled.source.declares else ""
    classes = learnable_classes(name, target, values, otherwise, counts, declared_in)
    refuse_above(MOST_CLASSES, len(classes.attribute.values), "classes", name)
    if classes.counts.sum() == 0:
        raise DataError(f"{name}: there is no row with a class to learn from")
    schema = Schema(name, tuple(others), classes.attribute, position, classes.counts)
    most = max_thresholds or MAX_THRESHOLDS
    thresholds = (
        thresholds_of(each, *_distinct(columns[each.name], numeric_tests), numeric_tests, most)
        for each in others
    )
    coding = Coding.of(schema.attributes, thresholds, where=name)
    return CodingPlan(schema, coding, target, values.astype(np.float64), classes.codes, classes.notes)


def _distinct(column: GatheredColumn, kind: NumericTests) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the numbers of a column that thresholds are made of, and how often each comes."""
    numbers = column.numbers
    if kind != "integer" or numbers.is_empty:
        return numbers.distribution()
    return np.unique([numbers.low, numbers.high], return_counts=True)  # a sample may have lost its ends


def stretches(pieces: Sequence[Stretch], n_parts: int) -> list[list[Stretch]]:
    """Cut the rows of all pieces, one after the other, into parts of nearly the same size."""
    starts = [0, *accumulate(piece.end for piece in pieces)]  # of the pieces; the last is the end of all
    n_parts = max(1, min(n_parts, starts[-1]))
    cuts = [starts[-1] * part // n_parts for part in range(n_parts + 1)]
    return [
        [
            Stretch(piece.source, max(begin - start, 0), min(end - start, piece.end))
            for piece, start in zip(pieces, starts, strict=False)
            if start < end and begin < start + piece.end
        ]
        for begin, end in pairwise(cuts)
    ]


def encode(plan: CodingPlan, part: Sequence[Stretch]) -> tuple[Any, NDArray[np.uint16]]:
    """Return the codes, [attribute, instance], and the classes of the rows that have one."""
    n_rows = sum(stretch.end - stretch.begin for stretch in part)
    room = CodedRows(plan, min(n_rows, plan.schema.n_instances))
    expected = 0
    for source, begin, end in part:
        names = source.full_names
        for block in rows_between(source.blocks(room.texts), begin, end):
            room.add(dict(zip(names, block, strict=True)), source.path)
        expected += end - begin
        if room.n_seen < expected:
            raise DataError(f"{source.path}: the file was changed while it was read")
    return room.filled()


class CodedRows:
    """Codes of rows, as they come in."""

    def __init__(self, plan: CodingPlan, n_rows: int) -> None:
        self.plan = plan
        self.codes: Any = np.empty((plan.schema.n_attributes, n_rows), dtype=plan.coding.dtype)
        self.classes = np.empty(n_rows, dtype=np.uint16)
        self.n = self.n_seen = 0
        self.attributes = (*plan.schema.attributes, plan.target)
        self._columns = [GatheredColumn(each.name, values=each.values) for each in self.attributes]
        self._decoders = [
            None if each.is_nominal else Decoder(each.reading or Reading("number"))
            for each in self.attributes
        ]
        self.texts = {each.name for each in self.attributes if each.is_nominal or each.reading}

    def add(self, block: Mapping[str, Cells], where: str) -> None:
        """Code some more rows, given the cells of each column; those without a class are left out."""
        classes = self._classes(self._column(-1, block, where))
        known = classes >= 0
        end = self.n + int(np.count_nonzero(known))
        self.n_seen += len(classes)
        if end > len(self.classes):
            raise DataError(f"{where}: the file was changed while it was read")
        self.classes[self.n : end] = classes[known]
        for at in range(len(self.codes)):
            column = self._column(at, block, where)
            self.codes[at, self.n : end] = self.plan.coding.encode_column(at, column)[known]
        self.n = end

    def _column(self, at: int, block: Mapping[str, Cells], where: str) -> Column:
        """Return the numbers, or the codes that all pieces share, of the cells of one column."""
        attribute, column = self.attributes[at], self._columns[at]
        column.add(block[attribute.name], self._decoders[at])
        if len(column.values) > len(attribute.values):
            new = list(column.values)[len(attribute.values)]
            raise DataError(
                f"{where}: column {shown(attribute.name)} has the value {shown(new)}, which is none "
                f"of those that were there when the data were surveyed"
            )
        return column.column(attribute)

    def _classes(self, cells: Column) -> NDArray[np.int32]:
        """Return the classes that cells stand for."""
        known = self.plan.target_cells
        at = np.searchsorted(known, cells).clip(max=len(known) - 1)
        return np.where(known[at] == cells, self.plan.classes[at], MISSING).astype(np.int32)

    def filled(self) -> tuple[Any, NDArray[np.uint16]]:
        """Return the codes and classes of the rows that have a class."""
        if self.n == self.codes.shape[1]:
            return self.codes, self.classes
        return self.codes[:, : self.n].copy(), self.classes[: self.n].copy()
