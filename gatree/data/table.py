"""CSV files and pandas frames to a `Dataset`.

Columns of numbers become numeric, all others nominal: text in order of first appearance, a pandas
categorical in the order of its categories. The target is always nominal; classes that are numbers
are sorted. What stands for a missing value is as narrow as can be, so that "None" stays a value.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from gatree.data.dataset import Attribute, Column, Dataset
from gatree.data.files import read_text
from gatree.errors import DataError, did_you_mean, shown, there_are

MISSING_WORDS = ("", "?", "NA", "NaN", "nan", "null")
"""What stands for a missing value in a CSV file."""

_DATE_FORMAT = "yyyy-MM-dd'T'HH:mm:ss.SSS"


def read_csv(
    path: str | Path,
    target: str | None = None,
    *,
    separator: str = ",",
    missing_words: Sequence[str] = MISSING_WORDS,
) -> Dataset:
    """Read a CSV file with a header line, plain or gzipped.

    Parameters
    ----------
    path : str or Path
    target : str, optional
        The column to predict; the last one by default.
    separator : str
        What separates the values, one character.
    missing_words : sequence of str
        What stands for a missing value.

    Raises
    ------
    DataError
        With the file and, where there is one, the line.
    """
    records = list(_records(path, read_text(path), separator))
    (_, names), rows = records[0], records[1:]
    if not rows:
        raise DataError(f"{path}: a header but no rows")
    for line, row in rows:
        if len(row) != len(names):
            raise DataError(f"{path}, line {line}: {len(names)} columns, but this row has {len(row)}")
    columns = [_parsed(cells, missing_words) for cells in zip(*(row for _, row in rows), strict=True)]
    frame = pd.concat(columns, axis="columns")
    frame.columns = pd.Index(names)
    name = Path(path).name.removesuffix(".gz").removesuffix(".csv")
    return _from_frame(frame, target, name, where=str(path))


def _records(path: str | Path, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of its line and the cells of every record that is not empty."""
    if len(separator) != 1:
        raise DataError(f"the separator must be one character, got {separator!r}")
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}") from None


def _parsed(cells: Sequence[str], missing_words: Sequence[str]) -> pd.Series[Any]:
    """Return a column of numbers if all that is known are numbers, else of text."""
    column = pd.Series(cells, dtype=object)
    known = column.where(~column.isin(list(missing_words)), None)
    try:
        return pd.to_numeric(known)
    except ValueError:
        return known


def dataset_from_frame(frame: pd.DataFrame, target: str | None = None, name: str = "data") -> Dataset:
    """Return the data set of a frame.

    Parameters
    ----------
    frame : DataFrame
    target : str, optional
        The column to predict; the last one by default. It becomes nominal whatever it is.
    name : str
        What to call the data set, also in errors.
    """
    return _from_frame(frame, target, name, where=name)


def _from_frame(frame: pd.DataFrame, target: str | None, name: str, where: str) -> Dataset:
    names = [str(column) for column in frame.columns]
    target = _checked_target(names, target, where)
    attributes: list[Attribute] = []
    columns: list[Column] = []
    for position, column_name in enumerate(names):
        series = frame.iloc[:, position]
        if column_name == target:
            class_attribute, classes = _nominal(where, target, series)
            class_position = position
        else:
            attribute, column = _column(where, column_name, series)
            attributes.append(attribute)
            columns.append(column)
    return Dataset(
        name=name,
        attributes=tuple(attributes),
        columns=tuple(columns),
        class_attribute=class_attribute,
        classes=classes.astype(np.int32),
        class_position=class_position,
    )


def _checked_target(names: list[str], target: str | None, where: str) -> str:
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise DataError(f"{where}: two columns are called {shown(repeated)}")
    if target is not None and target not in names:
        raise DataError(f"{where}: no column {shown(target)}{did_you_mean(target, names)}{there_are(names)}")
    if len(names) < 2:
        only = f"only one column ({shown(names[0])})" if names else "no columns"
        raise DataError(f"{where}: {only}; at least two are needed (is the separator right?)")
    return names[-1] if target is None else target


def _column(where: str, name: str, series: pd.Series[Any]) -> tuple[Attribute, Column]:
    if types.is_datetime64_any_dtype(series):
        naive = pd.to_datetime(series, utc=True).dt.tz_localize(None)
        milliseconds = (naive - pd.Timestamp(0)) / pd.Timedelta(milliseconds=1)
        whole = milliseconds.to_numpy(np.float64).round().astype(np.float64)
        return Attribute(name, "numeric", date_format=_DATE_FORMAT), whole
    if types.is_timedelta64_dtype(series) or types.is_complex_dtype(series):
        raise DataError(f"{where}: column {shown(name)} is of type {series.dtype}; use numbers or text")
    if types.is_numeric_dtype(series) and not types.is_bool_dtype(series):
        return Attribute(name, "numeric"), series.to_numpy(dtype=np.float64, na_value=np.nan)
    return _nominal(where, name, series)


def _nominal(where: str, name: str, series: pd.Series[Any]) -> tuple[Attribute, Column]:
    """Return a column's distinct values as text, and the index of each cell's value."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        coded = pd.Categorical(series)
    elif types.is_bool_dtype(series):
        coded = pd.Categorical(series, categories=[False, True])
    elif types.is_numeric_dtype(series):
        coded = pd.Categorical(series)  # in rising order
    else:
        text = series.map(str, na_action="ignore")
        coded = pd.Categorical(text, categories=text.dropna().unique())
    values = tuple(_label(value) for value in coded.categories)
    if len(set(values)) != len(values):
        raise DataError(f"{where}: column {shown(name)} has categories that look the same")
    return Attribute(name, "nominal", values=values), coded.codes.astype(np.int32)


def _label(value: object) -> str:
    """Return a value as text, whole numbers without a decimal point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)
