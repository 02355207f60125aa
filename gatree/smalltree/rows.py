"""The distinct rows of a data set, what folds hold out of them, and what is thinned out of large data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.smalltree.choose import Samples
from gatree.smalltree.task import DistinctRows, Longs

_MANY_ROWS = 2**16  # above this number of rows, thresholds are thinned out
_MOST_THRESHOLDS = 2**12 - 1
_MOST_ROWS = 2**17  # that are searched

Note = tuple[str, ...]


def few_thresholds(dataset: Dataset, given: int | None) -> tuple[int | None, Note]:
    """Return the maximum number of thresholds of an attribute, and a line if it was not given."""
    has_numbers = any(not attribute.is_nominal for attribute in dataset.attributes)
    if given is not None or dataset.n_instances <= _MANY_ROWS or not has_numbers:
        return given, ()
    line = (
        f"{dataset.n_instances:,} rows: at most {_MOST_THRESHOLDS:,} thresholds per attribute are tried, "
        "evenly over the rows; max_thresholds sets another number"
    )
    return _MOST_THRESHOLDS, (line,)


def distinct_rows(codes: Any, classes: NDArray[np.int32], numbers: Longs | None) -> tuple[Any, Any]:
    """Return the distinct row of every instance, and an instance of every row.

    Rows are sorted, so they do not depend on the order of the instances.
    """
    last = classes if numbers is None else numbers
    columns = (*map(narrow, codes), last)
    order = np.lexsort(columns)
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    row_of = np.empty(len(order), dtype=np.intp)
    row_of[order] = np.cumsum(is_new) - 1
    return row_of, order[is_new]


def narrow(codes: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return codes in 16 bits if they fit, which are sorted much faster."""
    return codes.astype(np.uint16) if codes.max(initial=0) < 2**16 else codes


def samples_in(row_of: NDArray[np.intp], counts: Longs, together: bool, are_units: bool) -> Samples:
    """Return the samples of rows: a row, or every instance, or every unit of an instance's count."""
    if together:
        weight = np.bincount(row_of, weights=counts).astype(np.int64)
        return Samples(np.arange(len(weight)), weight)
    if are_units:
        row, weight = np.repeat(row_of, counts), np.ones(int(counts.sum()), dtype=np.int64)
    else:
        row, weight = row_of, counts
    order = np.lexsort((weight, row))
    return Samples(row[order], weight[order])


def sampled(rows: DistinctRows, samples: Samples, seed: int) -> tuple[DistinctRows, Samples, Note]:
    """Return the rows to search, sorted by every attribute, and a line if they are only a sample."""
    n, note = len(rows.weight), Note()
    if n > _MOST_ROWS:
        is_in = np.zeros(n, dtype=np.bool_)
        is_in[np.random.default_rng(seed).permutation(n)[:_MOST_ROWS]] = True
        place, kept = np.cumsum(is_in) - 1, is_in[samples.row]
        samples = Samples(place[samples.row[kept]], samples.weight[kept])
        rows = rows.with_weights(np.where(is_in, rows.weight, 0))
        line = (
            f"{n:,} different rows: a sample of {_MOST_ROWS:,} is searched; the tree found is then improved "
            "and counted on all"
        )
        note = (line,)
    codes = rows.cases.codes
    order = np.empty(codes.shape, dtype=np.int32)
    for attribute, column in enumerate(codes):
        order[attribute] = np.argsort(narrow(column), kind="stable")
    return replace(rows, cases=rows.cases._replace(order=order)), samples, note
