"""One test of one attribute: the best that C4.5 finds, and how it divides instances.

A nominal attribute is tested for one value, or gets a branch for every value; a numeric one is
compared with a threshold. Instances whose value is missing go down all branches in parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gatree.j48.gain import gain_ratio, info_gain
from gatree.j48.problem import J48Problem, Sample
from gatree.j48.tables import (
    EVERY_VALUE,
    NUMERIC,
    ONE_VALUE,
    Floats,
    add_missing,
    at_least,
    greater,
    shares_of,
    spread,
    tabulate,
)
from gatree.j48.threshold import best_threshold
from gatree.jit import inlined, lean


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

    def tabulated(self, problem: J48Problem, sample: Sample, shares: Floats | None = None) -> Floats:
        """Return the table of other instances; missing values go by the shares, or by theirs."""
        column = problem.values[self.attribute]
        table = tabulate(
            column, problem.classes, *sample, self.kind, self.threshold, self.n_branches, problem.n_classes
        )
        add_missing(table, column, problem.classes, *sample, shares_of(table) if shares is None else shares)
        return table

    def redistributed(self, problem: J48Problem, sample: Sample) -> Split:
        """Return the same test with the table of other training instances."""
        return replace(self, table=self.tabulated(problem, sample))

    def spread(self, problem: J48Problem, sample: Sample) -> list[Sample]:
        """Return the instances of every branch."""
        column = problem.values[self.attribute]
        starts, rows, weights = spread(column, *sample, self.kind, self.threshold, self.shares)
        return [Sample(rows[start:stop], weights[start:stop]) for start, stop in pairwise(starts)]


def best_split(
    problem: J48Problem, sample: Sample, attribute: int, total: float, min_instances: int, binary: bool
) -> Split | None:
    """Return the best test of one attribute, or None if none leaves enough on two branches."""
    column, n_values = problem.values[attribute], problem.n_values[attribute]
    if n_values is None:
        found, threshold, gain, ratio, table = best_threshold(
            column, problem.classes, *sample, problem.n_classes, float(min_instances), total
        )
        return Split(attribute, NUMERIC, threshold, table, gain, ratio) if found else None
    table = tabulate(column, problem.classes, *sample, EVERY_VALUE, math.nan, n_values, problem.n_classes)
    if binary:
        merged = np.empty((3, table.shape[1]))
        found, value, gain, ratio = best_value(table, float(min_instances), total, merged)
        if not found:
            return None
        return Split(attribute, ONE_VALUE, float(value), merged, gain, ratio)
    if not enough_on_two_branches(table, float(min_instances)):
        return None
    gain = info_gain(table, total)
    return Split(attribute, EVERY_VALUE, math.nan, table, gain, gain_ratio(table, total, gain))


@lean
def enough_on_two_branches(table: Floats, min_instances: float) -> bool:
    """Tell whether two branches or more have the minimum of instances."""
    enough = 0
    for branch in range(len(table) - 1):
        enough += at_least(table[branch, -1], min_instances)
    return enough > 1


@inlined
def set_one_against_rest(merged: Floats, table: Floats, value: int) -> None:
    """Fill in the table of the test "attribute = value"."""
    for label in range(table.shape[1]):
        merged[0, label] = table[value, label]
        merged[1, label] = table[-1, label] - table[value, label]
        merged[2, label] = table[-1, label]


@lean
def best_value(
    table: Floats, min_instances: float, total: float, merged: Floats
) -> tuple[bool, int, float, float]:
    """Return whether a value can be tested for, and the value of largest gain ratio; fill in its table."""
    found, best, best_gain, best_ratio = False, 0, 0.0, 0.0
    for value in range(len(table) - 1):
        if not at_least(table[value, -1], min_instances):
            continue
        set_one_against_rest(merged, table, value)
        if not enough_on_two_branches(merged, min_instances):
            continue
        gain = info_gain(merged, total)
        ratio = gain_ratio(merged, total, gain)
        if value == 0 or greater(ratio, best_ratio):
            best, best_gain, best_ratio = value, gain, ratio
        found = True
    set_one_against_rest(merged, table, best)
    return found, best, best_gain, best_ratio
