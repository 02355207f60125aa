"""The data as J48 sees them: a float per cell, NaN where missing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.base.limits import MOST_VALUES_BY_CLASSES, refuse_above
from gatree.data.dataset import Dataset
from gatree.j48.tables import Classes, Floats

IS_NUMERIC = -1
"""Stands for the number of values of a numeric attribute."""


class Cells(NamedTuple):
    """Training data as kernels take them: all that was given, those without a class too."""

    values: Floats  # one contiguous row per attribute; nominal: the index of the value
    classes: Classes


class J48Problem(NamedTuple):
    """Training data, and what they are about."""

    cells: Cells
    n_values: NDArray[np.int64]  # per attribute; IS_NUMERIC if numeric
    n_classes: int

    @classmethod
    def of(cls, dataset: Dataset) -> J48Problem:
        """Return the problem of learning a data set."""
        n_values = np.array(
            [
                len(attribute.values) if attribute.is_nominal else IS_NUMERIC
                for attribute in dataset.attributes
            ],
            dtype=np.int64,
        )
        most_values = int(n_values.max(initial=0))
        refuse_above(
            MOST_VALUES_BY_CLASSES, most_values * dataset.n_classes, "values by classes", dataset.name
        )
        values = as_floats(dataset)
        if np.isinf(values).any():
            attribute = dataset.attributes[int(np.isinf(values).any(axis=1).argmax())]
            raise DataError(f"{dataset.name}: J48 cannot use the infinite values of {attribute.name!r}")
        classes = np.array(
            dataset.classes
        )  # writable and contiguous: kernels are compiled for one kind of array
        return cls(Cells(values, classes), n_values, dataset.n_classes)


def as_floats(dataset: Dataset) -> Floats:
    """Return the columns as one matrix of floats, a row per attribute."""
    shape = dataset.n_attributes, dataset.n_instances
    values = np.array(dataset.columns, dtype=np.float64).reshape(shape)
    is_nominal = np.array([attribute.is_nominal for attribute in dataset.attributes], dtype=np.bool_)
    values[(values < 0) & is_nominal[:, np.newaxis]] = np.nan
    return values
