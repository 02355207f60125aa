"""Weights of instances by branch and class: the contingency tables that J48 reasons with.

A table has a row per branch and a column per class, and one more of each for the margins. The
margins are summed on their own, instance by instance in the order of the data, as WEKA does it:
with fractional weights, ties between classes hang on the last bit of these sums.

Comparisons of weights and gains allow for 1e-6, as everywhere in WEKA.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gatree.jit import inlined, lean, shared

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Classes = NDArray[np.int32]

TOLERANCE = 1e-6

NUMERIC, ONE_VALUE, EVERY_VALUE = 0, 1, 2
"""The kinds of test: ``x <= t``, ``x = value``, and a branch for every value."""


@shared
def greater(a: float, b: float) -> bool:
    """Tell whether ``a`` exceeds ``b`` by more than the tolerance."""
    return a - b > TOLERANCE


@shared
def at_least(a: float, b: float) -> bool:
    """Tell whether ``a`` is not below ``b`` by the tolerance or more."""
    return b - a < TOLERANCE


@shared
def equal(a: float, b: float) -> bool:
    """Tell whether two numbers differ by less than the tolerance."""
    return abs(a - b) < TOLERANCE


@inlined
def branch_of(value: float, kind: int, threshold: float) -> int:
    """Return the branch that a value takes, or -1 if the value is missing."""
    if math.isnan(value):
        return -1
    if kind == EVERY_VALUE:
        return int(value)
    if kind == ONE_VALUE:
        return 0 if value == threshold else 1
    return 0 if at_least(threshold, value) else 1


@inlined
def add(table: Floats, branch: int, label: int, weight: float) -> None:
    """Put one instance into a table and its margins."""
    table[branch, label] += weight
    table[branch, -1] += weight
    table[-1, label] += weight
    table[-1, -1] += weight


@lean
def add_weights(counts: Floats, classes: Classes, rows: Ints, weights: Floats) -> None:
    """Add the weights of instances to those of their classes, and to their sum."""
    for i in range(len(rows)):
        counts[classes[rows[i]]] += weights[i]
        counts[-1] += weights[i]


def class_weights(classes: Classes, rows: Ints, weights: Floats, n_classes: int) -> Floats:
    """Return the weight of every class, and their sum."""
    counts = np.zeros(n_classes + 1)
    add_weights(counts, classes, rows, weights)
    return counts


@lean
def add_known(
    table: Floats,
    column: Floats,
    classes: Classes,
    rows: Ints,
    weights: Floats,
    kind: int,
    threshold: float,
) -> None:
    """Let the instances whose value is known enter their branch."""
    for i in range(len(rows)):
        branch = branch_of(column[rows[i]], kind, threshold)
        if branch >= 0:
            add(table, branch, classes[rows[i]], weights[i])


def tabulate(
    column: Floats,
    classes: Classes,
    rows: Ints,
    weights: Floats,
    kind: int,
    threshold: float,
    n_branches: int,
    n_classes: int,
) -> Floats:
    """Return the table of the instances whose value is known."""
    table = np.zeros((n_branches + 1, n_classes + 1))
    add_known(table, column, classes, rows, weights, kind, threshold)
    return table


@lean
def add_missing(
    table: Floats, column: Floats, classes: Classes, rows: Ints, weights: Floats, shares: Floats
) -> None:
    """Let the instances whose value is missing enter every branch by its share."""
    for i in range(len(rows)):
        if math.isnan(column[rows[i]]):
            label = classes[rows[i]]
            table[-1, label] += weights[i]
            table[-1, -1] += weights[i]
            for branch in range(len(table) - 1):
                part = shares[branch] * weights[i]
                table[branch, label] += part
                table[branch, -1] += part


def shares_of(table: Floats) -> Floats:
    """Return the share of every branch in the weight: where a missing value goes."""
    n_branches = len(table) - 1
    if equal(float(table[-1, -1]), 0.0):
        return np.full(n_branches, 1.0 / n_branches)
    shares: Floats = table[:-1, -1] / table[-1, -1]
    return shares


@shared
def majority(counts: Floats | Sequence[float]) -> int:
    """Return the class of largest weight, the first one among equals."""
    best, largest = 0, 0.0
    for label in range(len(counts) - 1):
        if greater(counts[label], largest):
            best, largest = label, counts[label]
    return best


def n_errors(counts: Floats) -> float:
    """Return the weight outside the majority class."""
    weights: list[float] = counts.tolist()  # of which Python reads the numbers faster than of an array
    return weights[-1] - weights[majority(weights)]


@inlined
def enters(branch: int, taken: int, shares: Floats) -> bool:
    """Tell whether an instance goes down a branch: the one it takes, or if none, all that others take."""
    return taken == branch or (taken < 0 and greater(shares[branch], 0.0))


@lean
def find_starts(
    starts: Ints, column: Floats, rows: Ints, kind: int, threshold: float, shares: Floats
) -> None:
    """Find where branches start, and where the last one ends, if all instances go down theirs."""
    for i in range(len(rows)):
        taken = branch_of(column[rows[i]], kind, threshold)
        for branch in range(len(shares)):
            if enters(branch, taken, shares):
                starts[branch + 1] += 1
    for branch in range(len(shares)):
        starts[branch + 1] += starts[branch]


@lean
def send(
    ends: Ints,
    new_rows: Ints,
    new_weights: Floats,
    column: Floats,
    rows: Ints,
    weights: Floats,
    kind: int,
    threshold: float,
    shares: Floats,
) -> None:
    """Send instances down their branches, each to where its branch ends so far."""
    for i in range(len(rows)):
        taken = branch_of(column[rows[i]], kind, threshold)
        for branch in range(len(shares)):
            if enters(branch, taken, shares):
                new_rows[ends[branch]] = rows[i]
                new_weights[ends[branch]] = weights[i] if taken >= 0 else shares[branch] * weights[i]
                ends[branch] += 1


def spread(
    column: Floats, rows: Ints, weights: Floats, kind: int, threshold: float, shares: Floats
) -> tuple[Ints, Ints, Floats]:
    """Send every instance down its branch, one with a missing value down all of them in parts.

    Returns where the branches start in the two arrays that follow: the rows, branch after branch,
    and their weights.
    """
    starts = np.zeros(len(shares) + 1, dtype=np.intp)
    find_starts(starts, column, rows, kind, threshold, shares)
    new_rows, new_weights = np.empty(starts[-1], dtype=np.intp), np.empty(starts[-1])
    send(starts[:-1].copy(), new_rows, new_weights, column, rows, weights, kind, threshold, shares)
    return starts, new_rows, new_weights
