"""The data as J48 sees them: a float per cell, NaN where missing, and weighted sets of instances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gatree.data.dataset import Dataset, missing
from gatree.errors import DataError
from gatree.j48.tables import Classes, Floats, Ints, class_weights
from gatree.limits import MOST_VALUES_BY_CLASSES, refuse_above


class J48Problem(NamedTuple):
    """Training data: all that was given, those without a class too."""

    values: Floats  # one contiguous row per attribute; nominal: the index of the value
    n_values: tuple[int | None, ...]  # per attribute; None if numeric
    classes: Classes
    n_classes: int

    @classmethod
    def of(cls, dataset: Dataset) -> J48Problem:
        """Return the problem of learning a data set."""
        for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
            if np.isinf(column).any():
                raise DataError(f"{dataset.name}: J48 cannot use the infinite values of {attribute.name!r}")
        n_values = tuple(
            len(attribute.values) if attribute.is_nominal else None for attribute in dataset.attributes
        )
        most_values = max((n for n in n_values if n is not None), default=0)
        refuse_above(
            MOST_VALUES_BY_CLASSES, most_values * dataset.n_classes, "values by classes", dataset.name
        )
        return cls(as_floats(dataset), n_values, dataset.classes, dataset.n_classes)


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
