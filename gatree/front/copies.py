"""Copies of a sample: equal rows that chance does not explain. Cross-validation holds them out together.

Rows of a small space, such as answers of yes and no, are equal by chance, and each is a sample. Rows that
share the value of a nearly continuous attribute hardly are: a bootstrap sample has such rows, and so have
integer weights. Held out apart, a copy is predicted by a tree that was trained on it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset

Floats = NDArray[np.float64]

_FEW, _SHARE = 10, 0.05  # rows that may share a value of a nearly continuous attribute


def samples_of(dataset: Dataset) -> NDArray[np.intp]:
    """Return the sample of every row: equal rows are one sample if they are more than chance explains.

    Chance explains as many pairs of equal rows as are expected to agree in all nearly continuous attributes.
    """
    apart = np.arange(dataset.n_instances)
    fine, n_values = _nearly_continuous(dataset)
    if len(fine) == 0:
        return apart
    known = min(fine, key=lambda column: np.count_nonzero(np.isnan(column)))
    tied = np.flatnonzero((_n_equal([known]) > 1) & ~np.isnan(known))
    together = apart.copy()
    together[tied] = tied[
        _first_equal([*(column[tied] for column in dataset.columns), dataset.classes[tied]])
    ]
    different, n_copies = np.unique(together, return_counts=True)
    n_sharing = (_n_equal([column[different] for column in fine]) - 1).sum() / 2
    chance = max(1 / n_values, n_sharing / max(1.0, _n_pairs(len(different))))
    is_chance = _n_pairs(n_copies) <= chance * _n_pairs(len(apart))
    return apart if is_chance else together


def _nearly_continuous(dataset: Dataset) -> tuple[list[Floats], float]:
    """Return the columns of numbers with room for more values than there are rows, and the most values.

    The smallest step between two values tells how many there may be. A value that many rows have, such as a
    zero for nothing, is not one of many.
    """
    found, most = [], 0.0
    for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
        if attribute.is_nominal:
            continue
        values, n_rows = np.unique(column[np.isfinite(column)], return_counts=True)
        if len(values) < 2 or n_rows.max() > max(_FEW, _SHARE * len(column)):
            continue
        with np.errstate(over="ignore"):
            n_values = 1 + float((values[-1] - values[0]) / np.diff(values).min())
        if n_values > len(column):
            found.append(column.astype(np.float64))
            most = max(most, n_values)
    return found, most


def _first_equal(columns: Sequence[NDArray[np.generic]]) -> NDArray[np.intp]:
    """Return for every row the first one that equals it."""
    cells = np.stack(columns, axis=1).astype(np.float64) + 0.0  # no -0.0
    cells[np.isnan(cells)] = np.nan  # of one kind
    rows = np.ascontiguousarray(cells).view(np.dtype((np.void, cells.itemsize * cells.shape[1]))).ravel()
    _, first, place = np.unique(rows, return_index=True, return_inverse=True)
    equal: NDArray[np.intp] = first[place.ravel()]
    return equal


def _n_equal(columns: Sequence[Floats]) -> NDArray[np.intp]:
    """Return how many rows equal each row, itself included."""
    first = _first_equal(columns)
    return np.bincount(first)[first]


def _n_pairs(counts: NDArray[np.intp] | int) -> float:
    return float(np.sum(counts * (np.asarray(counts) - 1.0)) / 2)
