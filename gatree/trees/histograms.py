"""What the instances at each test of a tree look like: the tested attribute's values by class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.attribute import Column, missing
from gatree.data.dataset import Dataset
from gatree.trees.align import aligned_columns
from gatree.trees.genome import LEAF
from gatree.trees.named_tree import NamedTree

_MOST_BINS = 20
_MOST_CATEGORIES = 8


class Histogram(NamedTuple):
    """The instances at an inner node by value and class. Missing values, if any, are the last bar."""

    counts: NDArray[np.int64]  # [bar, class]
    n_missing: int
    cut: float  # how many bars, and which part of the next, pass the test
    ends: tuple[float, float] | None  # the smallest and the largest number


def histograms(model: NamedTree, dataset: Dataset) -> dict[int, Histogram]:
    """Return a histogram for every inner node, of the instances of a data set that have a class."""
    known = dataset.take(np.flatnonzero(dataset.classes >= 0))
    tested = np.unique(model.tree.attribute[model.tree.attribute != LEAF])
    columns = aligned_columns(model.attributes, tested, known)
    reached = model.apply(known)
    found = {}
    for node in np.flatnonzero(model.tree.attribute != LEAF).tolist():
        here = (reached >= node) & (reached < node + model.tree.span[node])
        column = columns[int(model.tree.attribute[node])][here]
        found[node] = _histogram(model, node, column, known.classes[here])
    return found


def _histogram(model: NamedTree, node: int, column: Column, classes: NDArray[np.int32]) -> Histogram:
    gone = missing(column)
    if model.attribute(node).is_nominal:
        bars, cut, ends = _categories(column[~gone], int(model.tree.value[node])), 1.0, None
    else:
        bars, cut, ends = _bins(column[~gone].astype(np.float64), model.threshold(node))
    n_bars = int(bars.max(initial=0)) + 1
    n_missing = int(np.count_nonzero(gone))
    counts = np.zeros((n_bars + (n_missing > 0), model.n_classes), dtype=np.int64)
    np.add.at(counts, (bars, classes[~gone]), 1)
    if n_missing:
        np.add.at(counts[-1], classes[gone], 1)
    return Histogram(counts, n_missing, cut, ends)


def _categories(codes: Column, wanted: int) -> NDArray[np.int64]:
    """Return the bar of every value: first the one that is tested for, then the others by frequency."""
    others, frequency = np.unique(codes[codes != wanted], return_counts=True)
    others = others[np.argsort(-frequency, kind="stable")]
    place = {int(wanted): 0} | {
        int(value): 1 + min(rank, _MOST_CATEGORIES) for rank, value in enumerate(others)
    }
    return np.array([place[int(value)] for value in codes], dtype=np.int64)


def _bins(
    values: NDArray[np.float64], threshold: float
) -> tuple[NDArray[np.int64], float, tuple[float, float] | None]:
    """Return the bar of every number: one per distinct number, or bins of one width if there are many."""
    if len(values) == 0:
        return np.empty(0, dtype=np.int64), 0.0, None
    distinct, index = np.unique(values, return_inverse=True)
    low, high = float(distinct[0]), float(distinct[-1])
    if len(distinct) <= _MOST_BINS:
        return index.astype(np.int64), float(np.count_nonzero(distinct <= threshold)), (low, high)
    width = high / _MOST_BINS - low / _MOST_BINS  # not the difference, which may overflow
    bars = ((values / width) - (low / width)).astype(np.int64).clip(0, _MOST_BINS - 1)
    cut = threshold / width - low / width
    return bars, float(np.clip(cut, 0, _MOST_BINS)), (low, high)
