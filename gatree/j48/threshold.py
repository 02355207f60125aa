"""The best threshold of a numeric attribute.

The instances are sorted by value, and every cut between two values that leaves enough on both
sides competes. The gain of the winner is then reduced by the bits that naming it among its
competitors takes, shared among the instances (the MDL correction of C4.5 release 8).
"""

from __future__ import annotations

import math

import numpy as np

from gatree.j48.gain import class_entropy, gain_given, gain_ratio
from gatree.j48.tables import Classes, Floats, Ints, add, at_least, greater
from gatree.jit import jit

# Numbers nearer than this are one value to the search.
_SAME_VALUE = 1e-5


@jit
def best_threshold(
    column: Floats,
    classes: Classes,
    rows: Ints,
    weights: Floats,
    n_classes: int,
    min_instances: float,
    total: float,
) -> tuple[bool, float, float, float, Floats]:
    """Return whether a useful threshold exists, the best one, its gain, gain ratio and table.

    The rows and their weights are sorted in place.
    """
    keys = column[rows]
    n_known = sort_known(keys, rows, weights)
    end, gain = _best_cut(keys[:n_known], classes, rows, weights, n_classes, min_instances, total)
    table = np.zeros((3, n_classes + 1))
    if at_least(0.0, gain):
        return False, 0.0, 0.0, 0.0, table
    for i in range(n_known):
        add(table, 0 if i < end else 1, classes[rows[i]], weights[i])
    table[-1, -1] = table[0, -1] + table[1, -1]  # as WEKA sums it here, to the last bit
    threshold = (keys[end] + keys[end - 1]) / 2
    if threshold == keys[end]:  # neighbouring floats: the middle rounded up
        threshold = keys[end - 1]
    return True, threshold, gain, gain_ratio(table, total, gain), table


@jit
def _best_cut(
    keys: Floats,
    classes: Classes,
    rows: Ints,
    weights: Floats,
    n_classes: int,
    min_instances: float,
    total: float,
) -> tuple[int, float]:
    """Return how many instances lie below the best cut, and its corrected gain (zero: no cut)."""
    table = np.zeros((3, n_classes + 1))
    for i in range(len(keys)):
        add(table, 1, classes[rows[i]], weights[i])
    fewest = _fewest_per_branch(table[-1, -1], n_classes, min_instances)
    if greater(2 * fewest, len(keys)):
        return 0, 0.0
    entropy_before = class_entropy(table)
    best_end, best_gain, n_cuts = 0, 0.0, 0
    for end in range(1, len(keys)):
        label, weight = classes[rows[end - 1]], weights[end - 1]
        table[1, label] -= weight
        table[1, -1] -= weight
        table[0, label] += weight
        table[0, -1] += weight
        between_values = keys[end - 1] + _SAME_VALUE < keys[end]
        if between_values and at_least(table[0, -1], fewest) and at_least(table[1, -1], fewest):
            n_cuts += 1
            gain = gain_given(table, total, entropy_before)
            if greater(gain, best_gain):
                best_end, best_gain = end, gain
    if n_cuts == 0:
        return 0, 0.0
    return best_end, best_gain - math.log2(n_cuts) / total


@jit
def _fewest_per_branch(known: float, n_classes: int, min_instances: float) -> float:
    """Return C4.5's minimum for a numeric split: a tenth of the mean class, at most 25."""
    fewest = 0.1 * known / n_classes
    if at_least(min_instances, fewest):
        return min_instances
    return min(fewest, 25.0)


@jit
def _swap(keys: Floats, rows: Ints, weights: Floats, i: int, j: int) -> None:
    keys[i], keys[j] = keys[j], keys[i]
    rows[i], rows[j] = rows[j], rows[i]
    weights[i], weights[j] = weights[j], weights[i]


@jit
def _order(keys: Floats, rows: Ints, weights: Floats, i: int, j: int) -> None:
    if keys[i] > keys[j]:
        _swap(keys, rows, weights, i, j)


@jit
def _partition(keys: Floats, rows: Ints, weights: Floats, left: int, right: int) -> int:
    """Sort around the median of the first, middle and last key; return where it ends up."""
    middle = (left + right) // 2
    _order(keys, rows, weights, left, middle)
    _order(keys, rows, weights, left, right)
    _order(keys, rows, weights, middle, right)
    if right - left <= 2:
        return middle
    _swap(keys, rows, weights, middle, right - 1)
    pivot = keys[right - 1]
    low, high = left + 1, right - 2
    while True:
        while keys[low] < pivot:
            low += 1
        while keys[high] > pivot:
            high -= 1
        if low >= high:
            break
        _swap(keys, rows, weights, low, high)
        low, high = low + 1, high - 1
    _swap(keys, rows, weights, low, right - 1)
    return low


@jit
def sort_known(keys: Floats, rows: Ints, weights: Floats) -> int:
    """Sort in place, missing values last as infinity; return how many are known.

    It is the quicksort that WEKA uses. It is not stable, and the sums of fractional weights that
    follow depend in their last bit on the order in which it leaves equal keys.
    """
    n_known = 0
    for i in range(len(keys)):
        if math.isnan(keys[i]):
            keys[i] = math.inf
        else:
            n_known += 1
    pending = [(0, len(keys) - 1)]
    while len(pending) > 0:
        left, right = pending.pop()
        if left < right:
            middle = _partition(keys, rows, weights, left, right)
            pending.append((left, middle - 1))
            pending.append((middle + 1, right))
    return n_known
