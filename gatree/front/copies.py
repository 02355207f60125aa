"""Detect copies of a sample, so that cross-validation holds them out together.

Copies are equal rows that chance does not explain. Rows with few possible values, such as answers of yes and
no, are equal by chance, and each is a sample. Equal values of a nearly continuous attribute are hardly
chance: bootstrap samples and integer weights have such rows. If copies were held out separately, a tree would
predict a sample that it was trained on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset

Floats = NDArray[np.float64]

_FEW, _SHARE = 10, 0.05  # maximum number or share of rows with the same nearly continuous value


def samples_of(dataset: Dataset) -> NDArray[np.intp]:
    """Return the sample of every row; equal rows are one sample if there are more than chance explains.

    Chance explains the expected number of pairs that agree in all nearly continuous attributes.
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
    """Return the numeric columns with more possible values than rows, and the largest number of values.

    The smallest step between two values determines how many are possible. A column with a value that many
    rows share, such as zero for nothing, is left out.
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
    """Return for every row the first row that equals it."""
    cells = np.stack(columns, axis=1).astype(np.float64) + 0.0  # turns -0.0 into 0.0
    cells[np.isnan(cells)] = np.nan  # one bit pattern for all
    rows = np.ascontiguousarray(cells).view(np.dtype((np.void, cells.itemsize * cells.shape[1]))).ravel()
    _, first, place = np.unique(rows, return_index=True, return_inverse=True)
    equal: NDArray[np.intp] = first[place.ravel()]
    return equal


def _n_equal(columns: Sequence[Floats]) -> NDArray[np.intp]:
    """Return the number of rows that equal each row, including itself."""
    first = _first_equal(columns)
    return np.bincount(first)[first]


def _n_pairs(counts: NDArray[np.intp] | int) -> float:
    return float(np.sum(counts * (np.asarray(counts) - 1.0)) / 2)
