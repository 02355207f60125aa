"""Frames of pandas, polars and pyarrow, and Parquet files, to the cells of a table; data sets back to pandas.

Numbers, decimals and dates keep their type; categories and enumerations their order; booleans are categories,
False first. Text is read as in any file (`gatree.data.texts`). On the way back nominal attributes are
categories, and dates are dates. Parquet (the extra ``parquet``) is read column by column; a frame's index is
its first column if it has a name, and left out if it has none.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeGuard

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, GatreeError, reason, shown
from gatree.base.extras import extras
from gatree.base.limits import MOST_CELLS, refuse_above, refuse_too_much_unpacked
from gatree.data.answer import label
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.dates import DAY_FORMAT, DAY_MS, FULL_FORMAT
from gatree.data.files import naming_failures
from gatree.data.source import Block, Cells, Source, Texts, Typed

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoDataFrame

    Series: TypeAlias = nw.Series[Any]


_UNNAMED_INDEX = re.compile(r"__index_level_\d+__|__null_dask_index__")
"""What pandas and Dask call the index of a frame that has no name."""


@dataclass(frozen=True)
class FrameSource(Source):
    """A frame, which errors call by its name."""

    frame: IntoDataFrame
    path: str

    @cached_property
    def _columns(self) -> list[tuple[str, Series]]:
        return list(series_of(self.frame))

    @property
    def name(self) -> str:
        return self.path

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self._columns]

    def blocks(self, _texts: Collection[str] = ()) -> Iterator[Block]:
        yield [cells_of(self.path, name, series) for name, series in self._columns]


_CELLS_AT_A_TIME = 4_000_000


class _ParquetColumn(NamedTuple):
    name: str
    nth: int  # of the columns with this name: Parquet may have several
    is_text: bool


@dataclass(frozen=True)
class ParquetSource(Source):
    """A Parquet file, read column by column."""

    path: str

    @cached_property
    def _columns(self) -> list[_ParquetColumn]:
        """The columns in the order of the frame that was written: Parquet has its index at the end."""
        with _opened(self.path) as file:
            from pyarrow import types

            schema, metadata = file.schema_arrow, file.metadata
            n_bytes = sum(metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups))
            refuse_too_much_unpacked(self.path, n_bytes, Path(self.path).stat().st_size, "Parquet")
            refuse_above(MOST_CELLS, metadata.num_rows * len(schema.names), "cells", self.path)
            columns, seen = list[_ParquetColumn](), Counter[str]()
            for field in schema:
                is_text = types.is_string(field.type) or types.is_large_string(field.type)
                if not _UNNAMED_INDEX.fullmatch(field.name):
                    columns.append(_ParquetColumn(field.name, seen[field.name], is_text))
                seen[field.name] += 1
            index = _index_columns(schema.metadata or {})
        return sorted(columns, key=lambda column: column.name not in index)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self._columns]

    @cached_property
    def most_rows(self) -> int:  # type: ignore[override]
        with _opened(self.path) as file:
            return int(file.metadata.num_rows)

    def blocks(self, _texts: Collection[str] = ()) -> Iterator[Block]:
        texts, cells = [column.name for column in self._columns if column.is_text], list[Cells]()
        with _opened(self.path, read_dictionary=texts) as file:  # a text that is repeated is held once
            n = max(1, _CELLS_AT_A_TIME // max(1, file.metadata.num_rows))
            for start in range(0, len(self._columns), n):
                columns = self._columns[start : start + n]
                table = file.read(columns=list(dict.fromkeys(column.name for column in columns)))
                places: dict[str, list[int]] = {}  # there may be others that begin like the one wanted
                for at, name in enumerate(table.column_names):
                    places.setdefault(name, []).append(at)
                cells += [
                    self._cells(table.column(places[name][nth]), name, is_text)
                    for name, nth, is_text in columns
                ]
        yield cells

    def _cells(self, column: Any, name: str, is_text: bool) -> Cells:
        if is_text:
            return _texts_of_arrow(column)
        return cells_of(self.path, name, nw.from_native(column, series_only=True))


def _index_columns(metadata: Mapping[bytes, bytes]) -> list[object]:
    """Return the columns that pandas noted as a frame's index, if it is pandas that has noted them."""
    try:
        found = json.loads(metadata[b"pandas"])["index_columns"]
    except (KeyError, TypeError, ValueError):
        return []
    return found if isinstance(found, list) else []


@contextmanager
def _opened(path: str, **options: Any) -> Iterator[Any]:
    """Open a file; whatever pyarrow meets in it, then or while it is read, is one line about the file."""
    with extras():
        from pyarrow.parquet import ParquetFile
    with naming_failures(path, "Parquet"), ParquetFile(path, **options) as file:
        yield file


def _texts_of_arrow(column: Any) -> Texts:
    """Return a column of texts of pyarrow, plain or by a dictionary."""
    import pandas as pd
    import pyarrow

    encoded = column if pyarrow.types.is_dictionary(column.type) else column.dictionary_encode()
    if encoded.num_chunks == 0:
        return Texts([], np.empty(0, dtype=np.int32), keeps_blanks=True)
    whole = pyarrow.concat_arrays(encoded.unify_dictionaries().chunks)
    there = whole.indices.fill_null(-1).to_numpy().astype(np.intp, copy=False)
    used = pd.unique(there[there >= 0])  # in order of first appearance
    codes = np.full(len(whole.dictionary) + 1, -1, dtype=np.int32)  # the last one is that of a missing value
    codes[used] = np.arange(len(used))
    return Texts(whole.dictionary.take(pyarrow.array(used)).to_pylist(), codes[there], keeps_blanks=True)


def series_of(frame: IntoDataFrame) -> Iterator[tuple[str, Series]]:
    """Yield the columns of a frame and their names, which pandas may repeat."""
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


def is_frame(data: object) -> TypeGuard[IntoDataFrame]:
    """Return whether data are a frame of pandas, polars or pyarrow."""
    return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)


def frame_of_pandas(frame: IntoDataFrame) -> pd.DataFrame:
    """Return a frame of polars or pyarrow as one of pandas: numbers, dates, categories in order, text."""
    import pandas as pd

    columns: dict[str, pd.Series[Any]] = {}
    for name, series in series_of(frame):
        cells = cells_of("X", name, series)
        if isinstance(cells, Typed):
            columns[name] = as_series(*cells)
        elif isinstance(cells, Texts):
            columns[name] = pd.Series(
                np.array([*(text or None for text in cells.values), None], object)[cells.codes]
            )
    return pd.DataFrame(columns)


def cells_of(where: str, name: str, series: Series) -> Cells:
    """Return the cells of a column: those of a known type, or texts."""
    try:
        return _cells_of(where, name, series)
    except GatreeError:
        raise
    except Exception as error:
        raise DataError(f"{where}: column {shown(name)} cannot be read ({reason(error)})") from error


def _cells_of(where: str, name: str, series: Series) -> Cells:
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
    if dtype == nw.String and series.implementation.is_pyarrow():
        return _texts_of_arrow(native)
    if dtype == nw.String:
        return _kept([text if isinstance(text, str) else None for text in series.to_list()])
    if dtype in (nw.Object, nw.Unknown) and "complex" not in native_dtype:
        return _objects(where, name, series)
    raise DataError(f"{where}: column {shown(name)} is of type {dtype}; use numbers, dates or text")


def _kept(texts: Sequence[str | None]) -> Texts:
    return Texts.of(texts)._replace(keeps_blanks=True)


def _floats(series: Series) -> NDArray[np.float64]:
    if series.implementation.is_pyarrow():  # which refuses integers that no float has exactly
        return np.asarray(series.to_native().cast("float64", safe=False).to_numpy(), dtype=np.float64)
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _dates(name: str, milliseconds: NDArray[np.float64]) -> Typed:
    whole = milliseconds.round()
    known = whole[~np.isnan(whole)]
    days = len(known) > 0 and not np.any(known % DAY_MS)
    return Typed(Attribute(name, "numeric", date_format=DAY_FORMAT if days else FULL_FORMAT), whole)


def _coded(where: str, name: str, series: Series, categories: Sequence[Any] | None) -> Typed:
    """Return categories as texts, and the code of every cell; as they appear, if no order is kept."""
    cells = Texts.of(series.to_native() if series.implementation.is_pandas() else series.to_list())
    categories = cells.values if categories is None else categories
    values = tuple(map(label, categories))
    if len(set(values)) != len(values):
        raise DataError(f"{where}: column {shown(name)} has categories that look the same")
    code_of = {category: code for code, category in enumerate(categories)}
    return Typed(Attribute(name, "nominal", values), cells.mapped(code_of, MISSING, np.int32))


def _objects(where: str, name: str, series: Series) -> Cells:
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
    return _kept([None if cell is None else str(cell) for cell in cells])


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
