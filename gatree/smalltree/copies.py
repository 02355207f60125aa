"""Detect copies of a sample, so that cross-validation holds them out together.

Copies are equal rows that chance does not explain. Rows with few possible values, such as answers of yes and
no, are equal by chance, and each is a sample. Bootstrap samples and integer weights have rows that are equal
although hardly any others are nearly equal. If copies were held out separately, a tree would predict a sample
that it was trained on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset

Words = NDArray[np.uint64]

_FEW = 3  # pairs of equal rows that may always be chance
_FEW_ROWS = 30  # as many different rows may always repeat by chance
_REPEATED = 0.55  # a bootstrap sample repeats 63 % of its rows
_MORE, _MUCH_MORE = 2.5, 20.0  # copies: more than this multiple of the pairs that chance explains


def are_copies(dataset: Dataset, counts: NDArray[np.int64]) -> bool:
    """Return whether there are more equal rows than chance explains; ``counts`` says how often each is there.

    The class is a column like the others. If a column were independent of the others, the pairs of rows that
    agree in it would be as frequent among the pairs that agree in everything else as among those that do not.
    That gives an expected number of equal pairs for every column; chance explains the largest. Columns that
    depend on one another have more, so it takes many more if fewer rows repeat than in a bootstrap sample.
    """
    words = [_words(column, index) for index, column in enumerate((*dataset.columns, dataset.classes))]
    whole = np.zeros(dataset.n_instances, dtype=np.uint64)
    for column in words:
        whole += column
    equal = _n_pairs(whole, counts)
    if equal <= _FEW or len(np.unique(whole)) < _FEW_ROWS:
        return False
    n_rows, chance = float(counts.sum()), 0.0
    for column in words:
        only_there = _n_pairs(column, counts) - equal  # pairs that agree in it, but not in all others
        elsewhere = _n_pairs(whole - column, counts) - equal  # pairs that agree in all others only
        neither = n_rows * (n_rows - 1) / 2 - equal - only_there - elsewhere
        chance = max(chance, elsewhere * only_there / max(1.0, neither))
    n_alike = _n_alike(whole, counts)
    repeats = n_alike[n_alike > 1].sum() > _REPEATED * n_rows
    return equal > (_MORE if repeats else _MUCH_MORE) * chance


def _words(column: NDArray[np.generic], index: int) -> Words:
    """Return a random-looking word for every cell of a column: equal values have equal words.

    Words differ between columns, so that sums of words distinguish rows. (The mixing is that of splitmix64:
    Steele, Lea and Flood, 2014.)
    """
    values = column.astype(np.float64) + 0.0  # turns -0.0 into 0.0
    values[np.isnan(values)] = np.nan  # one bit pattern for all
    words = values.view(np.uint64) + np.uint64((index + 1) * 0x9E3779B97F4A7C15 % 2**64)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))


def _n_alike(words: Words, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how often every different row is there."""
    _, group = np.unique(words, return_inverse=True)
    return np.bincount(group.ravel(), weights=counts).astype(np.float64)


def _n_pairs(words: Words, counts: NDArray[np.int64]) -> float:
    """Return the number of pairs of equal rows."""
    n = _n_alike(words, counts)
    return float((n * (n - 1)).sum() / 2)
