"""Parquet files (the extra ``parquet``), whole or batch by batch, as frames that look like what was written.

A frame's index is its first column if it has a name, and left out if it has none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gatree.base.errors import DataError
from gatree.base.extras import extras
from gatree.base.limits import MOST_CELLS, refuse_above
from gatree.data.attribute import Attribute, Column
from gatree.data.dataset import Dataset
from gatree.data.files import Block, cut
from gatree.data.target import checked_target

if TYPE_CHECKING:
    import pandas as pd

_UNNAMED_INDEX = re.compile(r"__index_level_\d+__|__null_dask_index__")
"""What pandas and Dask call the index of a frame that has no name."""


_ROWS_AT_A_TIME = 65_536


def read_parquet(path: str | Path, target: str | None = None) -> Dataset:
    """Read a Parquet file, by default with its last column as the class.

    Raises
    ------
    DataError
        With the file.
    """
    return replace(Dataset.from_frame(_whole(path), target, str(path)), name=Path(path).stem)


def read_parquet_columns(path: str | Path) -> list[tuple[Attribute, Column]]:
    """Read all columns of a Parquet file as attributes: none of them is the class."""
    from gatree.data.frames import columns_of

    return columns_of(_whole(path), str(path))


def write_parquet(dataset: Dataset, path: str | Path) -> None:
    """Write a data set as Parquet: categories, numbers and dates, the class where it stood."""
    with extras():
        import pyarrow as _  # noqa: F401
    try:
        dataset.to_frame().to_parquet(path, index=False)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error})") from None


def _whole(path: str | Path) -> pd.DataFrame:
    with opened_parquet(str(path)) as file:
        refuse_above(MOST_CELLS, file.metadata.num_rows * file.metadata.num_columns, "cells", str(path))
        return frame_of(file.read(), parquet_names(file))


@contextmanager
def opened_parquet(path: str) -> Iterator[Any]:
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


def parquet_names(file: Any) -> list[str]:
    """Return the columns in the order of the frame that was written; Parquet has its index at the end."""
    schema = file.schema_arrow
    index = (schema.pandas_metadata or {}).get("index_columns", ())
    ordered = sorted(map(str, schema.names), key=lambda name: name not in index)
    return [name for name in ordered if not _UNNAMED_INDEX.fullmatch(name)]


def frame_of(rows: Any, names: list[str]) -> pd.DataFrame:
    """Return the columns of a table or of a batch of one."""
    # What pandas has noted of a frame would move its index away.
    frame: pd.DataFrame = rows.to_pandas(ignore_metadata=True, types_mapper=_pandas_type)
    return frame[names]


def _pandas_type(arrow_type: Any) -> Any:
    """Return how to hold what would else be objects, of a kind that batches without values do not show."""
    import pandas as pd
    from pyarrow import types

    if types.is_boolean(arrow_type):
        return pd.BooleanDtype()
    return pd.ArrowDtype(arrow_type) if types.is_decimal(arrow_type) else None


@dataclass(frozen=True)
class ParquetReader:
    """A Parquet file."""

    path: str
    declares: bool = False

    @cached_property
    def names(self) -> list[str]:
        with opened_parquet(self.path) as file:
            return parquet_names(file)

    def class_name(self, wanted: str | None) -> str:
        return checked_target(self.names, wanted, self.path)

    def blocks(self, nominal: Collection[str], begin: int = 0, end: float = math.inf) -> Iterator[Block]:
        from gatree.data.frames import block_of

        n_rows = 0
        with opened_parquet(self.path) as file:
            for batch in file.iter_batches(_ROWS_AT_A_TIME):
                if n_rows >= end:
                    return
                if n_rows + batch.num_rows > begin:
                    frame = frame_of(batch, self.names)
                    yield from cut(block_of(frame, nominal, self.path), n_rows, begin, end)
                n_rows += batch.num_rows
