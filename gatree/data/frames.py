"""pandas frames to the parts of a `Dataset`, and back.

Columns of numbers become numeric, and so do dates and texts that are dates of one form (`date_columns`); all
others nominal: text in order of first appearance, a pandas categorical in the order of its categories. The
target is always nominal; classes that are numbers are sorted. On the way back nominal attributes are
categories, and dates are dates.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from gatree.base.errors import DataError, shown
from gatree.data.attribute import Attribute, Column
from gatree.data.date_columns import dates_of
from gatree.data.target import checked_target, label

_DATE_FORMAT = "yyyy-MM-dd'T'HH:mm:ss.SSS"
_DAY_FORMAT, _DAY = "yyyy-MM-dd", 86_400_000


class Fields(NamedTuple):
    """The fields of a `Dataset` but its name, in their order."""

    attributes: tuple[Attribute, ...]
    columns: tuple[Column, ...]
    class_attribute: Attribute
    classes: NDArray[np.int32]
    class_position: int


def fields_of(frame: pd.DataFrame, target: str | None, where: str) -> Fields:
    """Return what a data set needs of a frame, as `Dataset.from_frame` says."""
    names = [str(column) for column in frame.columns]
    target = checked_target(names, target, where)
    attributes: list[Attribute] = []
    columns: list[Column] = []
    for position, column_name in enumerate(names):
        series = _without_decimals(frame.iloc[:, position])
        if column_name == target:
            class_attribute, classes = _nominal(where, target, series)
            class_position = position
        else:
            attribute, column = _whole_column(where, column_name, series)
            attributes.append(attribute)
            columns.append(column)
    return Fields(
        attributes=tuple(attributes),
        columns=tuple(columns),
        class_attribute=class_attribute,
        classes=classes.astype(np.int32),
        class_position=class_position,
    )


def columns_of(frame: pd.DataFrame, where: str) -> list[tuple[Attribute, Column]]:
    """Return all columns of a frame, text that is dates as dates."""
    return [
        _whole_column(where, name, _without_decimals(frame.iloc[:, position]))
        for position, name in enumerate(map(str, frame.columns))
    ]


def _whole_column(where: str, name: str, series: pd.Series[Any]) -> tuple[Attribute, Column]:
    """Return a column of which all rows are here: what some rows would leave open can be seen from them."""
    attribute, column = _column(where, name, series)
    if not attribute.is_nominal or isinstance(series.dtype, pd.CategoricalDtype):
        return attribute, column
    if (dates := dates_of(attribute.values)) is None:
        return attribute, column
    pattern, milliseconds = dates
    with_missing = np.append(milliseconds, np.nan)  # MISSING is -1: the last
    return Attribute(name, "numeric", date_format=pattern), with_missing[column.astype(np.int32)]


def block_of(frame: pd.DataFrame, nominal: Collection[str], where: str) -> list[tuple[Attribute, Column]]:
    """Return the columns of some rows; those called `nominal` are, whatever they look like."""
    return [
        (_nominal if name in nominal else _column)(where, name, _without_decimals(frame.iloc[:, position]))
        for position, name in enumerate(map(str, frame.columns))
    ]


def _without_decimals(series: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column, as floats if it holds decimals, which to pandas are objects or a type of Arrow's."""
    may_hold = series.dtype == object or isinstance(series.dtype, pd.ArrowDtype)
    if not may_hold or types.infer_dtype(series, skipna=True) != "decimal":
        return series
    return series.astype(object).where(series.notna(), np.nan).astype(np.float64)


def _column(where: str, name: str, series: pd.Series[Any]) -> tuple[Attribute, Column]:
    if types.is_datetime64_any_dtype(series):
        naive = pd.to_datetime(series, utc=True).dt.tz_localize(None)
        milliseconds = (naive - pd.Timestamp(0)) / pd.Timedelta(milliseconds=1)
        whole = milliseconds.to_numpy(np.float64).round().astype(np.float64)
        known = whole[~np.isnan(whole)]
        days = len(known) > 0 and not np.any(known % _DAY)
        return Attribute(name, "numeric", date_format=_DAY_FORMAT if days else _DATE_FORMAT), whole
    if types.is_timedelta64_dtype(series) or types.is_complex_dtype(series):
        raise DataError(f"{where}: column {shown(name)} is of type {series.dtype}; use numbers or text")
    if types.is_numeric_dtype(series) and not types.is_bool_dtype(series):
        return Attribute(name, "numeric"), series.to_numpy(dtype=np.float64, na_value=np.nan)
    return _nominal(where, name, series)


def _nominal(where: str, name: str, series: pd.Series[Any]) -> tuple[Attribute, Column]:
    """Return a column's distinct values as text, and the index of each cell's value."""
    by_appearance = False
    if isinstance(series.dtype, pd.CategoricalDtype):
        coded = pd.Categorical(series)
    elif types.is_bool_dtype(series):
        coded = pd.Categorical(series, categories=[False, True])
    elif types.is_numeric_dtype(series):
        coded = pd.Categorical(series)  # in rising order
    else:
        text = series.map(str, na_action="ignore")
        coded = pd.Categorical(text, categories=text.dropna().unique())
        by_appearance = True
    values = tuple(label(value) for value in coded.categories)
    if len(set(values)) != len(values):
        raise DataError(f"{where}: column {shown(name)} has categories that look the same")
    return Attribute(name, "nominal", values, by_appearance=by_appearance), coded.codes.astype(np.int32)


def to_frame(parts: Fields) -> pd.DataFrame:
    """Return the parts of a data set as a frame, the class where it stood in the file."""
    columns = {
        attribute.name: as_series(attribute, column)
        for attribute, column in zip(parts.attributes, parts.columns, strict=True)
    }
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(parts.classes)))
    target = as_series(parts.class_attribute, parts.classes)
    frame.insert(parts.class_position, parts.class_attribute.name, target)
    return frame


def as_series(attribute: Attribute, column: Column) -> pd.Series[Any]:
    """Return one column: categories in the attribute's order, dates, or numbers."""
    if attribute.is_nominal:
        values = pd.Index(attribute.values, dtype=object)
        return pd.Series(pd.Categorical.from_codes(column.astype(np.int32).tolist(), categories=values))
    if attribute.date_format is None:
        return pd.Series(column, dtype=np.float64)
    return pd.Series(_dates(column))


def _dates(milliseconds: Column) -> NDArray[np.datetime64]:
    """Return instants as dates, NaT where they are missing. What pandas 2 offers may overflow."""
    dates = np.full(len(milliseconds), "NaT", dtype="datetime64[ms]")
    known = ~np.isnan(milliseconds)
    dates[known] = np.rint(milliseconds[known]).astype(np.int64).astype("datetime64[ms]")
    return dates
