"""Tables of text into data sets: Orange's .tab files and comma-separated ones.

A table is a list of columns of cells as they stand in the file. A recipe says which columns are
numeric and, where the order matters, which values a nominal one has.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from gatree.data.answer import Classes
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.dataset import Dataset

Table = dict[str, list[str]]


def read_tab(path: Path) -> Table:
    """Read an Orange .tab file: names, types and roles in three lines, then the rows."""
    names, _types, _roles, *rows = _cells(path, "\t")
    return _table(names, rows)


def read_csv(path: Path, names: Sequence[str] | None = None) -> Table:
    """Read a comma-separated file, whose first row holds the names unless they are given."""
    rows = _cells(path, ",")
    return _table(names, rows) if names else _table(rows[0], rows[1:])


def as_dataset(
    name: str,
    table: Table,
    class_name: str,
    *,
    numeric: Collection[str] = (),
    values: Mapping[str, Sequence[str]] | None = None,
) -> Dataset:
    """Return a table as a data set with the class last.

    The values of a nominal column come from ``values``, else in order of appearance. A cell ``?`` is
    missing.
    """
    described = {
        column: _numeric_column(column, cells)
        if column in numeric
        else _nominal_column(column, cells, (values or {}).get(column))
        for column, cells in table.items()
    }
    class_attribute, classes = described.pop(class_name)
    attributes, columns = zip(*described.values(), strict=True)
    return Dataset(
        name=name,
        attributes=attributes,
        columns=columns,
        answer=Classes(class_attribute, classes.astype(np.int32)),
        answer_position=len(attributes),
    )


def _cells(path: Path, delimiter: str) -> list[list[str]]:
    with path.open(newline="", encoding="ascii") as lines:
        return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter) if row]


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _numeric_column(name: str, cells: list[str]) -> tuple[Attribute, Column]:
    numbers = [float("nan") if cell == "?" else float(cell) for cell in cells]
    return Attribute(name, "numeric"), np.array(numbers, dtype=np.float64)


def _nominal_column(name: str, cells: list[str], values: Sequence[str] | None) -> tuple[Attribute, Column]:
    values = tuple(values or dict.fromkeys(cell for cell in cells if cell != "?"))
    index = {value: code for code, value in enumerate(values)} | {"?": MISSING}
    return Attribute(name, "nominal", values), np.array([index[cell] for cell in cells], dtype=np.int32)
