"""The formats of data files: an entry each, gatree's own and those that other packages register.

A package adds a format by an entry point of the group ``gatree.formats`` whose value is a `Format`
(docs/extending.md). Commands, experiments and `load_data` then read files with its endings.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from glob import glob, has_magic
from itertools import chain
from pathlib import Path

from gatree.base.errors import ConfigError, DataError
from gatree.base.plugins import load_plugins
from gatree.data.arff import ArffReader, read_arff_columns, write_arff
from gatree.data.csv_file import CsvReader, read_csv, read_csv_columns, write_csv
from gatree.data.csv_records import ENDINGS as CSV_ENDINGS
from gatree.data.dataset import Dataset
from gatree.data.files import Block, Reader, ending_of, file_name
from gatree.data.liac import read_arff_or_fall_back
from gatree.data.parquet_file import ParquetReader, read_parquet, read_parquet_columns, write_parquet

_GROUP = "gatree.formats"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Format:
    """How files of one format are read and written.

    Parameters
    ----------
    name : str
    endings : tuple of str
        How the names of such files end, in lower case, such as ``(".csv", ".csv.gz")``.
    read : callable
        ``read(path, class_name, drop_strings)`` returns a `Dataset`. ``class_name`` is None for the last
        attribute; ``drop_strings`` asks to leave out free text.
    read_columns : callable, optional
        ``read_columns(path, drop_strings)`` returns all attributes and their columns, none of them as the
        class; by default what ``read`` returns, its class as an attribute.
    read_in_pieces : callable, optional
        ``read_in_pieces(path, drop_strings)`` returns a `gatree.data.files.Reader`, for files that are
        larger than memory.
    write : callable, optional
        ``write(dataset, path)``.
    infers_kinds : bool
        Whether reading guesses which columns are numeric, so that a stray word makes one nominal.
    prefers_pieces : bool
        Whether an evolution reads such a file in pieces by default.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[[str | Path, str | None, bool], Dataset]
    read_columns: Callable[[str | Path, bool], Block] | None = None
    read_in_pieces: Callable[[str, bool], Reader] | None = None
    write: Callable[[Dataset, str | Path], None] | None = None
    infers_kinds: bool = False
    prefers_pieces: bool = False

    def columns(self, path: str | Path, drop_strings: bool) -> Block:
        """Read all columns of a file as attributes: none of them is the class."""
        if self.read_columns is not None:
            return self.read_columns(path, drop_strings)
        data = self.read(path, None, drop_strings)
        columns = list(zip(data.attributes, data.columns, strict=True))
        columns.insert(data.class_position, (data.class_attribute, data.classes))
        return columns


ARFF = Format(
    name="arff",
    endings=(".arff", ".arff.gz"),
    read=read_arff_or_fall_back,
    read_columns=read_arff_columns,
    read_in_pieces=ArffReader.of,
    write=write_arff,
)
CSV = Format(
    name="csv",
    endings=CSV_ENDINGS,
    read=lambda path, class_name, _: read_csv(path, class_name),
    read_columns=lambda path, _: read_csv_columns(path),
    read_in_pieces=lambda path, _: CsvReader.of(path),
    write=write_csv,
    infers_kinds=True,
)
PARQUET = Format(
    name="parquet",
    endings=(".parquet",),
    read=lambda path, class_name, _: read_parquet(path, class_name),
    read_columns=lambda path, _: read_parquet_columns(path),
    read_in_pieces=lambda path, _: ParquetReader(path),
    write=write_parquet,
    prefers_pieces=True,
)
_OWN = (ARFF, CSV, PARQUET)


@cache
def formats() -> Mapping[str, Format]:
    """Return the formats by ending, gatree's own first.

    Raises
    ------
    ConfigError
        If a package registers a name or an ending that is taken.
    """
    by_ending: dict[str, Format] = {}
    for format_ in chain(_OWN, _registered()):
        for ending in format_.endings:
            if ending in by_ending:
                taken = by_ending[ending].name
                raise ConfigError(
                    f"{_GROUP}: {taken!r} and {format_.name!r} both read files that end in {ending}"
                )
            by_ending[ending] = format_
    return by_ending


def _registered() -> list[Format]:
    """Return the formats that packages register; what is none is named and left out."""
    found = load_plugins(_GROUP, own=[format_.name for format_ in _OWN])
    for name, part in found.items():
        if not isinstance(part, Format):
            _log.warning("%s: %r is left out: it is no gatree.data.formats.Format", _GROUP, name)
    return [part for part in found.values() if isinstance(part, Format)]


def format_of(path: str | Path) -> Format | None:
    """Return the format of a file, if its name tells it."""
    if "." not in str(path):
        return None
    ending = ending_of(path, formats())
    return None if ending is None else formats()[ending]


def endings() -> str:
    """Return how the names of data files end, for messages."""
    *others, last = formats()
    return f"{', '.join(others)} or {last}"


def name_of_file(path: str | Path) -> str:
    """Return the name of a file without its folder and the ending that tells its format."""
    return file_name(path, tuple(formats()))


def reader_of(path: str, drop_strings: bool = False) -> Reader:
    """Return the reader in pieces of a file, by how its name ends."""
    format_ = format_of(path)
    if format_ is None:
        raise DataError(f"{path}: cannot be read in pieces; files end in {endings()}")
    if format_.read_in_pieces is None:
        raise DataError(f"{path}: files of the format {format_.name} cannot be read in pieces")
    return format_.read_in_pieces(path, drop_strings)


def files_of(pattern: str) -> list[str]:
    """Return the files that a path, or a pattern such as ``data/*.parquet``, names, sorted."""
    found = sorted(glob(pattern, recursive=True)) if has_magic(pattern) else [pattern]  # noqa: PTH207
    found = [path for path in found if not Path(path).is_dir()]
    if not found:
        raise DataError(f"{pattern}: no file has such a name")
    return found
