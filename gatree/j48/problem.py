"""The data in J48's form, a float per cell, NaN if missing; and the scratch arrays of a node."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.base.limits import MOST_VALUES_BY_CLASSES, refuse_above
from gatree.data.dataset import Dataset
from gatree.j48.estimates import n_log_n_of_integers
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
        n_values = _n_values(dataset)
        most_values = max(n_values.tolist(), default=0)
        refuse_above(
            MOST_VALUES_BY_CLASSES, most_values * dataset.n_classes, "values by classes", dataset.name
        )
        values, infinite = _as_floats(dataset, n_values)
        if infinite >= 0:
            name = dataset.attributes[infinite].name
            raise DataError(f"{dataset.name}: J48 cannot use the infinite values of {name!r}")
        classes = np.array(
            dataset.classes
        )  # writable and contiguous: kernels are compiled for one array type
        return cls(Cells(values, classes), n_values, dataset.n_classes)


def as_floats(dataset: Dataset) -> Floats:
    """Return the columns as one float matrix, a row per attribute."""
    values, _ = _as_floats(dataset, _n_values(dataset))
    return values


def _n_values(dataset: Dataset) -> NDArray[np.int64]:
    n_values = [
        len(attribute.values) if attribute.is_nominal else IS_NUMERIC for attribute in dataset.attributes
    ]
    return np.array(n_values, dtype=np.int64)


def _as_floats(dataset: Dataset, n_values: NDArray[np.int64]) -> tuple[Floats, int]:
    """Return the columns as floats, and the first attribute with an infinite value, or -1."""
    shape = dataset.n_attributes, dataset.n_instances
    values = np.array(dataset.columns, dtype=np.float64).reshape(shape)
    return values, mark_missing(values, n_values)


@lean
def mark_missing(values: Floats, n_values: NDArray[np.int64]) -> int:
    """Replace the codes of missing values by NaN; return the first attribute with an infinity, or -1."""
    infinite = -1
    for attribute in range(len(values)):
        for row in range(values.shape[1]):
            value = values[attribute, row]
            if value < 0 and n_values[attribute] != IS_NUMERIC:
                values[attribute, row] = math.nan
            elif infinite < 0 and math.isinf(value):
                infinite = attribute
    return infinite


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
    known: Floats  # logarithms, see gatree.j48.estimates
    unsorted: Ints | None  # ranges of the sample to sort; None without numeric attributes

    @classmethod
    def of(cls, problem: J48Problem, binary: bool) -> Search:
        """Allocate the arrays for the tests of a problem."""
        n_values = problem.n_values
        candidates = np.empty(len(n_values), dtype=CANDIDATE)
        n_rows = lay_out(candidates, n_values, bool(binary), len(problem.cells.classes))
        has_numbers = IS_NUMERIC in n_values.tolist()
        return cls(
            candidates,
            tables=np.empty((n_rows, problem.n_classes + 1)),
            known=n_log_n_of_integers(),
            unsorted=np.empty(_MOST_UNSORTED, dtype=np.intp) if has_numbers else None,
        )


@lean
def lay_out(candidates: NDArray[np.void], n_values: NDArray[np.int64], binary: bool, n_instances: int) -> int:
    """Give every attribute the rows of its table and mark those in the average gain; return all rows."""
    stop, n_counted = 0, 0
    for attribute in range(len(candidates)):
        candidate, n = candidates[attribute], n_values[attribute]
        candidate["n_values"], candidate["first"] = n, stop
        stop += 3 if binary or n == IS_NUMERIC else n + 1  # with the margin
        candidate["stop"] = stop
        candidate["is_counted"] = n < _MANY_VALUES * n_instances - TOLERANCE
        n_counted += candidate["is_counted"]
    for attribute in range(len(candidates) if n_counted == 0 else 0):
        candidates[attribute]["is_counted"] = True
    return stop
