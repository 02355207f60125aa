"""Contingency tables: the weights of instances by branch and class.

A table has a row per branch and a column per class, and one more of each for the margins. The margins are
summed separately, instance by instance in the order of the data, as in WEKA: with fractional weights, ties
between classes depend on the last bit of these sums.

Comparisons of weights and gains have a tolerance of 1e-6, as everywhere in WEKA.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import U, lean

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Classes = NDArray[np.int32]

TOLERANCE = 1e-6

NUMERIC, ONE_VALUE, EVERY_VALUE = 0, 1, 2
"""The kinds of test: ``x <= t``, ``x = value``, and a branch for every value."""


INSTANCE = np.dtype([("row", np.intp), ("weight", np.float64), ("key", np.float64)], align=True)
"""An instance of a sample, with its sort key."""
Sample = NDArray[np.void]
"""Instances with weights. The search for numeric splits reorders them in place, as in WEKA."""

BRANCH = np.dtype([("share", np.float64), ("end", np.intp)], align=True)
"""A branch of the current test: its share of a missing value, and the end of its sample in the pool."""
Branches = NDArray[np.void]


@lean
def greater(a: float, b: float) -> bool:
    """Return whether ``a`` exceeds ``b`` by more than the tolerance."""
    return a - b > TOLERANCE


@lean
def at_least(a: float, b: float) -> bool:
    """Return whether ``a`` is above ``b``, or below it by less than the tolerance."""
    return b - a < TOLERANCE


@lean
def equal(a: float, b: float) -> bool:
    """Return whether two numbers differ by less than the tolerance."""
    return abs(a - b) < TOLERANCE


@lean
def branch_of(value: float, kind: int, threshold: float) -> int:
    """Return the branch that a value takes, or -1 if the value is missing."""
    if math.isnan(value):
        return -1
    if kind == EVERY_VALUE:
        return int(value)
    if kind == ONE_VALUE:
        return 0 if value == threshold else 1
    return 0 if at_least(threshold, value) else 1


@lean
def clear(table: Floats) -> None:
    """Set a table to zero."""
    for branch in range(len(table)):
        for label in range(table.shape[1]):
            table[U(branch), U(label)] = 0.0


@lean
def add(table: Floats, branch: int, label: int, weight: float) -> None:
    """Add one instance to a table and its margins."""
    margin, total = len(table) - 1, table.shape[1] - 1
    table[U(branch), U(label)] += weight
    table[U(branch), U(total)] += weight
    table[U(margin), U(label)] += weight
    table[U(margin), U(total)] += weight


@lean
def weigh(counts: Floats, classes: Classes, sample: Sample) -> None:
    """Compute the weight of every class in a sample, and the sum."""
    for label in range(len(counts)):
        counts[label] = 0.0
    for i in range(len(sample)):
        weight = sample[U(i)]["weight"]
        counts[U(classes[U(sample[U(i)]["row"])])] += weight
        counts[-1] += weight


@lean
def add_known(
    table: Floats, column: Floats, classes: Classes, sample: Sample, kind: int, threshold: float
) -> None:
    """Add the instances with a known value to their branches."""
    for i in range(len(sample)):
        row = U(sample[U(i)]["row"])
        branch = branch_of(column[row], kind, threshold)
        if branch >= 0:
            add(table, branch, classes[row], sample[U(i)]["weight"])


@lean
def add_missing(table: Floats, column: Floats, classes: Classes, sample: Sample, branches: Branches) -> None:
    """Add the instances with a missing value to every branch, weighted by its share."""
    for i in range(len(sample)):
        row = U(sample[U(i)]["row"])
        if math.isnan(column[row]):
            label, weight = classes[row], sample[U(i)]["weight"]
            table[-1, label] += weight
            table[-1, -1] += weight
            for branch in range(len(table) - 1):
                part = branches[branch]["share"] * weight
                table[branch, label] += part
                table[branch, -1] += part


@lean
def fill_shares(branches: Branches, table: Floats, total: float) -> None:
    """Compute the share of every branch in the weight, by which missing values are distributed."""
    for branch in range(len(branches)):
        share = 1.0 / len(branches) if equal(total, 0.0) else table[branch, -1] / total
        branches[branch]["share"] = share


@lean
def majority(counts: Floats) -> int:
    """Return the class with the largest weight, the first one among equals."""
    best, largest = 0, 0.0
    for label in range(len(counts) - 1):
        if greater(counts[label], largest):
            best, largest = label, counts[label]
    return best


@lean
def n_errors(counts: Floats) -> float:
    """Return the weight outside the majority class."""
    return float(counts[-1] - counts[majority(counts)])
