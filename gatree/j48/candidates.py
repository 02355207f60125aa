"""The best test of every attribute at a node, and the best of these: all in one call.

Only tests of at least average gain compete (a ratio alone would favour lopsided splits).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.j48.gain import gain_ratio, info_gain
from gatree.j48.problem import IS_NUMERIC, J48Problem, Sample
from gatree.j48.tables import (
    EVERY_VALUE,
    NUMERIC,
    ONE_VALUE,
    TOLERANCE,
    Floats,
    add_known,
    at_least,
    greater,
)
from gatree.j48.threshold import best_threshold
from gatree.jit import inlined, jit, lean

# A test competes if its gain is at most this much below the average, as in C4.5.
_BELOW_AVERAGE = 1e-3
# A nominal attribute with more values than this share of the instances does not count in the average.
_MANY_VALUES = 0.3


class Candidates(NamedTuple):
    """Room for the best test of every attribute, used again at every node."""

    exists: NDArray[np.bool_]
    kind: NDArray[np.int64]
    threshold: Floats
    gain: Floats
    gain_ratio: Floats
    first: NDArray[np.int64]  # where an attribute's table starts, and behind them the end of the last
    tables: Floats  # one below the other
    by_value: Floats  # a table of an attribute with most values

    @classmethod
    def of(cls, problem: J48Problem, binary_splits: bool) -> Candidates:
        """Return room for the tests of a problem."""
        n = len(problem.n_values)
        n_branches = np.where((problem.n_values == IS_NUMERIC) | binary_splits, 2, problem.n_values)
        first = np.concatenate([[0], np.cumsum(n_branches + 1)]).astype(np.int64)
        width = problem.n_classes + 1
        return cls(
            exists=np.zeros(n, dtype=np.bool_),
            kind=np.zeros(n, dtype=np.int64),
            threshold=np.zeros(n),
            gain=np.zeros(n),
            gain_ratio=np.zeros(n),
            first=first,
            tables=np.zeros((first[-1], width)),
            by_value=np.zeros((problem.n_values.max(initial=0) + 1, width)),
        )

    def table(self, attribute: int) -> Floats:
        """Return a copy of an attribute's table."""
        return self.tables[self.first[attribute] : self.first[attribute + 1]].copy()


@jit
def best_attribute(
    problem: J48Problem, sample: Sample, total: float, least: float, binary: bool, candidates: Candidates
) -> int:
    """Return the attribute with the best test for a sample of some weight, or -1 if there is none."""
    for attribute in range(len(problem.n_values)):
        if problem.n_values[attribute] == IS_NUMERIC:
            try_thresholds(problem, sample, attribute, total, least, candidates)
        else:
            try_values(problem, sample, attribute, total, least, binary, candidates)
    return best_ratio(problem, candidates)


@jit
def best_nominal_attribute(
    problem: J48Problem, sample: Sample, total: float, least: float, binary: bool, candidates: Candidates
) -> int:
    """Do the same where all attributes are nominal, without compiling the search for thresholds."""
    for attribute in range(len(problem.n_values)):
        try_values(problem, sample, attribute, total, least, binary, candidates)
    return best_ratio(problem, candidates)


@jit
def try_thresholds(
    problem: J48Problem, sample: Sample, attribute: int, total: float, least: float, candidates: Candidates
) -> None:
    """Fill in the best test ``x <= t``; the sample is then sorted by the attribute."""
    column, (rows, weights) = problem.values[attribute], sample
    exists, threshold, gain, ratio, table = best_threshold(
        column, problem.classes, rows, weights, problem.n_classes, least, total
    )
    put(candidates, attribute, exists, NUMERIC, threshold, gain, ratio)
    candidates.tables[candidates.first[attribute] : candidates.first[attribute + 1]] = table


@inlined
def try_values(
    problem: J48Problem,
    sample: Sample,
    attribute: int,
    total: float,
    least: float,
    binary: bool,
    candidates: Candidates,
) -> None:
    """Fill in the best test for one value, or the test with a branch for every value."""
    column, (rows, weights) = problem.values[attribute], sample
    table = candidates.tables[candidates.first[attribute] : candidates.first[attribute + 1]]
    by_value = candidates.by_value[: problem.n_values[attribute] + 1] if binary else table
    by_value[:] = 0.0
    add_known(by_value, column, problem.classes, rows, weights, EVERY_VALUE, math.nan)
    if binary:
        exists, value, gain, ratio = best_value(by_value, least, total, table)
        put(candidates, attribute, exists, ONE_VALUE, float(value), gain, ratio)
        return
    exists = enough_on_two_branches(table, least)
    gain = info_gain(table, total) if exists else 0.0
    put(candidates, attribute, exists, EVERY_VALUE, math.nan, gain, gain_ratio(table, total, gain))


@inlined
def put(
    candidates: Candidates,
    attribute: int,
    exists: bool,
    kind: int,
    threshold: float,
    gain: float,
    ratio: float,
) -> None:
    """Note an attribute's best test."""
    candidates.exists[attribute], candidates.kind[attribute] = exists, kind
    candidates.threshold[attribute] = threshold
    candidates.gain[attribute], candidates.gain_ratio[attribute] = gain, ratio


@inlined
def best_ratio(problem: J48Problem, candidates: Candidates) -> int:
    """Return the attribute of largest gain ratio among those of about average gain or more, or -1."""
    limit = _MANY_VALUES * len(problem.classes) - TOLERANCE
    any_has_few_values = False
    for n_values in problem.n_values:
        any_has_few_values |= n_values < limit
    gains, n_counted = 0.0, 0
    for attribute in range(len(problem.n_values)):
        counts = problem.n_values[attribute] < limit or not any_has_few_values
        if candidates.exists[attribute] and counts:
            gains += candidates.gain[attribute]
            n_counted += 1
    best, largest = -1, 0.0
    if n_counted == 0:
        return best
    for attribute in range(len(problem.n_values)):
        competes = candidates.gain[attribute] >= gains / n_counted - _BELOW_AVERAGE
        if candidates.exists[attribute] and competes and greater(candidates.gain_ratio[attribute], largest):
            best, largest = attribute, candidates.gain_ratio[attribute]
    return best


@lean
def enough_on_two_branches(table: Floats, least: float) -> bool:
    """Tell whether two branches or more have the minimum of instances."""
    enough = 0
    for branch in range(len(table) - 1):
        enough += at_least(table[branch, -1], least)
    return enough > 1


@inlined
def set_one_against_rest(merged: Floats, table: Floats, value: int) -> None:
    """Fill in the table of the test "attribute = value"."""
    for label in range(table.shape[1]):
        merged[0, label] = table[value, label]
        merged[1, label] = table[-1, label] - table[value, label]
        merged[2, label] = table[-1, label]


@lean
def best_value(table: Floats, least: float, total: float, merged: Floats) -> tuple[bool, int, float, float]:
    """Return whether a value can be tested for, and the value of largest gain ratio; fill in its table."""
    found, best, best_gain, best_ratio = False, 0, 0.0, 0.0
    for value in range(len(table) - 1):
        if not at_least(table[value, -1], least):
            continue
        set_one_against_rest(merged, table, value)
        if not enough_on_two_branches(merged, least):
            continue
        gain = info_gain(merged, total)
        ratio = gain_ratio(merged, total, gain)
        if value == 0 or greater(ratio, best_ratio):
            best, best_gain, best_ratio = value, gain, ratio
        found = True
    set_one_against_rest(merged, table, best)
    return found, best, best_gain, best_ratio
