"""The first pass over data in pieces: their schema, their coding, and how many rows each file has.

What a cell becomes is settled here, once, so that every shard codes its rows alike. A numeric attribute gets
at most `MAX_THRESHOLDS` thresholds, so that a cell takes a byte; nominal ones keep all their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gatree.base.errors import DataError
from gatree.base.limits import MOST_CLASSES, refuse_above
from gatree.data.attribute import Attribute
from gatree.data.blocks import Reader
from gatree.data.coding import Coding, NumericTests, thresholds_between
from gatree.data.csv_file import class_order
from gatree.data.formats import reader_of
from gatree.data.pieces.summary import ColumnSummary, Summary, merged, summarise
from gatree.data.schema import Schema

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
        What to use for `map`, if others shall read the files.

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
