"""The numbers of a column in little memory: how many lie below any of them, nearly.

Few distinct numbers are counted exactly. Of many, a sample stays: at level l every number stands for 2^l of
the column, and when a level is full, every other one of its sorted numbers moves up (Munro and Paterson 1980;
Karnin, Lang and Liberty 2016). No random numbers: the same pieces in the same order give the same thresholds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_EXACT = 4096
"""The maximum of distinct numbers that are counted exactly."""

LEVEL_SIZE = 16_384
"""The numbers at a level: the rank of a threshold is off by less than 0.1 % among 10^9 numbers."""


class NumberSummary:
    """The finite numbers of a column; NaN and infinite ones do not count."""

    def __init__(self) -> None:
        self.values: Floats = np.empty(0)  # distinct and rising, while they are few
        self.counts = np.empty(0, dtype=np.int64)
        self.levels: list[Floats] = []
        self.low, self.high = np.inf, -np.inf
        self._lower_half = True

    @property
    def is_exact(self) -> bool:
        return not self.levels

    @property
    def is_empty(self) -> bool:
        return self.low > self.high

    def add(self, column: Floats, counts: NDArray[np.int64] | None = None) -> None:
        """Take some more numbers, each with how often it comes."""
        known = np.isfinite(column)
        if known.any():
            weights = np.ones(len(column), np.int64) if counts is None else counts
            values, weights = _distinct(column[known], weights[known])
            self._count(values, weights, values[0], values[-1])

    def merge(self, other: NumberSummary) -> None:
        """Take all numbers that another one has taken."""
        self._count(other.values, other.counts, other.low, other.high)
        if not other.is_exact:
            self._leave_exact()
        for level, numbers in enumerate(other.levels):
            self._insert(level, numbers)

    def _count(self, values: Floats, counts: NDArray[np.int64], low: float, high: float) -> None:
        self.low, self.high = min(self.low, float(low)), max(self.high, float(high))
        if not self.is_exact:
            self._insert_weighted(values, counts)
            return
        every = np.concatenate((self.counts, counts))
        self.values, self.counts = _distinct(np.concatenate((self.values, values)), every)
        if len(self.values) > MOST_EXACT:
            self._leave_exact()

    def _leave_exact(self) -> None:
        if self.is_exact:
            values, counts = self.values, self.counts
            self.values, self.counts, self.levels = np.empty(0), np.empty(0, dtype=np.int64), [np.empty(0)]
            self._insert_weighted(values, counts)

    def _insert_weighted(self, values: Floats, counts: NDArray[np.int64]) -> None:
        """Put a number that comes w times at the levels that the bits of w say."""
        for level in range(int(counts.max(initial=0)).bit_length()):
            self._insert(level, values[(counts >> level) & 1 == 1])

    def _insert(self, level: int, numbers: Floats) -> None:
        while len(self.levels) <= level:
            self.levels.append(np.empty(0))
        self.levels[level] = numbers = np.concatenate((self.levels[level], numbers))
        if len(numbers) >= LEVEL_SIZE:
            numbers = np.sort(numbers)
            n_even = len(numbers) // 2 * 2
            self.levels[level] = numbers[n_even:]
            moving = numbers[0 if self._lower_half else 1 : n_even : 2]
            self._lower_half = not self._lower_half
            self._insert(level + 1, moving)

    def distribution(self) -> tuple[Floats, NDArray[np.int64]]:
        """Return distinct numbers in rising order, and for how many of the column each stands."""
        if self.is_exact:
            return self.values, self.counts
        weights = np.concatenate([np.full(len(at), 2**level) for level, at in enumerate(self.levels)])
        return _distinct(np.concatenate(self.levels), weights)


def _distinct(numbers: Floats, weights: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Return the different numbers in rising order, and the weight of each."""
    values, index = np.unique(numbers, return_inverse=True)
    return values, np.bincount(index, weights=weights).astype(np.int64)
