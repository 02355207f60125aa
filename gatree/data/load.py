"""The one way in for commands: a data set by its name in the catalog, or by the path of a file.

`load_with_target` also reads data whose class may be a quantity: numbers to predict, in place of classes.
"""

from __future__ import annotations

from dataclasses import replace
from glob import has_magic
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, did_you_mean, shown
from gatree.data.attribute import MISSING, Attribute
from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.dataset import Dataset
from gatree.data.files import STDIN, read_text
from gatree.data.formats import ARFF, CSV, Format, endings, format_of
from gatree.data.generate import generated
from gatree.data.target import refuse_quantity, refuse_repeated


def load_data(source: str | Path, class_name: str | None = None, drop_strings: bool = False) -> Dataset:
    """Return a data set of the catalog, a generated one, or the one in an ARFF, CSV or Parquet file.

    Parameters
    ----------
    source : str or Path
        A name of the catalog, of generated data (``chessboard-5``), or a path; a file that is called like a
        data set is written ``./vote``, and ``-`` is stdin, ARFF or CSV.
    class_name : str, optional
        The attribute to predict; the file's last one by default.
    drop_strings : bool
        Leave out ARFF attributes of type string, which are refused otherwise.
    """
    name = str(source)
    if name in dataset_names():
        dataset = load_dataset(name)
        return dataset if class_name is None else dataset.with_class(class_name)
    if (made := generated(name)) is not None:
        return made if class_name is None else made.with_class(class_name)
    dataset = _format_of(name).read(source, class_name, drop_strings)
    return replace(dataset, name="stdin") if name == STDIN and dataset.name == STDIN else dataset


def load_unlabelled(source: str | Path, drop_strings: bool = False) -> Dataset:
    """Return the data of a file without a class: all columns are attributes, and every class is missing.

    The data sets of the catalog keep theirs, which `DecisionTree.predict` takes for an attribute if need be.
    """
    if str(source) in dataset_names():
        return load_dataset(str(source))
    read = _format_of(str(source)).columns(source, drop_strings)
    if not read:
        raise DataError(f"{source}: no attribute that a tree can test")
    refuse_repeated([attribute.name for attribute, _ in read], str(source))
    return Dataset(
        name=str(source),
        attributes=tuple(attribute for attribute, _ in read),
        columns=tuple(column for _, column in read),
        class_attribute=Attribute("", "nominal"),
        classes=np.full(len(read[0][1]), MISSING, dtype=np.int32),
        class_position=len(read),
    )


def _format_of(name: str) -> Format:
    """Return the format of a file, by how its name ends; stdin is ARFF if it begins so."""
    if name == STDIN:
        return ARFF if read_text(STDIN).lstrip().startswith(("@", "%")) else CSV
    format_ = format_of(name)
    if format_ is not None:
        return format_
    if Path(name).exists():
        return ARFF
    raise DataError(
        f"no data set and no file is called {name!r}{did_you_mean(name, dataset_names())} "
        f"(`gatree datasets list` shows the data sets; files end in {endings()})"
    )


def write_data(dataset: Dataset, path: str | Path) -> None:
    """Write a data set in the format that the ending of a path names."""
    format_ = format_of(path)
    if format_ is None or format_.write is None:
        raise DataError(f"{path}: no format to write; files end in {endings()}")
    format_.write(dataset, path)


def is_in_pieces(source: str | Path) -> bool:
    """Tell whether an evolution reads data in pieces in any case: many files, or Parquet."""
    name = str(source)
    if name in dataset_names():
        return False
    return has_magic(name) or ((format_ := format_of(name)) is not None and format_.prefers_pieces)


Target = NDArray[np.float64]


def load_with_target(
    source: str | Path,
    class_name: str | None = None,
    drop_strings: bool = False,
    regression: bool | None = None,
) -> tuple[Dataset, Target | None]:
    """Return a data set, and the numbers to predict if its class is a quantity.

    Parameters
    ----------
    source, class_name, drop_strings
        As for `gatree.data.load.load_data`.
    regression : bool, optional
        Whether to predict numbers. By default, if the class has many different numbers with few
        rows of each.

    Returns
    -------
    dataset : Dataset
        With a single class for all rows, if numbers are to be predicted.
    target : ndarray of float, or None
        NaN where it is missing.
    """
    if regression is False:
        dataset = load_data(source, class_name, drop_strings)
        refuse_quantity(dataset, "--class")
        return dataset, None
    try:
        dataset = load_data(source, class_name, drop_strings)
        if not regression:
            refuse_quantity(dataset, "--class")
            return dataset, None
        name = dataset.class_attribute.name
    except DataError as error:
        if str(source) in dataset_names():
            raise
        found = _with_numbers(source, class_name, drop_strings)
        if found is None:
            raise error from None
        return found
    found = None if str(source) in dataset_names() else _with_numbers(source, name, drop_strings)
    if found is not None:
        return found
    numbers = _as_numbers(dataset)
    if numbers is None:
        raise DataError(
            f"{dataset.name}: {shown(name)} has values that are not numbers; regression predicts numbers"
        )
    return _without_classes(dataset), numbers


def _with_numbers(
    source: str | Path, class_name: str | None, drop_strings: bool
) -> tuple[Dataset, Target] | None:
    """Return the data with a numeric column to predict, the last one by default, or None."""
    try:
        table = load_unlabelled(source, drop_strings)
    except DataError:
        return None
    names = [attribute.name for attribute in table.attributes]
    if class_name is not None and class_name not in names:
        return None
    index = len(names) - 1 if class_name is None else names.index(class_name)
    attribute, column = table.attributes[index], table.columns[index]
    if attribute.is_nominal or attribute.date_format is not None or len(names) < 2:
        return None
    target = np.where(np.isinf(column), np.nan, column)
    labelled = replace(
        table,
        class_attribute=Attribute(attribute.name, "nominal", ("number",)),
        attributes=tuple(each for each in table.attributes if each.name != attribute.name),
        columns=tuple(each for place, each in enumerate(table.columns) if place != index),
        classes=np.zeros(table.n_instances, dtype=np.int32),
        class_position=index,
        name=Path(str(source)).stem if str(source) != "-" else "stdin",
    )
    return labelled, target


def _as_numbers(dataset: Dataset) -> Target | None:
    try:
        numbers = np.array([float(value) for value in dataset.class_values] + [np.nan])
    except ValueError:
        return None
    return numbers[dataset.classes]


def _without_classes(dataset: Dataset) -> Dataset:
    return replace(
        dataset,
        class_attribute=Attribute(dataset.class_attribute.name, "nominal", ("number",)),
        classes=np.zeros(dataset.n_instances, dtype=np.int32),
    )
