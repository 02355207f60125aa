"""From the cells of a source to attributes and columns: the one way of every table, whatever its format.

    Source.blocks       parses a file or a frame: plain numbers, texts, or cells of a known type
    gathered            collects the parts of each column
    evidence_of         shape: what the different texts of a column can be
    infer_readings      decides how the texts of all columns are read (`gatree.data.texts`)
    decoded             makes the attribute, and numbers or codes of all parts

`gatree.data.dataset` makes a `Table` of them, and a `Dataset` of that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.base.limits import MOST_CELLS, MOST_TESTS, refuse_above
from gatree.base.machine import refuse_beyond_memory
from gatree.data.attribute import MISSING, Attribute, Column, Reading, missing
from gatree.data.source import Cells, ReadOptions, Source, Texts, Typed, n_cells_of, type_of
from gatree.data.texts import ColumnReading, Decoder, TextEvidence, infer_readings

BYTES_PER_CELL = 16
"""What reading takes at least: a column of numbers, and as much again for what it is made from."""

_NUMBER_OR_DATE = re.compile(r"\d|inf", re.IGNORECASE)

Parts = list[Cells]
"""The cells of a column, block by block."""


class ReadColumns(NamedTuple):
    """A source that has been read."""

    source: Source
    attributes: tuple[Attribute, ...]
    columns: tuple[Column, ...]
    notes: tuple[str, ...]


def read_columns(opener: Callable[[ReadOptions], Source], options: ReadOptions) -> ReadColumns:
    """Read all columns of a source.

    ``opener`` opens it, again if it turns out that its first row has no names.
    """
    source = opener(options)
    with _naming(source.path):
        columns = gathered(source, options)
        readings = _infer(columns, source, options)
        late = [
            name
            for name, each in readings.items()
            if not each.reading.keeps_plain_numbers and any(isinstance(p, np.ndarray) for p in columns[name])
        ]
        if late:  # texts matter that were taken for plain numbers
            columns |= gathered(source, options, late)
            readings = _infer(columns, source, options)
        again = _names_that_are_cells(source, columns, options)
        found = {name: decoded(name, parts, readings.get(name), options) for name, parts in columns.items()}
    notes = [*source.notes, *source.renamed(), *_leave_out_empty(source, found)]
    notes += [reading.note for reading in readings.values() if reading.note]
    if source.first_row is not None and _is_data(source, found, again):
        without_names = read_columns(opener, replace(options, header=False))
        note = (
            f"warning: {source.path} has no header, so its columns are called column1 to "
            f"column{len(source.names)}; --header takes the first row for names"
        )
        return without_names._replace(notes=(note, *without_names.notes))
    attributes, cells = zip(*found.values(), strict=True) if found else ((), ())
    return ReadColumns(source, attributes, cells, tuple(notes))


# -------------------------------------------------------------------------------------- parse, and gather


def gathered(source: Source, options: ReadOptions, late: Collection[str] = ()) -> dict[str, Parts]:
    """Return the parts of all columns, or of those that are read as texts in a second pass."""
    names = source.full_names
    if not late:
        refuse_beyond_memory(BYTES_PER_CELL * source.most_rows * len(names), source.path)
    known = {name for name, kind in options.known_kinds.items() if kind != "number"}
    columns: dict[str, Parts] = {name: [] for name in late or names}
    n_rows = 0
    for block in source.blocks(known.union(late)):
        n_rows += n_cells_of(block[0]) if block else 0
        refuse_above(MOST_CELLS, n_rows * len(names), "cells", source.path)
        for name, cells in zip(names, block, strict=True):
            if name in columns:
                columns[name].append(cells)
    return columns


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Name a file in errors that do not."""
    try:
        yield
    except DataError as error:
        raise error if str(error).startswith(path) else DataError(f"{path}: {error}") from None


# --------------------------------------------------------------------------------------- shape and decide


def _infer(columns: Mapping[str, Parts], source: Source, options: ReadOptions) -> dict[str, ColumnReading]:
    """Return how the columns with texts are read."""
    found = {name: evidence_of(parts, options.missing_words) for name, parts in columns.items()}
    evidence = {name: each for name, each in found.items() if each is not None}
    return infer_readings(evidence, options, source.separator)


def evidence_of(parts: Parts, missing_words: Collection[str]) -> TextEvidence | None:
    """Return what the different texts of a column can be, if it has any that is not missing."""
    texts = _different_texts(parts, missing_words)
    first = next(texts, None)
    if first is None:
        return None
    evidence = TextEvidence()
    evidence.add(chain((first,), texts))
    return evidence


def _different_texts(parts: Parts, missing_words: Collection[str]) -> Iterator[str]:
    """Yield the texts of a column without blanks around them."""
    seen = set(missing_words)
    for part in parts:
        for spelling in part.values if isinstance(part, Texts) else ():
            if spelling not in seen and (text := spelling.strip()) not in seen:
                seen.add(text)
                yield text


# ------------------------------------------------------------------------------------------------- decode


def decoded(
    name: str, parts: Parts, found: ColumnReading | None, options: ReadOptions
) -> tuple[Attribute, Column]:
    """Return a column and what it is; its parts are let go one by one."""
    typed = [part for part in parts if isinstance(part, Typed)]
    if typed and (attribute := _attribute_of(name, parts, typed)) is not None:
        if attribute.is_nominal:
            return _categories(attribute, parts, options.missing_words)
        return attribute, _numbers(parts, None)
    reading = None if found is None or found.is_plain else found.reading
    if found is not None and found.reading.kind == "category":
        attribute = Attribute(name, "nominal", by_appearance=True, reading=reading)
        return _categories(attribute, parts, options.missing_words)
    decoder = Decoder(found.reading if found else Reading("number"), frozenset(options.missing_words))
    pattern = reading.pattern if reading else None
    return Attribute(name, "numeric", date_format=pattern, reading=reading), _numbers(parts, decoder)


def _attribute_of(name: str, parts: Parts, typed: Sequence[Typed]) -> Attribute | None:
    """Return what cells of a known type are, without their values; None if others have texts."""
    first = typed[0].attribute
    if len(typed) == len(parts) and all(part.attribute == first for part in typed):
        return replace(first, name=name)
    if any(type_of(part) == "text" for part in parts):
        return None
    told = [part.attribute for part in typed if type_of(part)] or [first]
    pattern = max((each.date_format or "" for each in told), key=len)  # that holds all of them
    return replace(told[0], name=name, date_format=pattern or None)


def _categories(
    attribute: Attribute, parts: Parts, missing_words: Collection[str]
) -> tuple[Attribute, Column]:
    """Return codes, and the attribute with all values in their order, declared or of first appearance."""
    values: dict[str, int] = {}
    columns = [_codes(part, values, missing_words) for part in _taken(parts)]
    refuse_above(MOST_TESTS, len(values), f"values of {shown(attribute.name)}")
    return replace(attribute, values=tuple(values)), _joined(columns, np.int32)


def _codes(part: Cells, values: dict[str, int], missing_words: Collection[str]) -> NDArray[np.int32]:
    """Return the codes of a part; its new values are added."""
    if isinstance(part, Typed) and part.attribute.is_nominal:
        code_of = [values.setdefault(value, len(values)) for value in part.attribute.values]
        return np.array([*code_of, MISSING], dtype=np.int32)[part.column.astype(np.int32, copy=False)]
    if not isinstance(part, Texts):  # numbers, all of them missing
        return np.full(n_cells_of(part), MISSING, dtype=np.int32)
    codes = []
    for text in part.values:
        code = values.get(text)
        if code is None:
            value = text.strip()
            new = text if part.keeps_blanks else value
            code = MISSING if value in missing_words else values.setdefault(new, len(values))
        codes.append(code)
    return np.array([*codes, MISSING], dtype=np.int32)[part.codes]


def _numbers(parts: Parts, decoder: Decoder | None) -> Column:
    """Return the numbers of all parts; those of another type have no value."""
    columns = list[NDArray[np.float64]]()
    for part in _taken(parts):
        if isinstance(part, Typed) and not part.attribute.is_nominal:
            columns.append(part.column.astype(np.float64, copy=False))
        elif isinstance(part, np.ndarray):
            columns.append(part)
        elif isinstance(part, Texts) and decoder is not None:
            columns.append(decoder.of(part))
        else:
            columns.append(np.full(n_cells_of(part), np.nan))
    return _joined(columns, np.float64)


def _taken(parts: Parts) -> Iterator[Cells]:
    """Yield parts and let them go, so that they do not stay next to what is made of them."""
    parts.reverse()
    while parts:
        yield parts.pop()


Number = TypeVar("Number", bound=np.generic)


def _joined(columns: list[NDArray[Number]], dtype: type[Number]) -> NDArray[Number]:
    return columns[0] if len(columns) == 1 else np.concatenate([np.empty(0, dtype), *columns])


# ------------------------------------------------------------------------------------- names, and no names


Found = dict[str, tuple[Attribute, Column]]


def _leave_out_empty(source: Source, found: Found) -> list[str]:
    """Leave out columns without a name and a value; return a note on each that is not behind all others."""
    names, notes = source.full_names, list[str]()
    empty = {
        name
        for given, name in zip(source.names, names, strict=True)
        if not given and not source.declares and missing(found[name][1]).all()
    }
    for at, name in enumerate(names):
        if name in empty:
            del found[name]
            if not empty.issuperset(names[at:]):
                notes.append(f"{name}: left out, for it has no name and no value")
    return notes


def _names_that_are_cells(source: Source, columns: Mapping[str, Parts], options: ReadOptions) -> bool:
    """Return whether a cell of the row that was taken for names comes again in its column."""
    row = [text.strip() for text in source.first_row or ()]
    if not _NUMBER_OR_DATE.search(" ".join(row)):  # as nearly always: see `_is_data`
        return False
    plain = Decoder(Reading("number"))
    for name, text in zip(source.full_names, row, strict=False):
        number = plain[text]
        for part in columns[name]:
            if isinstance(part, Texts) and text not in options.missing_words:
                if text in map(str.strip, part.values):
                    return True
            elif isinstance(part, np.ndarray) and not math.isnan(number) and np.any(part == number):
                return True
    return False


def _is_data(source: Source, found: Found, is_again: bool) -> bool:
    """Return whether the row that was taken for names is one of the data, beyond doubt.

    That needs a column that is numbers or dates in all rows, this one too, and a repeated name, a fraction,
    or a value that its column has again.
    """
    cells = dict(zip(source.full_names, map(str.strip, source.first_row or ()), strict=True))
    numbers = [
        Decoder(attribute.reading or Reading("number"))[cells[name]]
        for name, (attribute, column) in found.items()
        if not attribute.is_nominal and not missing(column).all()
    ]
    if all(map(math.isnan, numbers)):
        return False
    has_fraction = any(number % 1 for number in numbers if math.isfinite(number))
    return has_fraction or len(set(cells.values())) < len(cells) or is_again
