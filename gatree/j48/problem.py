"""The data as J48 sees them: a float per cell, NaN where missing, and weighted sets of instances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.attribute import missing
from gatree.data.dataset import Dataset
from gatree.errors import DataError
from gatree.j48.tables import Classes, Floats, Ints, class_weights
from gatree.limits import MOST_VALUES_BY_CLASSES, refuse_above

IS_NUMERIC = -1
"""Stands for the number of values of a numeric attribute."""


class J48Problem(NamedTuple):
    """Training data: all that was given, those without a class too."""

    values: Floats  # one contiguous row per attribute; nominal: the index of the value
    n_values: NDArray[np.int64]  # per attribute; IS_NUMERIC if numeric
    classes: Classes
    n_classes: int
    all_nominal: bool

    @classmethod
    def of(cls, dataset: Dataset) -> J48Problem:
        """Return the problem of learning a data set."""
        for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
            if np.isinf(column).any():
                raise DataError(f"{dataset.name}: J48 cannot use the infinite values of {attribute.name!r}")
        n_values = np.array(
            [
                len(attribute.values) if attribute.is_nominal else IS_NUMERIC
                for attribute in dataset.attributes
            ],
            dtype=np.int64,
        )
        most_values = max(n_values, default=0)
        refuse_above(
            MOST_VALUES_BY_CLASSES, most_values * dataset.n_classes, "values by classes", dataset.name
        )
        return cls(
            as_floats(dataset),
            np.array(n_values, dtype=np.int64),
            dataset.classes,
            dataset.n_classes,
            IS_NUMERIC not in n_values,
        )


class Sample(NamedTuple):
    """Instances with weights. Looking for numeric splits re-orders them in place, as in WEKA."""

    rows: Ints
    weights: Floats

    @classmethod
    def of(cls, rows: Ints) -> Sample:
        """Return instances of weight one."""
        return cls(rows, np.ones(len(rows)))


def as_floats(dataset: Dataset) -> Floats:
    """Return the columns as one matrix of floats, a row per attribute."""
    values = np.empty((dataset.n_attributes, dataset.n_instances))
    for index, column in enumerate(dataset.columns):
        values[index] = np.where(missing(column), np.nan, column)
    return values


def weigh(problem: J48Problem, sample: Sample) -> Floats:
    """Return the weight of every class in a sample, and the sum."""
    return class_weights(problem.classes, *sample, problem.n_classes)
