"""The formats of data files: an entry each, gatree's own and those that other packages register.

A package adds a format by an entry point of the group ``gatree.formats`` whose value is a `Format`
(docs/extending.md). Commands, experiments and `load_data` then read files with its endings.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from glob import glob, has_magic
from itertools import chain
from pathlib import Path
from typing import Any

from gatree.base.errors import ConfigError, DataError, did_you_mean
from gatree.base.plugins import guarded, load_plugins
from gatree.data import csv_file, excel_file
from gatree.data.arff import ArffSource
from gatree.data.blocks import InMemory, ReadOptions, SeveralFiles, Source, Typed
from gatree.data.catalog import dataset_names
from gatree.data.csv_file import CsvSource
from gatree.data.dataset import Dataset
from gatree.data.excel_file import ExcelSource
from gatree.data.files import STDIN, open_text

_GROUP = "gatree.formats"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Format:
    """How files of one format are read.

    Parameters
    ----------
    name : str
    endings : tuple of str
        How the names of such files end, in lower case, such as ``(".csv", ".csv.gz")``.
    read : callable, optional
        ``read(path, class_name, drop_strings)`` returns a `Dataset`. ``class_name`` is None for the last
        attribute; ``drop_strings`` asks to leave out free text.
    open : callable, optional
        In place of ``read``: ``open(path, options)`` returns a `gatree.data.blocks.Source`, which yields the
        rows in blocks, so that files may be larger than memory.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[[str | Path, str | None, bool], Dataset] | None = None
    open: Callable[[str, ReadOptions], Source] | None = None

    def source(self, path: str, options: ReadOptions) -> Source:
        """Open a file."""
        if self.open is not None:
            return self.open(path, options)
        if self.read is None:
            raise DataError(f"{path}: the format {self.name} cannot be read")
        dataset = self.read(path, None, options.drop_strings)
        attributes, columns = zip(*dataset.parts(), strict=True)
        names = [attribute.name for attribute in attributes]
        return InMemory(path, dataset.name, names, list(map(Typed, attributes, columns)), dataset.notes)


def _open_parquet(path: str, _options: ReadOptions) -> Source:
    from gatree.data.frames import ParquetSource  # imported here: narwhals takes its time

    return ParquetSource(path)


ARFF = Format("arff", (".arff", ".arff.gz"), open=ArffSource.of)
CSV = Format("csv", csv_file.ENDINGS, open=CsvSource.of)
PARQUET = Format("parquet", (".parquet",), open=_open_parquet)
EXCEL = Format("excel", excel_file.ENDINGS, open=ExcelSource.of)
_OWN = (ARFF, CSV, PARQUET, EXCEL)


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
    found = []
    for name, part in load_plugins(_GROUP, own=[format_.name for format_ in _OWN]).items():
        if isinstance(part, Format):
            calls = {key: call for key in ("read", "open") if (call := getattr(part, key))}
            guards: dict[str, Any] = {key: guarded(_GROUP, name, call) for key, call in calls.items()}
            found.append(replace(part, **guards))
        else:
            _log.warning("%s: %r is left out: it is no gatree.data.formats.Format", _GROUP, name)
    return found


def format_of(path: str | Path) -> Format | None:
    """Return the format of a file, if its name tells it."""
    if "." not in str(path):  # the plug-ins are not loaded for a name of the catalog
        return None
    lower = str(path).lower()
    return next((format_ for ending, format_ in formats().items() if lower.endswith(ending)), None)


def endings() -> str:
    """Return how the names of data files end, for messages."""
    *others, last = formats()
    return f"{', '.join(others)} or {last}"


def source_of(name: str, options: ReadOptions) -> Source:
    """Open a file, the files of a pattern or of a folder of Parquet files as one, or stdin."""
    sources = tuple(_source_of_file(path, options) for path in files_of(name))
    return sources[0] if len(sources) == 1 else SeveralFiles(name, sources)


def _source_of_file(name: str, options: ReadOptions) -> Source:
    """Open a file, by how its name ends, or stdin, which is ARFF if it begins so."""
    if name == STDIN:
        with open_text(STDIN) as file:
            start = next((line for line in file if line.strip()), "")
        format_: Format | None = ARFF if start.lstrip().startswith(("@", "%")) else CSV
    else:
        format_ = format_of(name) or (ARFF if Path(name).exists() else None)
    if format_ is None:
        raise DataError(
            f"no data set and no file is called {name!r}{did_you_mean(name, dataset_names())} "
            f"(`gatree datasets list` shows the data sets; files end in {endings()})"
        )
    return format_.source(name, options)


def files_of(name: str) -> list[str]:
    """Return the file of a path, or the files of a pattern or of a folder of Parquet files, sorted."""
    is_folder = os.path.isdir(name)  # noqa: PTH112 - pathlib raises an error for names that are too long
    if not is_folder and (os.path.exists(name) or not has_magic(name)):  # noqa: PTH110
        return [name]
    found = map(str, Path(name).glob("*.parquet")) if is_folder else glob(name, recursive=True)  # noqa: PTH207
    files = sorted(each for each in found if not Path(each).is_dir())
    if not files and is_folder:
        other = f"'{name.rstrip('/')}/*.csv'"
        raise DataError(f"{name}: a folder without Parquet files; a pattern such as {other} reads others")
    if not files:
        raise DataError(f"{name}: no file has such a name")
    return files
