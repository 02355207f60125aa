"""The data in J48's form, a float per cell, NaN if missing; and the scratch arrays of a node."""

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
"""The number of values of a numeric attribute, as a marker."""


class Cells(NamedTuple):
    """Training data in the form that kernels take, including instances without a class."""

    values: Floats  # one contiguous row per attribute; nominal: the index of the value
    classes: Classes


class J48Problem(NamedTuple):
    """Training data and their description."""

    cells: Cells
    n_values: NDArray[np.int64]  # per attribute; IS_NUMERIC if numeric
    n_classes: int

    @classmethod
    def of(cls, dataset: Dataset) -> J48Problem:
        """Return the problem of a data set."""
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
        )  # writable and contiguous: kernels are compiled for one array type
        return cls(Cells(values, classes), n_values, dataset.n_classes)


def as_floats(dataset: Dataset) -> Floats:
    """Return the columns as one float matrix, a row per attribute."""
    shape = dataset.n_attributes, dataset.n_instances
    values = np.array(dataset.columns, dtype=np.float64).reshape(shape)
    is_nominal = np.array([attribute.is_nominal for attribute in dataset.attributes], dtype=np.bool_)
    np.putmask(values, (values < 0) & is_nominal[:, np.newaxis], np.nan)
    return values


@lean
def group_by_class(rows: Ints, classes: Classes) -> None:
    """Group rows by class, in place, as `gatree.weka.folds` does for stratification."""
    end = 0
    while end < len(rows):
        group = classes[rows[end]]
        end += 1
        for candidate in range(end, len(rows)):
            if classes[rows[candidate]] == group:
                rows[end], rows[candidate] = rows[candidate], rows[end]
                end += 1


_MOST_UNSORTED = 128  # two integers per range; the smaller range is sorted first
# The average gain ignores nominal attributes with more values than this share of the instances.
_MANY_VALUES = 0.3

CANDIDATE = np.dtype(
    [
        ("n_values", np.intp),
        ("first", np.intp),  # first row of its table
        ("stop", np.intp),
        ("threshold", np.float64),
        ("gain", np.float64),
        ("is_counted", np.bool_),  # in the average gain
    ],
    align=True,
)
"""The best test of an attribute."""


class NodeScratch(NamedTuple):
    """Scratch arrays, reused at every node."""

    table: Floats  # for the maximum number of branches of a test
    branches: Branches

    @classmethod
    def of(cls, n_values: NDArray[np.int64], n_classes: int) -> NodeScratch:
        """Allocate scratch arrays for attributes with the given numbers of values."""
        most_branches = max(2, max(n_values.tolist(), default=0))
        return cls(np.empty((most_branches + 1, n_classes + 1)), np.empty(most_branches, dtype=BRANCH))


class Search(NamedTuple):
    """The scratch arrays and lookup tables of a search for the best test."""

    candidates: NDArray[np.void]
    tables: Floats  # the tables of the candidates, concatenated
    known: Floats  # logarithms, see gatree.j48.gain
    unsorted: Ints | None  # ranges of the sample to sort; None without numeric attributes

    @classmethod
    def of(cls, problem: J48Problem, binary: bool) -> Search:
        """Allocate the arrays for the tests of a problem."""
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
