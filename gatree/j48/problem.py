"""The data in J48's form, a float per cell, NaN if missing; and the scratch arrays of a node."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.base.limits import MOST_VALUES_BY_CLASSES, refuse_above
from gatree.data.attribute import missing
from gatree.data.dataset import Dataset
from gatree.j48.estimates import n_log_n_of_integers
from gatree.j48.tables import BRANCH, TOLERANCE, Branches, Classes, Floats, Ints

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
        n_values = [len(each.values) if each.is_nominal else IS_NUMERIC for each in dataset.attributes]
        n_cells = max(n_values, default=0) * dataset.n_classes
        refuse_above(MOST_VALUES_BY_CLASSES, n_cells, "values by classes", dataset.name)
        values = as_floats(dataset)
        for attribute, row in zip(dataset.attributes, values, strict=True):
            if np.isinf(row).any():
                raise DataError(f"{dataset.name}: J48 cannot use the infinite values of {attribute.name!r}")
        # writable and contiguous: kernels are compiled for one array type
        cells = Cells(values, np.array(dataset.classes))
        return cls(cells, np.array(n_values, dtype=np.int64), dataset.n_classes)


def as_floats(dataset: Dataset) -> Floats:
    """Return the columns as one float matrix, a row per attribute, with NaN for missing values."""
    values = np.empty((dataset.n_attributes, dataset.n_instances))
    for index, column in enumerate(dataset.columns):
        values[index] = np.where(missing(column), math.nan, column)
    return values


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


class SplitSearch(NamedTuple):
    """The scratch arrays and lookup tables of a search for the best test."""

    candidates: NDArray[np.void]
    tables: Floats  # the tables of the candidates, concatenated
    known: Floats  # logarithms, see gatree.j48.estimates
    unsorted: Ints | None  # ranges of the sample to sort; None without numeric attributes

    @classmethod
    def of(cls, problem: J48Problem, binary: bool) -> SplitSearch:
        """Allocate the arrays for the tests of a problem."""
        n_values, has_numbers = problem.n_values, IS_NUMERIC in problem.n_values.tolist()
        is_binary = (n_values == IS_NUMERIC) | binary
        n_rows = np.where(is_binary, 2, n_values) + 1  # with the margin
        is_counted = n_values < _MANY_VALUES * len(problem.cells.classes) - TOLERANCE
        candidates = np.zeros(len(n_values), dtype=CANDIDATE)
        candidates["n_values"], candidates["is_counted"] = n_values, is_counted | (not is_counted.any())
        candidates["first"], candidates["stop"] = n_rows.cumsum() - n_rows, n_rows.cumsum()
        return cls(
            candidates,
            tables=np.empty((n_rows.sum(), problem.n_classes + 1)),
            known=n_log_n_of_integers(),
            unsorted=np.empty(_MOST_UNSORTED, dtype=np.intp) if has_numbers else None,
        )
