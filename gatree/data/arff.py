"""ARFF in and out: what WEKA reads, `read_arff` reads, and what `write_arff` writes, WEKA reads equal.

The reader is our own, in two steps: `arff_header` (words and header) and `arff_rows`. It is not
built on liac-arff, which refuses legal files (``INTEGER [0,9]``, values separated by blanks, unknown
escapes, comments after a row), reads ``1,,x`` as three values where WEKA sees two, and writes the
value '?' so that it comes back as missing. Where both understand a file they are held against each
other, by `gatree datasets verify` and by the tests (`read_with_liac`). Stricter than WEKA, on
purpose, where WEKA silently loses data: a quote that is never closed, more values than attributes,
text after a date, a NUL byte. Commands read rows that WEKA refuses in a lenient way (`arff_rows`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np

from gatree.base.errors import DataError, shown
from gatree.base.limits import MOST_CELLS, MOST_DATA_BYTES, refuse_above
from gatree.data.arff_header import ArffLine, Header, quote, read_header
from gatree.data.arff_rows import read_blocks
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.dataset import Dataset, read_table
from gatree.data.dates import DateFormat
from gatree.data.files import TextFacts, facts_of, open_text, write_text
from gatree.data.source import Block, ReadOptions, Source

_MANY_ATTRIBUTES = 100


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
    source = ArffSource(str(path), facts_of(path), drop_strings)
    return read_table(lambda _: source).dataset(class_name)


@dataclass(frozen=True)
class ArffSource(Source):
    """An ARFF file, whose header says what its attributes are."""

    path: str
    facts: TextFacts
    drop_strings: bool = False
    refused: dict[str, None] | None = field(default=None, compare=False)  # rows that are read leniently

    @classmethod
    def of(cls, path: str, options: ReadOptions) -> ArffSource:
        """Open a file; rows that are refused are read in a lenient way, if there is one."""
        return cls(path, facts_of(path, MOST_DATA_BYTES), options.drop_strings, refused={})

    @contextmanager
    def _lines(self) -> Iterator[Iterator[ArffLine]]:
        with open_text(self.path, self.facts.encoding) as file:
            lines = (line.rstrip("\n") for line in file)
            yield (ArffLine(self.path, number, line) for number, line in enumerate(lines, start=1))

    @cached_property
    def _header(self) -> Header:
        with self._lines() as lines:
            header = read_header(self.path, lines)
        strings = [each for each in header.declared.values() if each.attribute is None]
        if strings and not self.drop_strings:
            raise strings[0].line.error(
                f"attribute {shown(strings[0].name)} is of type string, which no tree can test; "
                "drop such attributes with drop_strings=True (--drop-strings)"
            )
        if len(strings) == len(header.declared):
            raise DataError(f"{self.path}: only attributes of type string, so nothing to predict")
        return header

    @property
    def name(self) -> str:
        return self._header.relation

    @cached_property
    def declared_at(self) -> Mapping[str, int]:  # type: ignore[override]
        return {name: each.line.number for name, each in self._header.declared.items() if each.attribute}

    @property
    def names(self) -> list[str]:
        return list(self.declared_at)

    @property
    def most_rows(self) -> int:  # type: ignore[override]
        return self.facts.n_lines - len(self.declared_at)

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.refused:
            return ()
        more = f" (and {len(self.refused) - 1} more such rows)" if len(self.refused) > 1 else ""
        how = "read with commas between all values, and nothing between two of them as a missing one"
        return (f"warning: {next(iter(self.refused))}{more}; {how}",)

    def blocks(self, _texts: Collection[str] = ()) -> Iterator[Block]:
        declared = tuple(self._header.declared.values())
        if len(declared) > _MANY_ATTRIBUTES:
            refuse_above(MOST_CELLS, self._count_rows() * len(declared), "cells", self.path)
        with self._lines() as lines:
            rows = islice(lines, self._header.data_line - 1, None)
            yield from read_blocks(rows, declared, self.refused)

    def _count_rows(self) -> int:
        """Return the number of rows, which are a line each: a sparse one says nothing of its cells."""
        with open_text(self.path, self.facts.encoding) as file:
            data = islice(file, self._header.data_line, None)
            return sum(1 for line in data if not line.isspace() and not line.lstrip().startswith("%"))


def read_with_liac(path: Path) -> Dataset:
    """Read an ARFF file of nominal and numeric attributes with liac-arff, the last one being the class."""
    import arff
    import pandas as pd

    try:
        with path.open(encoding="utf-8") as file:
            document = arff.load(file)
    except arff.ArffException as error:
        raise DataError(f"{path}: liac-arff cannot read it: {error}") from error
    frame = pd.DataFrame(document["data"], columns=[name for name, _ in document["attributes"]])
    for name, kind in document["attributes"]:
        cells = frame[name]
        frame[name] = pd.Categorical(cells, kind) if isinstance(kind, list) else cells.astype(np.float64)
    return Dataset.from_frame(frame, name=document["relation"])


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
    parts = dataset.parts()
    words = [_words(dataset, attribute, column) for attribute, column in parts]
    lines = [
        *(f"% {line}".rstrip() for line in comment.splitlines()),
        f"@relation {quote(dataset.name)}",
        "",
        *(f"@attribute {quote(attribute.name)} {_type(attribute)}" for attribute, _ in parts),
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
