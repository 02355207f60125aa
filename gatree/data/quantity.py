"""Data whose class may be a quantity: numbers to predict, in place of classes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.data.attribute import Attribute
from gatree.data.catalog import dataset_names
from gatree.data.dataset import Dataset
from gatree.data.load import load_data, load_unlabelled
from gatree.data.target import refuse_quantity

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
