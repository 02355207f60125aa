"""The one way in for commands: a data set by its name in the catalog, or by the path of a file."""

from __future__ import annotations

from dataclasses import replace
from glob import has_magic
from pathlib import Path

from gatree.data.arff import read_arff
from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.csv_file import read_csv
from gatree.data.dataset import Dataset
from gatree.data.files import STDIN, read_text
from gatree.data.parquet_file import read_parquet
from gatree.errors import DataError, did_you_mean

_CSV, _PARQUET = (".csv", ".csv.gz"), ".parquet"
SUFFIXES = (".arff", ".arff.gz", *_CSV, _PARQUET)


def load_data(source: str | Path, class_name: str | None = None, drop_strings: bool = False) -> Dataset:
    """Return a data set of the catalog, or the one in an ARFF, CSV or Parquet file.

    Parameters
    ----------
    source : str or Path
        A name of the catalog, or a path; a file that is called like a data set is written ``./vote``,
        and ``-`` is stdin, ARFF or CSV.
    class_name : str, optional
        The attribute to predict; the file's last one by default.
    drop_strings : bool
        Leave out ARFF attributes of type string, which are refused otherwise.
    """
    name = str(source)
    if name in dataset_names():
        dataset = load_dataset(name)
        return dataset if class_name is None else dataset.with_class(class_name)
    if name == STDIN:
        return _load_stdin(class_name, drop_strings)
    if name.lower().endswith(_CSV):
        return read_csv(source, class_name)
    if name.lower().endswith(_PARQUET):
        return read_parquet(source, class_name)
    if name.lower().endswith(SUFFIXES) or Path(source).exists():
        return read_arff(source, class_name, drop_strings)
    raise DataError(
        f"no data set and no file is called {name!r}{did_you_mean(name, dataset_names())} "
        "(`gatree datasets list` shows the data sets; files end in .arff, .csv or .parquet, "
        "or .gz after the former two)"
    )


def is_in_pieces(source: str | Path) -> bool:
    """Tell whether an evolution reads data in pieces in any case: many files, or Parquet."""
    name = str(source)
    return name not in dataset_names() and (has_magic(name) or name.lower().endswith(_PARQUET))


def _load_stdin(class_name: str | None, drop_strings: bool) -> Dataset:
    if read_text(STDIN).lstrip().startswith(("@", "%")):
        return read_arff(STDIN, class_name, drop_strings)
    return replace(read_csv(STDIN, class_name), name="stdin")
