"""ARFF in and out: what WEKA reads, `read_arff` reads, and what `write_arff` writes, WEKA reads equal.

The reader is our own, in two steps: `arff_header` (words and header) and `arff_rows`. It is not
built on liac-arff, which refuses legal files (``INTEGER [0,9]``, values separated by blanks, unknown
escapes, comments after a row), reads ``1,,x`` as three values where WEKA sees two, and writes the
value '?' so that it comes back as missing. Where both understand a file they are held against each
other, by `gatree datasets verify` and by the tests (see `gatree.data.liac`). Stricter than WEKA, on
purpose, where WEKA silently loses data: a quote that is never closed, more values than attributes,
text after a date, a NUL byte.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np

from gatree.base.errors import DataError, did_you_mean, shown, there_are
from gatree.data.arff_header import ArffLines, Header, StringAttribute, quote, read_header
from gatree.data.arff_rows import read_columns
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.dataset import Dataset
from gatree.data.dates import DateFormat
from gatree.data.files import ANY_SIZE, Block, Text, cut, looked_through, open_text, read_text, write_text

_ROWS_AT_A_TIME = 4096


class BadRowsError(DataError):
    """The header of an ARFF file is in order, and a row is not."""


def read_arff(path: str | Path, class_name: str | None = None, drop_strings: bool = False) -> Dataset:
    """Read an ARFF file, dense or sparse, plain or gzipped.

    Parameters
    ----------
    path : str or Path
    class_name : str, optional
        The attribute to predict; the last one by default. It must be nominal.
    drop_strings : bool
        Leave out attributes of type string, which are refused otherwise.

    Raises
    ------
    DataError
        With the file, the line and what is wrong there.
    """
    return parse_arff(read_text(path), class_name, drop_strings, path=str(path))


def parse_arff(
    text: str, class_name: str | None = None, drop_strings: bool = False, path: str = "<text>"
) -> Dataset:
    """Read a data set from the text of an ARFF file; ``path`` is what errors call it."""
    source, header = _opened(text, drop_strings, path)
    class_attribute = class_of(source, header, class_name)
    try:
        columns = read_columns(source, header)
    except DataError as error:
        raise BadRowsError(str(error)) from error
    class_position = [attribute for attribute, _ in columns].index(class_attribute)
    _, classes = columns.pop(class_position)
    return Dataset(
        name=header.relation,
        attributes=tuple(attribute for attribute, _ in columns),
        columns=tuple(column for _, column in columns),
        class_attribute=class_attribute,
        classes=classes.astype(np.int32),
        class_position=class_position,
    )


def read_arff_columns(path: str | Path, drop_strings: bool = False) -> list[tuple[Attribute, Column]]:
    """Read all attributes of an ARFF file: none of them is the class."""
    return read_columns(*_opened(read_text(path), drop_strings, str(path)))


def _opened(text: str, drop_strings: bool, path: str) -> tuple[ArffLines, Header]:
    source = ArffLines(path, text.split("\n"))
    header = read_header(source)
    if not drop_strings:
        refuse_strings(source, header)
    return source, header


def refuse_strings(source: ArffLines, header: Header) -> None:
    """Refuse attributes of free text."""
    for attribute, line in zip(header.attributes, header.attribute_lines, strict=True):
        if isinstance(attribute, StringAttribute):
            raise source.error(
                line,
                f"attribute {shown(attribute.name)} is of type string, which no tree can test; "
                "drop such attributes with drop_strings=True (--drop-strings)",
            )


def class_of(source: ArffLines, header: Header, name: str | None) -> Attribute:
    """Return the class: the attribute of that name, or the last one that is not dropped."""
    names = [attribute.name for attribute in header.attributes]
    if name is None:
        kept = [attribute.name for attribute in header.attributes if isinstance(attribute, Attribute)]
        if not kept:
            raise DataError(f"{source.path}: only attributes of type string, so nothing to predict")
        name = kept[-1]
    if name not in names:
        raise DataError(
            f"{source.path}: no attribute {shown(name)}{did_you_mean(name, names)}{there_are(names)}"
        )
    index = names.index(name)
    attribute = header.attributes[index]
    if isinstance(attribute, StringAttribute) or not attribute.is_nominal:
        kind = "a string" if isinstance(attribute, StringAttribute) else "numeric"
        raise source.error(
            header.attribute_lines[index],
            f"the class must be nominal, but {shown(name)} is {kind}; "
            "name another attribute with class_name (--class)",
        )
    return attribute


def write_arff(dataset: Dataset, path_or_file: str | Path | TextIO, comment: str = "") -> None:
    """Write a data set as ARFF, gzipped if the path ends in ``.gz``.

    The lines of ``comment`` become ``%`` comments at the top.
    """
    text = format_arff(dataset, comment)
    if isinstance(path_or_file, str | Path):
        write_text(path_or_file, text)
    else:
        path_or_file.write(text)


def format_arff(dataset: Dataset, comment: str = "") -> str:
    """Return a data set as the text of an ARFF file."""
    attributes, columns = list(dataset.attributes), list(dataset.columns)
    attributes.insert(dataset.class_position, dataset.class_attribute)
    columns.insert(dataset.class_position, dataset.classes)
    words = [_words(dataset, *pair) for pair in zip(attributes, columns, strict=True)]
    lines = [
        *(f"% {line}".rstrip() for line in comment.splitlines()),
        f"@relation {quote(dataset.name)}",
        "",
        *(f"@attribute {quote(attribute.name)} {_type(attribute)}" for attribute in attributes),
        "",
        "@data",
        *map(",".join, zip(*words, strict=True)),
    ]
    return "\n".join(lines) + "\n"


def _type(attribute: Attribute) -> str:
    if attribute.is_nominal:
        return "{" + ",".join(map(quote, attribute.values)) + "}"
    return "numeric" if attribute.date_format is None else f"date {quote(attribute.date_format)}"


def _words(dataset: Dataset, attribute: Attribute, column: Column) -> list[str]:
    """Return the cells of a column as they are written."""
    if attribute.is_nominal:
        by_code = {MISSING: "?"} | {code: quote(value) for code, value in enumerate(attribute.values)}
        return [by_code[code] for code in column.tolist()]
    if attribute.date_format is None:
        return [_number_word(number) for number in column.tolist()]
    dates = DateFormat.compile(attribute.date_format)
    try:
        return ["?" if math.isnan(moment) else quote(dates.format(moment)) for moment in column.tolist()]
    except ValueError as error:
        raise DataError(f"{dataset.name}: attribute {shown(attribute.name)}: {error}") from None


def _number_word(number: float) -> str:
    """Return the shortest text that reads back as exactly this number."""
    if not math.isfinite(number):
        return "?" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    return repr(number).removesuffix(".0")


@dataclass(frozen=True)
class ArffReader:
    """An ARFF file, whose header says what its attributes are."""

    path: str
    text: Text
    header_lines: tuple[str, ...]
    drop_strings: bool
    declares: bool = True

    @classmethod
    def of(cls, path: str, drop_strings: bool) -> ArffReader:
        text, lines = looked_through(path, ANY_SIZE), []
        with open_text(path, text) as file:
            for line in file:
                lines.append(line.rstrip("\n"))
                if line.lstrip().lower().startswith("@data"):
                    break
        reader = cls(path, text, tuple(lines), drop_strings)
        if not drop_strings:
            refuse_strings(reader._source, reader.header)
        return reader

    @property
    def _source(self) -> ArffLines:
        return ArffLines(self.path, list(self.header_lines))

    @cached_property
    def header(self) -> Header:
        return read_header(self._source)

    @cached_property
    def names(self) -> list[str]:
        return [attribute.name for attribute in self.header.attributes if isinstance(attribute, Attribute)]

    def class_name(self, wanted: str | None) -> str:
        return class_of(self._source, self.header, wanted).name

    def blocks(self, nominal: Collection[str], begin: int = 0, end: float = math.inf) -> Iterator[Block]:
        del nominal  # the header says it
        in_block, n_rows, n_before = replace(self.header, data_line=0), 0, len(self.header_lines) - 1
        with open_text(self.path, self.text) as file:
            lines = islice(file, n_before, None)
            chunk = list(islice(lines, _ROWS_AT_A_TIME))  # begins with @data, which may have a row behind it
            while len(chunk) > 0 and n_rows < end:
                source = ArffLines(self.path, [line.rstrip("\n") for line in chunk], n_before)
                block = read_columns(source, in_block)
                yield from cut(block, n_rows, begin, end)
                n_rows, n_before = n_rows + len(block[0][1]), n_before + len(chunk) - 1
                more = list(islice(lines, _ROWS_AT_A_TIME))
                chunk = ["@data", *more] if more else []
