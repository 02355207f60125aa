"""The distinct rows of a data set, what folds hold out of them, and what is thinned out of large data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.front.choose import Samples
from gatree.front.copies import Words, mixed
from gatree.front.task import Longs, Rows

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

    Rows are in the order of a hash of their cells, which does not depend on the order of the instances.
    """
    columns = (*codes, classes, *(() if numbers is None else (numbers,)))
    words: Words = np.zeros(len(classes), dtype=np.uint64)
    for index, column in enumerate(columns):
        words += mixed(column.astype(np.int64).view(np.uint64), index)
    order = np.argsort(words, kind="stable")
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = words[order[1:]] != words[order[:-1]]
    for column in columns:  # no two rows are one because their words happen to be equal
        is_new[1:] |= column[order[1:]] != column[order[:-1]]
    row_of = np.empty(len(order), dtype=np.intp)
    row_of[order] = np.cumsum(is_new) - 1
    return row_of, order[is_new]


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


def sampled(rows: Rows, samples: Samples) -> tuple[Rows, Samples, Note]:
    """Return the rows to search, sorted by every attribute, and a line if they are only a sample."""
    n, lines = len(rows.weight), list[str]()
    if n > _MOST_ROWS:
        lines.append(
            f"{n:,} different rows: a sample of {_MOST_ROWS:,} is searched; the tree found is then improved "
            "and counted on all"
        )
        n, is_in = _MOST_ROWS, samples.row < _MOST_ROWS
        samples = Samples(samples.row[is_in], samples.weight[is_in])
    codes = np.ascontiguousarray(rows.cases.codes[:, :n])
    order = np.empty(codes.shape, dtype=np.int32)
    for attribute, column in enumerate(codes):
        narrow = column.astype(np.uint16) if column.max(initial=0) < 2**16 else column  # sorts much faster
        order[attribute] = np.argsort(narrow, kind="stable")
    cases = rows.cases._replace(codes=codes, classes=rows.cases.classes[:n], order=order)
    target = None if rows.target is None else rows.target[:n]
    return replace(rows, cases=cases, weight=rows.weight[:n], target=target), samples, tuple(lines)
