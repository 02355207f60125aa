"""A `Dataset` as a pandas frame: categories and dates as such. The way back is gatree.data.table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gatree.data.attribute import Attribute, Column

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset


def to_frame(dataset: Dataset) -> pd.DataFrame:
    """Return the data set as a frame, the class where it stood in the file."""
    columns = {
        attribute.name: as_series(attribute, column)
        for attribute, column in zip(dataset.attributes, dataset.columns, strict=True)
    }
    frame = pd.DataFrame(columns, index=pd.RangeIndex(dataset.n_instances))
    target = as_series(dataset.class_attribute, dataset.classes)
    frame.insert(dataset.class_position, dataset.class_attribute.name, target)
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
