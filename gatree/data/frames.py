"""Frames of pandas, polars and pyarrow, and Parquet files, to the cells of a table; data sets back to pandas.

Numbers, decimals and dates keep their type; categories and enumerations their order; booleans are categories,
False first. Text is read as in any file (`gatree.data.texts`). On the way back nominal attributes are
categories, and dates are dates. Parquet (the extra ``parquet``) is read batch by batch; a frame's index is
its first column if it has a name, and left out if it has none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.base.extras import extras
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.blocks import Block, Cells, InMemory, Source, Texts, Typed
from gatree.data.dates import DAY_FORMAT, DAY_MS, FULL_FORMAT
from gatree.data.target import label

if TYPE_CHECKING:
    import pandas as pd


_UNNAMED_INDEX = re.compile(r"__index_level_\d+__|__null_dask_index__")
"""What pandas and Dask call the index of a frame that has no name."""

_ROWS_AT_A_TIME = 65_536


def frame_source(frame: Any, name: str) -> InMemory:
    """Return the source of a frame, which errors call by its name."""
    columns = list(series_of(frame))
    return InMemory(
        name, name, [each for each, _ in columns], [cells_of(name, each, series) for each, series in columns]
    )


@dataclass(frozen=True)
class ParquetSource(Source):
    """A Parquet file."""

    path: str

    @cached_property
    def names(self) -> list[str]:
        """The columns in the order of the frame that was written; Parquet has its index at the end."""
        with _opened(self.path) as file:
            schema = file.schema_arrow
        index = (schema.pandas_metadata or {}).get("index_columns", ())
        ordered = sorted(map(str, schema.names), key=lambda name: name not in index)
        return [name for name in ordered if not _UNNAMED_INDEX.fullmatch(name)]

    def blocks(self, _texts: Collection[str] = ()) -> Iterator[Block]:
        with _opened(self.path) as file:
            if file.metadata.num_rows == 0:  # to say what the columns are
                yield self._cells(file.schema_arrow.empty_table())
            for batch in file.iter_batches(_ROWS_AT_A_TIME):
                yield self._cells(batch)

    def _cells(self, frame: Any) -> Block:
        columns = dict(series_of(frame))
        return [cells_of(self.path, name, columns[name]) for name in self.names]


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    """Open a file, and say what is wrong with it."""
    with extras():
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    try:
        with ParquetFile(path) as file:
            yield file
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (ArrowException, OSError) as error:
        raise DataError(f"{path}: cannot be read as Parquet ({error})") from None


def series_of(frame: Any) -> Iterator[tuple[str, nw.Series[Any]]]:
    """Yield the columns of a frame and their names, which pandas may repeat."""
    if type(frame).__name__ == "RecordBatch":  # of pyarrow, which narwhals has no frame for
        import pyarrow

        frame = pyarrow.Table.from_batches([frame])
    if hasattr(frame, "iloc"):
        for position, name in enumerate(frame.columns):
            yield str(name), nw.from_native(frame.iloc[:, position], series_only=True)
        return
    try:
        columns = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(
            f"a frame of pandas, polars or pyarrow expected, got {type(frame).__name__}"
        ) from None
    for series in columns.iter_columns():
        yield series.name, series


def is_frame(data: Any) -> bool:
    """Return whether data are a frame of pandas, polars or pyarrow."""
    return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)


def frame_of_pandas(frame: Any) -> pd.DataFrame:
    """Return a frame of polars or pyarrow as one of pandas: numbers, dates, categories in order, text."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for name, series in series_of(frame):
        cells = cells_of("X", name, series)
        if isinstance(cells, Typed):
            columns[name] = as_series(*cells)
        elif isinstance(cells, Texts):
            columns[name] = pd.Series(
                np.array([*(text or None for text in cells.values), None], object)[cells.codes]
            )
    return pd.DataFrame(columns)


def cells_of(where: str, name: str, series: nw.Series[Any]) -> Cells:
    """Return the cells of a column: those of a known type, or texts."""
    dtype, native = series.dtype, series.to_native()
    native_dtype = str(getattr(native, "dtype", ""))
    if native_dtype == "object":  # narwhals looks at its first cells only
        return _objects(where, name, series)
    if dtype.is_numeric():
        return Typed(Attribute(name, "numeric"), _floats(series))
    if dtype == nw.Boolean:
        return _coded(where, name, series, (False, True))
    if dtype in (nw.Categorical, nw.Enum):
        if series.implementation.is_pyarrow():
            if any(chunk.dictionary.null_count for chunk in native.chunks):  # which pandas refuses
                native = native.cast(native.type.value_type).dictionary_encode()
            series = nw.from_native(native.to_pandas(), series_only=True)
        if series.implementation.is_pandas():
            return _coded(where, name, series, series.to_native().cat.categories.tolist())
        return _coded(where, name, series, dtype.categories if isinstance(dtype, nw.Enum) else None)
    if dtype in (nw.Date, nw.Datetime):
        moments = series.cast(nw.Datetime("us")) if dtype == nw.Date else series
        return _dates(name, _floats(moments.dt.timestamp("us")) / 1000)
    if dtype == nw.String:
        return Texts.of([text if isinstance(text, str) else None for text in series.to_list()])
    if dtype in (nw.Object, nw.Unknown) and "complex" not in native_dtype:
        return _objects(where, name, series)
    raise DataError(f"{where}: column {shown(name)} is of type {dtype}; use numbers, dates or text")


def _floats(series: nw.Series[Any]) -> NDArray[np.float64]:
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _dates(name: str, milliseconds: NDArray[np.float64]) -> Typed:
    whole = milliseconds.round()
    known = whole[~np.isnan(whole)]
    days = len(known) > 0 and not np.any(known % DAY_MS)
    return Typed(Attribute(name, "numeric", date_format=DAY_FORMAT if days else FULL_FORMAT), whole)


def _coded(where: str, name: str, series: nw.Series[Any], categories: Sequence[Any] | None) -> Typed:
    """Return categories as texts, and the code of every cell; as they appear, if no order is kept."""
    cells = Texts.of(series.to_native() if series.implementation.is_pandas() else series.to_list())
    categories = cells.values if categories is None else categories
    values = tuple(map(label, categories))
    if len(set(values)) != len(values):
        raise DataError(f"{where}: column {shown(name)} has categories that look the same")
    code_of = {category: code for code, category in enumerate(categories)}
    return Typed(Attribute(name, "nominal", values), cells.mapped(code_of, MISSING, np.int32))


def _objects(where: str, name: str, series: nw.Series[Any]) -> Cells:
    """Return objects of Python: numbers, booleans or dates if all are, else their texts."""
    is_missing = series.is_null().to_numpy()
    cells = [None if gone else cell for cell, gone in zip(series.to_list(), is_missing, strict=True)]
    known = [cell for cell in cells if cell is not None]
    if known and all(isinstance(cell, bool | np.bool_) for cell in known):
        return _coded(where, name, series, (False, True))
    if known and all(isinstance(cell, Real | Decimal) and not isinstance(cell, bool) for cell in known):
        numbers = [math.nan if cell is None else float(cell) for cell in cells]
        return Typed(Attribute(name, "numeric"), np.array(numbers))
    if known and all(isinstance(cell, date) for cell in known):
        return _dates(name, np.array([math.nan if cell is None else _milliseconds(cell) for cell in cells]))
    return Texts.of([None if cell is None else str(cell) for cell in cells])


def _milliseconds(moment: date) -> float:
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000


def as_series(attribute: Attribute, column: Column) -> pd.Series[Any]:
    """Return one column: categories in the attribute's order, dates, or numbers."""
    import pandas as pd

    if attribute.is_nominal:
        values = pd.Index(attribute.values, dtype=object)
        return pd.Series(pd.Categorical.from_codes(column.astype(np.int32).tolist(), categories=values))
    if attribute.date_format is None:
        return pd.Series(column, dtype=np.float64)
    dates = np.full(len(column), "NaT", dtype="datetime64[ms]")  # what pandas 2 offers may overflow
    known = ~np.isnan(column)
    dates[known] = np.rint(column[known]).astype(np.int64).astype("datetime64[ms]")
    return pd.Series(dates)
