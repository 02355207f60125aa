"""One test of one attribute: how C4.5 finds the best and what it is worth.

Gain ratio is the information gain per bit of the split itself. A numeric test is the threshold of
largest gain, less the cost of naming it (the MDL correction of C4.5 release 8). Instances with a
missing value lower the gain by their share and later enter all branches in parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gatree.j48.problem import Problem, Sample
from gatree.j48.tables import (
    EVERY_VALUE,
    NUMERIC,
    ONE_VALUE,
    Classes,
    Floats,
    Ints,
    add,
    add_missing,
    at_least,
    equal,
    greater,
    shares_of,
    spread,
    tabulate,
)
from gatree.jit import jit

# Numbers nearer than this are one value to the search for thresholds.
_SAME_VALUE = 1e-5


@dataclass(frozen=True, eq=False)
class Split:
    """A test and the table of the training instances that it was made from."""

    attribute: int
    kind: int
    threshold: float
    table: Floats
    gain: float
    gain_ratio: float

    @property
    def n_branches(self) -> int:
        return len(self.table) - 1

    @property
    def shares(self) -> Floats:
        """The part of an instance with a missing value that goes down each branch."""
        return shares_of(self.table)

    def tabulated(self, problem: Problem, sample: Sample, shares: Floats | None = None) -> Floats:
        """Return the table of other instances; missing values go by the shares, or by theirs."""
        column = problem.values[self.attribute]
        table = tabulate(
            column, problem.classes, *sample, self.kind, self.threshold, self.n_branches, problem.n_classes
        )
        add_missing(table, column, problem.classes, *sample, shares_of(table) if shares is None else shares)
        return table

    def redistributed(self, problem: Problem, sample: Sample) -> Split:
        """Return the same test with the table of other training instances."""
        return replace(self, table=self.tabulated(problem, sample))

    def spread(self, problem: Problem, sample: Sample) -> list[Sample]:
        """Return the instances of every branch."""
        column = problem.values[self.attribute]
        starts, rows, weights = spread(column, *sample, self.kind, self.threshold, self.shares)
        return [Sample(rows[start:stop], weights[start:stop]) for start, stop in pairwise(starts)]


def best_split(
    problem: Problem, sample: Sample, attribute: int, total: float, min_instances: int, binary: bool
) -> Split | None:
    """Return the best test of one attribute, or None if none leaves enough on two branches."""
    column, n_values = problem.values[attribute], problem.n_values[attribute]
    if n_values == 0:
        found, threshold, gain, ratio, table = best_threshold(
            column, problem.classes, *sample, problem.n_classes, float(min_instances), total
        )
        return Split(attribute, NUMERIC, threshold, table, gain, ratio) if found else None
    table = tabulate(column, problem.classes, *sample, EVERY_VALUE, math.nan, n_values, problem.n_classes)
    if binary:
        found, value, gain, ratio = best_value(table, float(min_instances), total)
        if not found:
            return None
        return Split(attribute, ONE_VALUE, float(value), one_against_rest(table, value), gain, ratio)
    if not enough_on_two_branches(table, float(min_instances)):
        return None
    gain = info_gain(table, total)
    return Split(attribute, EVERY_VALUE, math.nan, table, gain, gain_ratio(table, total, gain))


@jit
def _n_log_n(weight: float) -> float:
    return 0.0 if weight < 1e-6 else weight * math.log(weight) / math.log(2.0)


@jit
def _class_entropy(table: Floats) -> float:
    """Return the bits that name the class of every instance, before the split."""
    bits = 0.0
    for label in range(table.shape[1] - 1):
        bits += _n_log_n(table[-1, label])
    return _n_log_n(table[-1, -1]) - bits


@jit
def _entropy_after(table: Floats) -> float:
    """Return the bits that name the class of every instance, its branch known."""
    bits = 0.0
    for branch in range(len(table) - 1):
        for label in range(table.shape[1] - 1):
            bits += _n_log_n(table[branch, label])
        bits -= _n_log_n(table[branch, -1])
    return -bits


@jit
def _gain(table: Floats, total: float, entropy_before: float) -> float:
    known = table[-1, -1]
    gained = known / total * (entropy_before - _entropy_after(table))
    return 0.0 if equal(gained, 0.0) else gained / known


@jit
def info_gain(table: Floats, total: float) -> float:
    """Return the bits per instance that a split saves; `total` counts the missing values too."""
    return _gain(table, total, _class_entropy(table))


@jit
def gain_ratio(table: Floats, total: float, gain: float) -> float:
    """Return the gain per bit of the split itself, where "missing" is a branch of its own."""
    if not greater(table[-1, -1], 0.0):
        return 0.0
    bits = _n_log_n(total) - _n_log_n(total - table[-1, -1])
    for branch in range(len(table) - 1):
        bits -= _n_log_n(table[branch, -1])
    return 0.0 if equal(bits, 0.0) else gain / (bits / total)


@jit
def enough_on_two_branches(table: Floats, min_instances: float) -> bool:
    """Tell whether two branches or more have the minimum of instances."""
    enough = 0
    for branch in range(len(table) - 1):
        enough += at_least(table[branch, -1], min_instances)
    return enough > 1


@jit
def one_against_rest(table: Floats, value: int) -> Floats:
    """Return the table of the test "attribute = value"."""
    merged = np.empty((3, table.shape[1]))
    merged[0] = table[value]
    merged[1] = table[-1] - table[value]
    merged[2] = table[-1]
    return merged


@jit
def best_value(table: Floats, min_instances: float, total: float) -> tuple[bool, int, float, float]:
    """Return whether a value can be tested for, and the value of largest gain ratio."""
    found, best, best_gain, best_ratio = False, 0, 0.0, 0.0
    for value in range(len(table) - 1):
        if not at_least(table[value, -1], min_instances):
            continue
        candidate = one_against_rest(table, value)
        if not enough_on_two_branches(candidate, min_instances):
            continue
        gain = info_gain(candidate, total)
        ratio = gain_ratio(candidate, total, gain)
        if value == 0 or greater(ratio, best_ratio):
            best, best_gain, best_ratio = value, gain, ratio
        found = True
    return found, best, best_gain, best_ratio


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


@jit
def _fewest_per_branch(known: float, n_classes: int, min_instances: float) -> float:
    """Return C4.5's minimum for a numeric split: a tenth of the mean class, at most 25."""
    fewest = 0.1 * known / n_classes
    if at_least(min_instances, fewest):
        return min_instances
    return min(fewest, 25.0)


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
    """Return whether a useful threshold exists, the one of largest gain, gain, ratio and table."""
    keys = column[rows]
    n_known = sort_known(keys, rows, weights)
    table = np.zeros((3, n_classes + 1))
    for i in range(n_known):
        add(table, 1, classes[rows[i]], weights[i])
    fewest = _fewest_per_branch(table[-1, -1], n_classes, min_instances)
    if greater(2 * fewest, n_known):
        return False, 0.0, 0.0, 0.0, table
    entropy_before = _class_entropy(table)
    best_end, best_gain, n_candidates, moved = 0, 0.0, 0, 0
    for end in range(1, n_known):
        if keys[end - 1] + _SAME_VALUE >= keys[end]:
            continue
        for i in range(moved, end):
            label = classes[rows[i]]
            table[1, label] -= weights[i]
            table[1, -1] -= weights[i]
            table[0, label] += weights[i]
            table[0, -1] += weights[i]
        moved = end
        if at_least(table[0, -1], fewest) and at_least(table[1, -1], fewest):
            gain = _gain(table, total, entropy_before)
            if greater(gain, best_gain):
                best_gain, best_end = gain, end
            n_candidates += 1
    if n_candidates == 0:
        return False, 0.0, 0.0, 0.0, table
    best_gain -= math.log(n_candidates) / math.log(2.0) / total
    if at_least(0.0, best_gain):
        return False, 0.0, 0.0, 0.0, table
    threshold = (keys[best_end] + keys[best_end - 1]) / 2
    if threshold == keys[best_end]:
        threshold = keys[best_end - 1]
    table = np.zeros((3, n_classes + 1))
    for i in range(n_known):
        add(table, 0 if i < best_end else 1, classes[rows[i]], weights[i])
    table[-1, -1] = table[0, -1] + table[1, -1]  # as WEKA sums it here, to the last bit
    return True, threshold, best_gain, gain_ratio(table, total, best_gain), table
