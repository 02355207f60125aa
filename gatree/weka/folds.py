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
from gatree.kernels.decorators import lean

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = (1 << 48) - 1

Rows = NDArray[np.intp]


class JavaRandom:
    """Shuffles by the bounded integers of Java's ``Random(seed)``."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ _MULTIPLIER) & _MASK

    def shuffled(self, rows: Rows) -> Rows:
        """Return the rows in random order."""
        if len(rows) <= _FEW:
            order, self.state = _shuffled_few(self.state, len(rows))
            return rows[order]
        rows = rows.copy()
        self.state = _shuffle_many(rows, self.state)
        return rows


@lean
def next_int(state: int, bound: int) -> tuple[int, int]:
    """Return a number in ``range(bound)``, as Java's ``nextInt``, and the generator's next state."""
    while True:
        state = (state * _MULTIPLIER + _INCREMENT) & _MASK  # where integers have 64 bits, the lowest 48 stay
        bits = state >> 17
        if bound & (bound - 1) == 0:  # a power of two takes the high bits
            return (bound * bits) >> 31, state
        value = bits % bound
        if bits - value + bound - 1 < 1 << 31:  # else: the last, incomplete block of values
            return value, state


def _shuffle(rows: Rows, state: int) -> int:
    """Swap every place, from the last, with a random one up to it; return the generator's state then."""
    for last in range(len(rows) - 1, 0, -1):
        other, state = next_int(state, last + 1)
        rows[last], rows[other] = rows[other], rows[last]
    return state


def _group(rows: Rows, classes: NDArray[np.int32]) -> None:
    end = 0
    while end < len(rows):
        group = classes[rows[end]]
        end += 1
        for candidate in range(end, len(rows)):
            if classes[rows[candidate]] == group:
                rows[end], rows[candidate] = rows[candidate], rows[end]
                end += 1


_FEW = 10_000
"""Rows up to which these functions run as Python, so that no command waits until they are compiled."""

_shuffle_many, _group_many = lean(_shuffle), lean(_group)


def group_by_class(rows: Rows, classes: NDArray[np.int32]) -> None:
    """Group rows by class, in place, classes in order of appearance, by WEKA's swaps.

    A row that joins its group swaps places with the first row after the group, so the later groups do
    not keep their order.
    """
    group = _group if len(rows) <= _FEW else _group_many
    group(rows, classes)


@lru_cache(maxsize=32)  # J48 shuffles every training fold with the same seed
def _shuffled_few(state: int, n: int) -> tuple[Rows, int]:
    """Return the numbers below ``n`` as a generator in this state shuffles them, and its state then."""
    order = np.arange(n)
    return order, _shuffle(order, state)


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
    rows = np.arange(len(classes))
    group_by_class(rows, np.array(classes))
    return dealt_out(rows, n_folds)


def dealt_out(rows: Rows, n_folds: int) -> Rows:
    """Return the rows assigned to ``n_folds`` folds in turn, fold by fold."""
    return np.concatenate([rows[first::n_folds] for first in range(n_folds)])


def split_off(rows: Rows, n_folds: int, fold: int) -> tuple[Rows, Rows]:
    """Return the rows outside and inside one fold; the first folds take the remainder."""
    size, larger_folds = divmod(len(rows), n_folds)
    start = fold * size + min(fold, larger_folds)
    stop = start + size + (fold < larger_folds)
    return np.concatenate([rows[:start], rows[stop:]]), rows[start:stop]
