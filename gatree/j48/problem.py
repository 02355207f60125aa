"""The data as J48 sees them, a float per cell, NaN where missing; and room to work in at every node."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.base.limits import MOST_VALUES_BY_CLASSES, refuse_above
from gatree.data.dataset import Dataset
from gatree.j48.gain import n_log_n_of_integers
from gatree.j48.tables import BRANCH, TOLERANCE, Branches, Classes, Floats, Ints
from gatree.kernels.decorators import lean

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
        most_values = max(n_values.tolist(), default=0)
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
    np.putmask(values, (values < 0) & is_nominal[:, np.newaxis], np.nan)
    return values


@lean
def group_by_class(rows: Ints, classes: Classes) -> None:
    """Order rows class by class, in place, as `gatree.weka.folds` does to deal them out."""
    end = 0
    while end < len(rows):
        group = classes[rows[end]]
        end += 1
        for candidate in range(end, len(rows)):
            if classes[rows[candidate]] == group:
                rows[end], rows[candidate] = rows[candidate], rows[end]
                end += 1


_MOST_UNSORTED = 128  # numbers: two for every part, of which the smaller is sorted first
# A nominal attribute with more values than this share of the instances does not count in the average gain.
_MANY_VALUES = 0.3

CANDIDATE = np.dtype(
    [
        ("n_values", np.intp),
        ("first", np.intp),  # row of its table
        ("stop", np.intp),
        ("threshold", np.float64),
        ("gain", np.float64),
        ("is_counted", np.bool_),  # in the average gain
    ],
    align=True,
)
"""The best test of an attribute."""


class NodeScratch(NamedTuple):
    """What is written into at every node."""

    table: Floats  # of as many branches as any test has
    branches: Branches

    @classmethod
    def of(cls, n_values: NDArray[np.int64], n_classes: int) -> NodeScratch:
        """Return room for tests of attributes of so many values."""
        most_branches = max(2, max(n_values.tolist(), default=0))
        return cls(np.empty((most_branches + 1, n_classes + 1)), np.empty(most_branches, dtype=BRANCH))


class Search(NamedTuple):
    """What a search for the best test writes into, and looks up."""

    candidates: NDArray[np.void]
    tables: Floats  # the candidates', one below the other
    known: Floats  # logarithms, see gatree.j48.gain
    unsorted: Ints | None  # parts of the sample in hand, if anything has to be sorted

    @classmethod
    def of(cls, problem: J48Problem, binary: bool) -> Search:
        """Return room for the tests of a problem."""
        n_values, n_instances = problem.n_values, len(problem.cells.classes)
        is_numeric = n_values == IS_NUMERIC
        n_rows = 1 + np.where(is_numeric | binary, 2, n_values)  # of its table, with the margin
        stop = n_rows.cumsum()
        has_few_values = n_values < _MANY_VALUES * n_instances - TOLERANCE
        candidates = np.empty(len(n_values), dtype=CANDIDATE)
        candidates["n_values"] = n_values
        candidates["stop"] = stop
        candidates["first"] = stop - n_rows
        candidates["is_counted"] = has_few_values if has_few_values.any() else True
        return cls(
            candidates,
            tables=np.empty((int(stop[-1]) if len(stop) else 0, problem.n_classes + 1)),
            known=n_log_n_of_integers(),
            unsorted=np.empty(_MOST_UNSORTED, dtype=np.intp) if is_numeric.any() else None,
        )
