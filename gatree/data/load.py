"""The one way in: a table by its name in the catalog, or by the path of a file, and data sets made of it."""

from __future__ import annotations

from pathlib import Path

from gatree.data.blocks import ReadOptions
from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.dataset import Dataset, Table, read_table, table_of
from gatree.data.files import forget_pipe
from gatree.data.formats import source_of
from gatree.data.generate import generated


def read(source: str | Path, options: ReadOptions | None = None) -> Table:
    """Return the table of a data set of the catalog, a generated one, or a file.

    Parameters
    ----------
    source : str or Path
        A name of the catalog, of generated data (``chessboard-5``), or a path; a file that is called like a
        data set is written ``./vote``, and ``-`` is stdin, ARFF or CSV.
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
