"""The input of the exact solver: coded instances, tests as sets of instances, and the cost of a tree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.kernels.decorators import inlined
from gatree.kernels.words import WORD

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

IMPOSSIBLE = 2**62
"""The cost of a branch without a valid tree, because a leaf would be too small."""

_MOST_THRESHOLDS = 256
"""Up to this mean number of tests per attribute, sets of bits are faster than sorted instances."""

_TARGET_BITS = 62


class Problem(NamedTuple):
    """A data set, for kernels.

    The cost of a leaf is the weight of its misclassified instances or, for a numeric target, its squared
    error.
    """

    codes: NDArray[np.int32]  # [attribute, instance]
    n_tests: NDArray[np.int32]  # [attribute]
    is_numeric: NDArray[np.bool_]  # [attribute]
    order: NDArray[np.int32]  # [attribute, rank]: instances by increasing code; empty if sets are bits
    rows: Words  # [test, word]: instances that pass; empty if instances are sorted
    attribute: NDArray[np.int32]  # [test]
    value: NDArray[np.int32]  # [test]
    place: Ints  # [instance]: its bit
    begin: Ints  # [class]: its first word; the last entry is the end of all
    classes: NDArray[np.int32]  # [instance]
    target: Ints  # [instance]: a numeric target; empty for classification
    worth: Ints  # [class]: the cost of an error
    min_leaf: int


def problem_of(
    cases: Cases, worth: Ints, min_leaf: int, target: NDArray[np.float64] | None = None
) -> Problem:
    """Return a data set for the solver; with a target, its classes are ignored."""
    classes = cases.classes if target is None else np.zeros_like(cases.classes)
    begin, place = _places(classes, len(worth))
    attribute = np.repeat(np.arange(len(cases.n_tests), dtype=np.int32), cases.n_tests)
    firsts = np.cumsum(cases.n_tests) - cases.n_tests
    value = (np.arange(len(attribute)) - firsts[attribute]).astype(np.int32)
    as_bits = target is None and len(attribute) <= _MOST_THRESHOLDS * len(cases.n_tests)
    rows = np.zeros((len(attribute) if as_bits else 0, int(begin[-1])), dtype=np.uint64)
    for own in range(len(firsts) if as_bits else 0):
        codes, values = cases.codes[own], np.arange(cases.n_tests[own])[:, np.newaxis]
        passing = codes <= values if cases.is_numeric[own] else codes == values
        rows[firsts[own] : firsts[own] + len(values)] = packed(passing, place, rows.shape[1])
    return Problem(
        codes=cases.codes,
        n_tests=cases.n_tests,
        is_numeric=cases.is_numeric,
        order=cases.order[:, : 0 if as_bits else None],
        rows=rows,
        attribute=attribute,
        value=value,
        place=place,
        begin=begin,
        classes=classes,
        target=np.empty(0, dtype=np.int64) if target is None else _as_integers(target),
        worth=worth,
        min_leaf=max(1, min_leaf),
    )


def _places(classes: NDArray[np.int32], n_classes: int) -> tuple[Ints, Ints]:
    """Return where each class's words begin, and the bit of every instance."""
    counts = np.bincount(classes, minlength=n_classes)
    begin = np.concatenate(([0], np.cumsum(-(-counts // WORD)))).astype(np.int64)
    place = np.empty(len(classes), dtype=np.int64)
    for label in range(n_classes):
        place[classes == label] = begin[label] * WORD + np.arange(counts[label])
    return begin, place


def _as_integers(target: NDArray[np.float64]) -> Ints:
    """Return a target, centred on its mean, in the smallest units whose sum of squares fits a word."""
    centered = target - target.mean()
    widest = float(np.abs(centered).max(initial=0.0))
    scale = 2.0 ** ((_TARGET_BITS - np.log2(len(target))) / 2 - 1) / widest if widest > 0 else 0.0
    return np.asarray(np.rint(centered * scale), dtype=np.int64)


def packed(members: NDArray[np.bool_], place: Ints, n_words: int) -> Words:
    """Return sets of instances as bits."""
    flags = np.zeros((*members.shape[:-1], n_words * WORD), dtype=np.bool_)
    flags[..., place] = members
    return np.packbits(flags, axis=-1, bitorder="little").view(np.uint64)


def n_columns(problem: Problem) -> int:
    """Return how many numbers describe a set: class counts, or the count, sum and squares of a target."""
    return 3 if len(problem.target) else len(problem.worth)


def numbers_of(problem: Problem, members: NDArray[np.bool_]) -> Ints:
    """Return the numbers that describe a set."""
    if len(problem.target):
        target = problem.target[members]
        return np.array([len(target), target.sum(), (target**2).sum()], dtype=np.int64)
    return np.bincount(problem.classes[members], minlength=len(problem.worth)).astype(np.int64)


@inlined
def count_of(problem: Problem, numbers: Any) -> int:
    """Return the number of instances of a set."""
    if len(problem.target):
        return int(numbers[0])
    total = 0
    for label in range(len(problem.worth)):
        total += numbers[label]
    return total


@inlined
def weight_of(problem: Problem, numbers: Any) -> int:
    """Return the weight of a set, which bounds the cost of its errors; zero for a numeric target."""
    total = 0
    if len(problem.target) == 0:
        for label in range(len(problem.worth)):
            total += numbers[label] * problem.worth[label]
    return total


@inlined
def leaf_cost(problem: Problem, numbers: Any) -> int:
    """Return the cost of a set as a leaf."""
    if len(problem.target):
        if numbers[0] == 0:
            return 0
        total = float(numbers[1])
        return int(numbers[2] - int(total * total / numbers[0]))
    total_weight, most = 0, 0
    for label in range(len(problem.worth)):
        weight = numbers[label] * problem.worth[label]
        total_weight += weight
        most = max(most, weight)
    return total_weight - most


@inlined
def in_bits(problem: Problem) -> bool:
    """Return whether sets are bits instead of sorted instances."""
    return bool(problem.order.shape[1] == 0)


@inlined
def spares_weight(problem: Problem) -> bool:
    """Return whether removing instances saves at most their weight."""
    return problem.min_leaf == 1 and len(problem.target) == 0
