"""Parquet files (the extra ``parquet``), batch by batch.

A frame's index is its first column if it has a name, and left out if it has none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gatree.base.errors import DataError
from gatree.base.extras import extras
from gatree.data.blocks import Block, ReadOptions, Source

_UNNAMED_INDEX = re.compile(r"__index_level_\d+__|__null_dask_index__")
"""What pandas and Dask call the index of a frame that has no name."""

_ROWS_AT_A_TIME = 65_536


@dataclass(frozen=True)
class ParquetSource(Source):
    """A Parquet file."""

    path: str

    @classmethod
    def of(cls, path: str, _options: ReadOptions) -> ParquetSource:
        return cls(path)

    @property
    def name(self) -> str:
        return Path(self.path).stem

    @cached_property
    def names(self) -> list[str]:
        """The columns in the order of the frame that was written; Parquet has its index at the end."""
        with _opened(self.path) as file:
            schema = file.schema_arrow
        index = (schema.pandas_metadata or {}).get("index_columns", ())
        ordered = sorted(map(str, schema.names), key=lambda name: name not in index)
        return [name for name in ordered if not _UNNAMED_INDEX.fullmatch(name)]

    def blocks(self, _texts: Collection[str] = ()) -> Iterator[Block]:
        from gatree.data.frames import cells_of_frame

        with _opened(self.path) as file:
            if file.metadata.num_rows == 0:  # to say what the columns are
                yield cells_of_frame(file.schema_arrow.empty_table(), self.names, self.path)
            for batch in file.iter_batches(_ROWS_AT_A_TIME):
                yield cells_of_frame(batch, self.names, self.path)


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
