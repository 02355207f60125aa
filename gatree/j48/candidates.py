"""Find the best test of every attribute at a node, and the best of these.

Only tests of at least average gain compete (the gain ratio alone would favour unbalanced splits).

To find the best threshold of a numeric attribute, the instances are sorted by value, and every cut between
two values with enough instances on both sides competes. The gain of the best cut is then reduced by the
logarithm of the number of cuts, per instance (the MDL correction of C4.5 release 8). If the test is selected,
its threshold moves down to a value that occurs in the training data.

The sort is WEKA's quicksort. It is not stable, and the last bit of a sum of fractional weights depends on the
order of equal keys.
"""

from __future__ import annotations

import math

from gatree.j48.estimates import NO_TEST, SplitLimits, class_entropy, gain_given, gain_ratio
from gatree.j48.problem import IS_NUMERIC, Cells, SplitSearch
from gatree.j48.tables import (
    EVERY_VALUE,
    Classes,
    Floats,
    Ints,
    Sample,
    add,
    add_known,
    at_least,
    clear,
    greater,
)
from gatree.kernels.decorators import U, lean


@lean
def _swap(sample: Sample, i: int, j: int) -> None:
    one, other = sample[U(i)], sample[U(j)]
    row, weight, key = one["row"], one["weight"], one["key"]
    one["row"], one["weight"], one["key"] = other["row"], other["weight"], other["key"]
    other["row"], other["weight"], other["key"] = row, weight, key


@lean
def _order(sample: Sample, i: int, j: int) -> None:
    if sample[U(i)]["key"] > sample[U(j)]["key"]:
        _swap(sample, i, j)


@lean
def _partition(sample: Sample, left: int, right: int) -> int:
    """Partition around the median of the first, middle and last key; return the position of the pivot."""
    middle = (left + right) // 2
    _order(sample, left, middle)
    _order(sample, left, right)
    _order(sample, middle, right)
    if right - left <= 2:
        return middle
    _swap(sample, middle, right - 1)
    pivot = sample[U(right - 1)]["key"]
    low, high = left + 1, right - 2
    while True:
        while sample[U(low)]["key"] < pivot:
            low += 1
        while sample[U(high)]["key"] > pivot:
            high -= 1
        if low >= high:
            break
        _swap(sample, low, high)
        low, high = low + 1, high - 1
    _swap(sample, low, right - 1)
    return low


@lean
def sort_known(sample: Sample, column: Floats, unsorted: Ints) -> int:
    """Sort in place by a column, missing values last as infinity; return the number of known values."""
    n_known = 0
    for i in range(len(sample)):
        value = column[U(sample[U(i)]["row"])]
        sample[U(i)]["key"] = math.inf if math.isnan(value) else value
        n_known += not math.isnan(value)
    left, right, n_unsorted = 0, len(sample) - 1, 0
    while True:
        if left < right:
            middle = _partition(sample, left, right)
            if middle - left < right - middle:
                unsorted[n_unsorted], unsorted[n_unsorted + 1] = middle + 1, right
                right = middle - 1
            else:
                unsorted[n_unsorted], unsorted[n_unsorted + 1] = left, middle - 1
                left = middle + 1
            n_unsorted += 2
        elif n_unsorted == 0:
            return n_known
        else:
            n_unsorted -= 2
            left, right = unsorted[n_unsorted], unsorted[n_unsorted + 1]


# Numbers closer than this count as one value in the search.
_SAME_VALUE = 1e-5


@lean
def best_threshold(
    column: Floats,
    classes: Classes,
    sample: Sample,
    limits: SplitLimits,
    known: Floats,
    unsorted: Ints,
    table: Floats,
) -> tuple[float, float]:
    """Return the best threshold and its gain, `NO_TEST` if there is none; fill in its table.

    The sample is sorted in place.
    """
    n_known = sort_known(sample, column, unsorted)
    end, gain = _best_cut(sample[:n_known], classes, limits, known, table)
    clear(table)
    if at_least(0.0, gain):
        return math.nan, NO_TEST
    for i in range(n_known):
        add(table, 0 if i < end else 1, classes[U(sample[U(i)]["row"])], sample[U(i)]["weight"])
    table[-1, -1] = table[0, -1] + table[1, -1]  # WEKA's order of addition, to the last bit
    below, above = sample[end - 1]["key"], sample[end]["key"]
    threshold = (above + below) / 2
    return (below if threshold == above else threshold), gain  # the mean of adjacent floats is rounded


@lean
def _best_cut(
    sample: Sample, classes: Classes, limits: SplitLimits, known: Floats, table: Floats
) -> tuple[int, float]:
    """Return the number of instances below the best cut, and its corrected gain (zero: no cut)."""
    last = table.shape[1] - 1
    clear(table)
    for i in range(len(sample)):
        add(table, 1, classes[U(sample[U(i)]["row"])], sample[U(i)]["weight"])
    fewest = 0.1 * table[-1, -1] / last  # C4.5's minimum here: a tenth of the mean class, at most 25
    fewest = limits.least if at_least(limits.least, fewest) else min(fewest, 25.0)
    if greater(2 * fewest, len(sample)):
        return 0, 0.0
    entropy_before = class_entropy(table, known)
    best_end, best_gain, n_cuts = 0, 0.0, 0
    for end in range(1, len(sample)):
        moving = sample[U(end - 1)]
        label, weight = classes[U(moving["row"])], moving["weight"]
        table[1, U(label)] -= weight
        table[1, U(last)] -= weight
        table[0, U(label)] += weight
        table[0, U(last)] += weight
        between_values = moving["key"] + _SAME_VALUE < sample[U(end)]["key"]
        if between_values and at_least(table[0, U(last)], fewest) and at_least(table[1, U(last)], fewest):
            n_cuts += 1
            gain = gain_given(table, limits.total, entropy_before, known)
            if greater(gain, best_gain):
                best_end, best_gain = end, gain
    if n_cuts == 0:
        return 0, 0.0
    return best_end, best_gain - math.log2(n_cuts) / limits.total


@lean
def occurring_threshold(column: Floats, threshold: float) -> float:
    """Return the largest value in the training data that is not above the threshold."""
    largest = -1.7976931348623157e308
    for i in range(len(column)):
        value = column[U(i)]
        if greater(value, largest) and at_least(threshold, value):
            largest = value
    return largest


# A test competes if its gain is at most this far below the average, as in C4.5.
_BELOW_AVERAGE = 1e-3


@lean
def best_attribute(
    cells: Cells,
    sample: Sample,
    limits: SplitLimits,
    binary: bool,
    search: SplitSearch,
    by_value: Floats,
    unsorted: Ints | None,
) -> int:
    """Return the attribute with the best test for a sample, or -1 if there is none.

    If `unsorted` is None, all attributes are nominal, and the search for thresholds is not compiled.
    """
    classes, known = cells.classes, search.known
    for attribute in range(len(cells.values)):
        column, candidate = cells.values[attribute], search.candidates[attribute]
        table, n_values = search.tables[candidate["first"] : candidate["stop"]], candidate["n_values"]
        candidate["threshold"] = math.nan
        if unsorted is not None and n_values == IS_NUMERIC:
            threshold, gain = best_threshold(column, classes, sample, limits, known, unsorted, table)
            candidate["threshold"], candidate["gain"] = threshold, gain
            continue
        counted = by_value[: n_values + 1] if binary else table
        clear(counted)
        add_known(counted, column, classes, sample, EVERY_VALUE, math.nan)
        if binary:
            candidate["threshold"], candidate["gain"] = best_value(counted, limits, known, table)
        else:
            candidate["gain"] = gain_if_allowed(table, limits, known)
    # The largest gain ratio wins, among those of at least about average gain.
    gains, n_counted = 0.0, 0
    for attribute in range(len(search.candidates)):
        candidate = search.candidates[attribute]
        if candidate["is_counted"] and candidate["gain"] != NO_TEST:
            gains += candidate["gain"]
            n_counted += 1
    best, largest = -1, 0.0
    for attribute in range(len(search.candidates) if n_counted > 0 else 0):
        candidate = search.candidates[attribute]
        if candidate["gain"] >= gains / n_counted - _BELOW_AVERAGE:
            table = search.tables[candidate["first"] : candidate["stop"]]
            ratio = gain_ratio(table, limits.total, candidate["gain"], search.known)
            if greater(ratio, largest):
                best, largest = attribute, ratio
    return best


@lean
def gain_if_allowed(table: Floats, limits: SplitLimits, known: Floats) -> float:
    """Return the gain of a test, or `NO_TEST` if fewer than two branches have the minimum weight."""
    enough = 0
    for branch in range(len(table) - 1):
        enough += at_least(table[branch, -1], limits.least)
    if enough < 2:
        return NO_TEST
    return gain_given(table, limits.total, class_entropy(table, known), known)


@lean
def set_one_against_rest(merged: Floats, table: Floats, value: int) -> None:
    """Fill in the table of the test "attribute = value"."""
    for label in range(table.shape[1]):
        merged[0, label] = table[value, label]
        merged[1, label] = table[-1, label] - table[value, label]
        merged[2, label] = table[-1, label]


@lean
def best_value(table: Floats, limits: SplitLimits, known: Floats, merged: Floats) -> tuple[float, float]:
    """Return the value with the largest gain ratio and its gain, or `NO_TEST`; fill in its table."""
    best, best_gain, best_ratio = 0, NO_TEST, 0.0
    for value in range(len(table) - 1):
        if not at_least(table[value, -1], limits.least):
            continue
        set_one_against_rest(merged, table, value)
        gain = gain_if_allowed(merged, limits, known)
        if gain == NO_TEST:
            continue
        ratio = gain_ratio(merged, limits.total, gain, known)
        if value == 0 or greater(ratio, best_ratio):
            best, best_gain, best_ratio = value, gain, ratio
        elif best_gain == NO_TEST:  # a test without gain is still a test
            best_gain = 0.0
    set_one_against_rest(merged, table, best)
    return float(best), best_gain
