"""The instances at every test of a tree, counted by the tested attribute's values: charts of a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.attribute import Column, missing
from gatree.data.dataset import Dataset
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import Floats

_MOST_BINS = 20
_MOST_CATEGORIES = 8


class Histogram(NamedTuple):
    """The instances at an inner node by value and class. Missing values, if any, are the last bar."""

    counts: NDArray[np.int64]  # [bar, class]
    n_missing: int
    cut: float  # how many bars, and which part of the next, pass the test
    ends: tuple[float, float] | None  # the smallest and the largest number
    labels: tuple[str, ...] = ()  # of bars that are categories
    means: Floats | None = None  # [bar]: of the numbers to predict, which have one class


def histograms(model: DecisionTree, dataset: Dataset, target: Floats | None = None) -> dict[int, Histogram]:
    """Return a histogram for every inner node, of the instances of a data set that have a class.

    With the instances' numbers as ``target``, of all instances.
    """
    if target is not None:
        dataset = replace(dataset, classes=np.zeros(dataset.n_instances, dtype=np.int32))
    known = dataset.take(np.flatnonzero(dataset.classes >= 0))
    columns, reached = model.columns_of(known), model.apply(known)
    found = {}
    for node in np.flatnonzero(model.tree.attribute != LEAF).tolist():
        here = (reached >= node) & (reached < node + model.tree.span[node])
        column, attribute = columns[int(model.tree.attribute[node])][here], model.attribute(node)
        gone, means = missing(column), None
        labels: tuple[str, ...] = ()
        if attribute.is_nominal:
            bars, codes = _categories(column[~gone], int(model.tree.value[node]))
            cut, ends, labels = 1.0, None, tuple(attribute.values[code] for code in codes)
        else:
            bars, cut, ends = _bins(column[~gone].astype(np.float64), model.threshold(node))
        n_bars, n_missing = int(bars.max(initial=0)) + 1, int(np.count_nonzero(gone))
        bar_of = np.full(len(column), n_bars)
        bar_of[~gone] = bars
        counts = np.zeros((n_bars + (n_missing > 0), model.n_classes), dtype=np.int64)
        np.add.at(counts, (bar_of, known.classes[here]), 1)
        if target is not None:
            means = np.bincount(bar_of, target[here], minlength=len(counts)) / counts.sum(axis=1).clip(1)
        found[node] = Histogram(counts, n_missing, cut, ends, labels, means)
    return found


def _categories(codes: Column, wanted: int) -> tuple[NDArray[np.int64], list[int]]:
    """Return the bar of every value, first the one that is tested for, then the others by frequency.

    And the values of the bars that stand for one.
    """
    others, frequency = np.unique(codes[codes != wanted], return_counts=True)
    others = others[np.argsort(-frequency, kind="stable")]
    place = {int(wanted): 0} | {
        int(value): 1 + min(rank, _MOST_CATEGORIES) for rank, value in enumerate(others)
    }
    bars = np.array([place[int(value)] for value in codes], dtype=np.int64)
    single = others if len(others) <= _MOST_CATEGORIES + 1 else others[:_MOST_CATEGORIES]
    return bars, [wanted, *map(int, single)]


def _bins(values: Floats, threshold: float) -> tuple[NDArray[np.int64], float, tuple[float, float] | None]:
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
