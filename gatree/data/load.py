"""The one way in: a table by its name in the catalog, or by the path of its file or files."""

from __future__ import annotations

import os
from collections.abc import Callable
from glob import glob, has_magic
from pathlib import Path

from gatree.base.errors import DataError, did_you_mean
from gatree.data.arff import ArffSource
from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.csv_file import CsvSource
from gatree.data.dataset import Dataset, Table, read_table, table_of
from gatree.data.excel_file import ExcelSource
from gatree.data.files import STDIN, forget_pipe, open_text
from gatree.data.generate import generated
from gatree.data.source import ReadOptions, SeveralFiles, Source


def read(source: str | Path, options: ReadOptions | None = None) -> Table:
    """Return the table of a data set of the catalog, a generated one, or a file.

    Parameters
    ----------
    source : str or Path
        A name of the catalog, of generated data (``chessboard-5``), or a path; a file that is called like a
        data set is written ``./vote``, and ``-`` is stdin, ARFF or CSV. A pattern such as ``parts/*.csv``, or
        a folder of Parquet files, names files with the same columns, which are one table.
    options : ReadOptions, optional
        What is known of the table that its reader would else find out.
    """
    name = str(source)
    forget_pipe(name)
    known = load_dataset(name) if name in dataset_names() else generated(name)
    if known is not None:
        return table_of(known)
    return read_table(lambda chosen: source_of(name, chosen), options)


def load_data(source: str | Path, class_name: str | None = None, drop_strings: bool = False) -> Dataset:
    """Return a data set of the catalog, a generated one, or the one in a file, with classes to predict.

    Parameters
    ----------
    source : str or Path
        As for `read`.
    class_name : str, optional
        The attribute to predict; the file's last one by default.
    drop_strings : bool
        Leave out ARFF attributes of type string, which are refused otherwise.
    """
    return read(source, ReadOptions(drop_strings=drop_strings)).dataset(class_name)


def _open_parquet(path: str, _options: ReadOptions) -> Source:
    from gatree.data.frames import ParquetSource  # imported here: narwhals takes its time

    return ParquetSource(path)


_OPENERS: dict[str, Callable[[str, ReadOptions], Source]] = {
    "arff": ArffSource.of,
    "csv": CsvSource.of,
    "parquet": _open_parquet,
    "excel": ExcelSource.of,
}
_FORMATS = {
    **dict.fromkeys((".arff", ".arff.gz"), "arff"),
    **dict.fromkeys((".csv", ".csv.gz", ".tsv", ".tsv.gz"), "csv"),
    ".parquet": "parquet",
    **dict.fromkeys((".xlsx", ".xlsm"), "excel"),
}


def format_of(path: str | Path) -> str | None:
    """Return the format of a file, if the end of its name tells it."""
    lower = str(path).lower()
    return next((format_ for ending, format_ in _FORMATS.items() if lower.endswith(ending)), None)


def endings() -> str:
    """Return how the names of data files end, for messages."""
    *others, last = _FORMATS
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
        format_: str | None = "arff" if start.lstrip().startswith(("@", "%")) else "csv"
    else:
        format_ = format_of(name) or ("arff" if Path(name).exists() else None)
    if format_ is None:
        raise DataError(
            f"no data set and no file is called {name!r}{did_you_mean(name, dataset_names())} "
            f"(`gatree datasets list` shows the data sets; files end in {endings()})"
        )
    return _OPENERS[format_](name, options)


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
