"""Stratified cross-validation with exactly WEKA's folds, for GATree and J48 alike.

The rows are shuffled, grouped by class, and dealt out in turn; the folds are consecutive blocks of
the result. WEKA then shuffles every training set again with the same generator: the order of the
training rows is part of the fold, since J48's held-out set for pruning depends on it.

The random numbers are those of java.util.Random, the 48-bit linear congruential generator that the Java
platform documents, so a seed gives the same shuffle as in WEKA. It serves folds only: everything else draws
from numpy.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = (1 << 48) - 1


class JavaRandom:
    """The bounded integers of Java's ``Random(seed)``."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _MASK

    @classmethod
    def in_state(cls, state: int) -> JavaRandom:
        """Return a generator that is in a state."""
        return cls(state ^ _MULTIPLIER)

    def _next_31_bits(self) -> int:
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return self._state >> 17

    def next_int(self, bound: int) -> int:
        """Return a number in ``range(bound)``, as ``nextInt(bound)`` does."""
        if bound & (bound - 1) == 0:  # a power of two takes the high bits
            return (bound * self._next_31_bits()) >> 31
        while True:
            bits = self._next_31_bits()
            value = bits % bound
            if bits - value + bound - 1 < 1 << 31:  # else: the last, incomplete block of values
                return value

    def shuffled(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the rows in random order: every place, from the last, swaps with one up to it."""
        shuffle = _shuffle_few if len(rows) <= _FEW else _shuffle
        order, self._state = shuffle(self._state, len(rows))
        return rows[order]


def _shuffle(state: int, n: int) -> tuple[NDArray[np.intp], int]:
    """Return the numbers below ``n`` as a generator in this state shuffles them, and its state then."""
    random, order = JavaRandom.in_state(state), list(range(n))
    for last in range(n - 1, 0, -1):
        other = random.next_int(last + 1)
        order[last], order[other] = order[other], order[last]
    return np.array(order, dtype=np.intp), random._state


_FEW = 10_000
_shuffle_few = lru_cache(maxsize=32)(_shuffle)  # J48 shuffles every training fold with the same seed


Rows = NDArray[np.intp]


def stratified_folds(classes: NDArray[np.int32], n_folds: int, seed: int) -> list[tuple[Rows, Rows]]:
    """Return the training rows and the test rows of every fold, in WEKA's order.

    Parameters
    ----------
    classes : ndarray of int32
        The class of every instance; those without a class (-1) form a group of their own.
    n_folds : int
        From 2 to the number of instances.
    seed : int
        WEKA's ``-s``.
    """
    random = JavaRandom(seed)
    check_n_folds(n_folds, len(classes))
    shuffled = random.shuffled(np.arange(len(classes)))
    rows = shuffled[stratified_order(classes[shuffled], n_folds)]
    folds = []
    for fold in range(n_folds):
        train, test = split_off(rows, n_folds, fold)
        folds.append((random.shuffled(train), test))
    return folds


def check_n_folds(n_folds: int, n_instances: int, purpose: str = "cross-validation") -> None:
    """Raise an error for a number of folds that would leave one empty."""
    if not 2 <= n_folds <= n_instances:
        raise DataError(
            f"{purpose}: cannot make {n_folds} folds of {n_instances} instances; "
            "the number of folds must be at least 2 and at most the number of instances"
        )


def stratified_order(classes: NDArray[np.int32], n_folds: int) -> Rows:
    """Return an order in which each of ``n_folds`` blocks has its share of every class."""
    return dealt_out(np.array(_grouped_by_class(classes.tolist()), dtype=np.intp), n_folds)


def dealt_out(rows: Rows, n_folds: int) -> Rows:
    """Return the rows assigned to ``n_folds`` folds in turn, fold by fold."""
    return np.concatenate([rows[first::n_folds] for first in range(n_folds)])


def split_off(rows: Rows, n_folds: int, fold: int) -> tuple[Rows, Rows]:
    """Return the rows outside and inside one fold; the first folds take the remainder."""
    size, larger_folds = divmod(len(rows), n_folds)
    start = fold * size + min(fold, larger_folds)
    stop = start + size + (fold < larger_folds)
    return np.concatenate([rows[:start], rows[stop:]]), rows[start:stop]


def _grouped_by_class(classes: list[int]) -> list[int]:
    """Return the rows class by class, classes in order of appearance, by WEKA's swaps.

    A row that joins its group swaps places with the first row after the group, so the later groups do
    not keep their order.
    """
    rows = list(range(len(classes)))
    end = 0
    while end < len(rows):
        group = classes[rows[end]]
        end += 1
        for candidate in range(end, len(rows)):
            if classes[rows[candidate]] == group:
                rows[end], rows[candidate] = rows[candidate], rows[end]
                end += 1
    return rows
