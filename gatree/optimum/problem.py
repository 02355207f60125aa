"""The input of the exact solver: coded instances, tests as sets of instances, and the cost of a leaf."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.coding import CodedData
from gatree.kernels.words import WORD

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

IMPOSSIBLE = 2**62
"""The cost of a branch without a valid tree, because a leaf would be too small."""

MOST_THRESHOLDS = 256
"""Up to this mean number of tests per attribute, sets of bits are faster than sorted instances."""

_TARGET_BITS = 62


class OptimumProblem(NamedTuple):
    """A data set.

    The cost of a leaf is the weight of its misclassified instances or, for a numeric target, its squared
    error.
    """

    cases: CodedData  # for a numeric target, of a single class
    as_bits: bool  # whether sets are bits instead of sorted instances
    attribute: NDArray[np.int32]  # [test]
    value: NDArray[np.int32]  # [test]
    place: Ints  # [instance]: its bit
    begin: Ints  # [class]: its first word; the last entry is the end of all
    target: Ints  # [instance]: a numeric target; empty for classification
    worth: Ints  # [class]: the cost of an error
    min_leaf: int

    @property
    def has_target(self) -> bool:
        """Whether the target is numeric."""
        return len(self.target) > 0

    def passing(self, test: int) -> NDArray[np.bool_]:
        """Return whether each instance passes a test."""
        attribute, value = self.attribute[test], self.value[test]
        codes = self.cases.codes[attribute]
        return np.asarray(codes <= value if self.cases.is_numeric[attribute] else codes == value)

    def numbers_of(self, members: NDArray[np.bool_]) -> Ints:
        """Return what describes a set: class counts, or the count, sum and squares of a numeric target."""
        if self.has_target:
            target = self.target[members]
            return np.array([len(target), target.sum(), (target**2).sum()], dtype=np.int64)
        return np.bincount(self.cases.classes[members], minlength=len(self.worth)).astype(np.int64)

    def weight_and_cost(self, numbers: Ints) -> tuple[int, int]:
        """Return the weight of a set, which bounds the cost of its errors, and its cost as a leaf."""
        if self.has_target:
            n, total, squares = numbers.tolist()
            return 0, squares - int(float(total) * float(total) / n) if n > 0 else 0
        weights = numbers * self.worth
        return int(weights.sum()), int(weights.sum() - weights.max(initial=0))


def problem_of(
    cases: CodedData, worth: Ints, min_leaf: int, target: NDArray[np.float64] | None = None
) -> OptimumProblem:
    """Return a data set for the solver; with a target, its classes are ignored."""
    if target is not None:
        cases = cases._replace(classes=np.zeros_like(cases.classes))
    begin, place = _places(cases.classes, len(worth))
    attribute = np.repeat(np.arange(len(cases.n_tests), dtype=np.int32), cases.n_tests)
    firsts = np.cumsum(cases.n_tests) - cases.n_tests
    return OptimumProblem(
        cases=cases,
        as_bits=suits_bits(cases, target is not None),
        attribute=attribute,
        value=(np.arange(len(attribute)) - firsts[attribute]).astype(np.int32),
        place=place,
        begin=begin,
        target=np.empty(0, dtype=np.int64) if target is None else _as_integers(target),
        worth=worth,
        min_leaf=max(1, min_leaf),
    )


def suits_bits(cases: CodedData, has_target: bool) -> bool:
    """Return whether sets of bits are faster than sorted instances."""
    return not has_target and int(cases.n_tests.sum()) <= MOST_THRESHOLDS * len(cases.n_tests)


def _places(classes: NDArray[np.integer], n_classes: int) -> tuple[Ints, Ints]:
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
    """Return a set of instances as bits."""
    flags = np.zeros(n_words * WORD, dtype=np.bool_)
    flags[place] = members
    return np.packbits(flags, bitorder="little").view(np.uint64)
