"""The best test of every attribute at a node, and the best of these.

Only tests of at least average gain compete (a ratio alone would favour lopsided splits).
"""

from __future__ import annotations

import math

from gatree.j48.gain import NO_TEST, Limits, gain_ratio, info_gain
from gatree.j48.problem import IS_NUMERIC, Cells, Search
from gatree.j48.tables import (
    EVERY_VALUE,
    NUMERIC,
    ONE_VALUE,
    Floats,
    Ints,
    Sample,
    add_known,
    at_least,
    clear,
    greater,
)
from gatree.j48.threshold import best_threshold
from gatree.kernels.decorators import lean

# A test competes if its gain is at most this much below the average, as in C4.5.
_BELOW_AVERAGE = 1e-3


@lean
def kind_of(n_values: int, binary: bool) -> int:
    """Return the kind of an attribute's tests."""
    if n_values == IS_NUMERIC:
        return NUMERIC
    return ONE_VALUE if binary else EVERY_VALUE


@lean
def best_attribute(
    cells: Cells,
    sample: Sample,
    limits: Limits,
    binary: bool,
    search: Search,
    by_value: Floats,
    unsorted: Ints | None,
) -> int:
    """Return the attribute with the best test for a sample, or -1 if there is none.

    Without room for unsorted parts all attributes are nominal, and no search for thresholds is compiled.
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
    return best_ratio(limits, search)


@lean
def best_ratio(limits: Limits, search: Search) -> int:
    """Return the attribute of largest gain ratio among those of about average gain or more, or -1."""
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
def gain_if_allowed(table: Floats, limits: Limits, known: Floats) -> float:
    """Return the gain of a test, or `NO_TEST` if less than two branches have the minimum of instances."""
    enough = 0
    for branch in range(len(table) - 1):
        enough += at_least(table[branch, -1], limits.least)
    if enough < 2:
        return NO_TEST
    return info_gain(table, limits.total, known)


@lean
def set_one_against_rest(merged: Floats, table: Floats, value: int) -> None:
    """Fill in the table of the test "attribute = value"."""
    for label in range(table.shape[1]):
        merged[0, label] = table[value, label]
        merged[1, label] = table[-1, label] - table[value, label]
        merged[2, label] = table[-1, label]


@lean
def best_value(table: Floats, limits: Limits, known: Floats, merged: Floats) -> tuple[float, float]:
    """Return the value of largest gain ratio and its gain, `NO_TEST` if none will do; fill in its table."""
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
        elif best_gain == NO_TEST:  # a test that gains nothing is a test all the same
            best_gain = 0.0
    set_one_against_rest(merged, table, best)
    return float(best), best_gain
