"""Equal-width discretization of numeric attributes, as in WEKA's unsupervised `Discretize` filter.

The paper's `glass` was discretized by the plain filter and its `anneal` with the option ``-O``, so these
two rules are reproduced exactly. An interval is open below and closed above, ``(a-b]``. An interval without
instances remains a value of the attribute.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gatree.data.attribute import MISSING, Attribute, Column, missing
from gatree.data.dataset import Dataset

Cuts = NDArray[np.float64]


def discretize(dataset: Dataset, n_bins: int = 10, optimize: bool = False) -> Dataset:
    """Return the data set with every numeric attribute cut into intervals.

    Parameters
    ----------
    dataset : Dataset
    n_bins : int
        Intervals per attribute; with ``optimize`` the maximum.
    optimize : bool
        Choose the number of intervals as WEKA's ``-O`` does, see `optimized_cuts`.
    """
    cuts_of: Callable[[NDArray[np.float64]], Cuts]
    cuts_of = (
        partial(optimized_cuts, max_bins=n_bins) if optimize else partial(equal_width_cuts, n_bins=n_bins)
    )
    attributes: list[Attribute] = []
    columns: list[Column] = []
    for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
        if attribute.is_nominal:
            attributes.append(attribute)
            columns.append(column)
        else:
            known = column[~missing(column)].astype(np.float64)
            cuts = cuts_of(known) if len(known) else np.empty(0)
            attributes.append(Attribute(attribute.name, "nominal", interval_labels(cuts)))
            columns.append(_bins(column, cuts))
    return Dataset(
        name=dataset.name,
        attributes=tuple(attributes),
        columns=tuple(columns),
        answer=dataset.answer,
        answer_position=dataset.answer_position,
    )


def equal_width_cuts(values: NDArray[np.float64], n_bins: int) -> Cuts:
    """Return the ``n_bins - 1`` cuts between intervals of equal width; none if all values are equal."""
    low, high = values.min(), values.max()
    return low + (high - low) / n_bins * np.arange(1, n_bins) if high > low else np.empty(0)


def optimized_cuts(values: NDArray[np.float64], max_bins: int) -> Cuts:
    """Return the cuts of WEKA's ``Discretize -O``.

    The number of bins, 1 to ``max_bins``, is the one with the least leave-one-out entropy. WEKA then
    lays the cuts at the width of ``max_bins`` bins and keeps the first ones, so the last interval is wide.
    """
    cuts = equal_width_cuts(values, max_bins)
    if len(cuts) == 0:
        return cuts
    entropies = [_leave_one_out_entropy(values, n_bins) for n_bins in range(1, max_bins + 1)]
    best_n_bins = int(np.argmin(entropies)) + 1
    return cuts[: best_n_bins - 1]


def _leave_one_out_entropy(values: NDArray[np.float64], n_bins: int) -> float:
    """Return the leave-one-out entropy of a histogram; infinite if a bin holds a single value."""
    cuts = equal_width_cuts(values, n_bins)
    counts = np.bincount(np.searchsorted(cuts, values), minlength=n_bins)
    if counts.min() < 2:
        return float("inf")
    width = (values.max() - values.min()) / n_bins
    return float(-np.sum(counts * np.log((counts - 1) / width)))


def interval_labels(cuts: Cuts) -> tuple[str, ...]:
    """Return the names of the intervals, with six decimals or as many as distinguish the cuts."""
    if len(cuts) == 0:
        return ("All",)
    decimals = 6
    while len(names := [_plain(cut, decimals) for cut in cuts]) > len(set(names)):
        decimals += 1
    first, last = f"(-inf-{names[0]}]", f"({names[-1]}-inf)"
    return (first, *(f"({low}-{high}]" for low, high in pairwise(names)), last)


def _plain(number: float, decimals: int) -> str:
    """Format a number without trailing zeros."""
    return f"{number:.{decimals}f}".rstrip("0").rstrip(".")


def _bins(column: Column, cuts: Cuts) -> NDArray[np.int32]:
    return np.where(missing(column), MISSING, np.searchsorted(cuts, column)).astype(np.int32)
