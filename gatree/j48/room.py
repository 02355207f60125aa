"""Room that is written into at every node of a tree, made once for all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.j48.gain import n_log_n_of_whole_weights
from gatree.j48.problem import IS_NUMERIC, J48Problem
from gatree.j48.tables import BRANCH, TOLERANCE, Branches, Floats, Ints

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


class Room(NamedTuple):
    """What is written into at every node."""

    table: Floats  # of as many branches as any test has
    branches: Branches

    @classmethod
    def of(cls, n_values: NDArray[np.int64], n_classes: int) -> Room:
        """Return room for tests of attributes of so many values."""
        most_branches = max(2, int(n_values.max(initial=0)))
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
        n_branches = np.where((n_values == IS_NUMERIC) | binary, 2, n_values)
        has_few_values = n_values < _MANY_VALUES * n_instances - TOLERANCE
        candidates = np.empty(len(n_values), dtype=CANDIDATE)
        candidates["n_values"] = n_values
        candidates["stop"] = np.cumsum(n_branches + 1)
        candidates["first"] = candidates["stop"] - n_branches - 1
        candidates["is_counted"] = has_few_values | (not has_few_values.any())
        return cls(
            candidates,
            tables=np.empty((int(n_branches.sum()) + len(n_values), problem.n_classes + 1)),
            known=n_log_n_of_whole_weights(),
            unsorted=np.empty(_MOST_UNSORTED, dtype=np.intp) if IS_NUMERIC in n_values else None,
        )
