"""What a search optimises: what an instance adds to a node, and what a node is worth.

This is the only difference between classes and numbers. A leaf of a classification tree is worth its correct
instances and, to break ties, their purity. A leaf of a regression tree is worth the squared error that its
mean explains. Both are integers, so they do not depend on the order of a sum.

Rows that are equal in all codes and in the class or the number are one instance, which counts as many times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.coding import CodedData
from gatree.trees.genome import LEAF

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Gains = NDArray[np.int64]
Directions = NDArray[np.int8]

CORRECT_UNIT = 2**21
"""The score of a correct unit of weight: more than the purity of all, which only breaks ties."""

PURITY_UNIT = 2.0**20

DEEPEST = 1023
"""The maximum depth of a node: a tree of a front has at most this number of tests."""

_UNITS, _MOST_WEIGHT = 16, 2**22  # maximum weight, per instance and in total, when trees are grown
_MOST_STAKE = 2**40  # of all instances
_MOST_BITS, _BITS_OF_SUMS = 52, 60


class Scale(NamedTuple):
    """The values behind the codes of numeric attributes, for kernels."""

    first: NDArray[np.int64]  # [attribute]: where its codes begin
    smallest: NDArray[np.float64]  # [code]: the smallest value that has it, or a higher one if none does
    largest: NDArray[np.float64]  # [code]: the largest value with this code
    is_date: NDArray[np.bool_]  # [attribute]


class TreeLimits(NamedTuple):
    """Constraints on a tree, for kernels."""

    max_depth: int = DEEPEST
    min_leaf: int = 1  # samples in a leaf
    min_split: int = 2  # samples that reach a test
    directions: NDArray[np.int8] = np.zeros(0, dtype=np.int8)  # [attribute]: 1 the class only rises, -1 falls
    first: int = LEAF  # the attribute that the root tests; LEAF for any

    @property
    def are_default(self) -> bool:
        """Whether nothing but the size of a leaf is limited."""
        others = self.max_depth, self.min_split, self.first
        return others == (DEEPEST, 2, LEAF) and len(self.directions) == 0


class Task(NamedTuple):
    """The instances of a search and its criterion, for kernels."""

    are_classes: bool  # that are predicted, not numbers
    cases: CodedData  # for numbers, of a single class
    counts: Longs  # [instance]: its samples
    stakes: Longs  # [instance]: its weight in the score; of all its samples together
    growth: Longs  # [instance]: its weight when trees are grown
    target: Longs  # [instance]: its number; empty for classes
    gain: Gains  # [class, label]: gain from giving a label to a sample; empty without costs
    unit: float  # of the purity, or of what a leaf explains
    error_unit: float  # of the difference between two squared errors of an instance
    limits: TreeLimits
    all_equal: bool  # whether every instance is one sample, of weight one
    is_limited: bool  # whether an offspring may have to be pruned to be allowed


@dataclass(frozen=True)
class DistinctRows:
    """The distinct rows of a data set, and what they count."""

    cases: CodedData
    weight: Longs  # [row]: its samples
    scale: Scale
    order: NDArray[np.intp]  # [attribute]: its position in the data set
    limits: TreeLimits
    worth: Longs  # [class]: weight of a correct sample; with costs, weight in the purity
    gain: Gains
    target: Longs | None = None  # [row]: an integer; None for classes
    per_sample: int = 1  # what a sample of weight one has in `weight`

    @property
    def are_classes(self) -> bool:
        return self.target is None

    @property
    def class_weight(self) -> tuple[int, ...] | None:
        """The weight of a correct sample of each class, if they differ."""
        is_equal = len(self.gain) > 0 or self.worth.min() == self.worth.max()
        return None if is_equal else tuple(self.worth.tolist())

    @property
    def stakes(self) -> Longs:
        """The maximum gain from a sample of each class."""
        return self.gain.max(axis=1) if len(self.gain) else self.worth

    @property
    def total_stake(self) -> int:
        """The gain from all samples if every one is classified correctly; for numbers their number."""
        return int((self.weight * self.stakes[self.cases.classes]).sum())

    @property
    def mean_stake(self) -> float:
        """The unit of a sample's error: 1 for numbers."""
        return self.total_stake / float(self.weight.sum()) if self.are_classes else 1.0

    def with_weights(self, weight: Longs) -> DistinctRows:
        """Return the rows that still count, with other weights."""
        kept = np.flatnonzero(weight)
        return replace(
            self,
            cases=part_of(self.cases, weight > 0),
            weight=weight[kept],
            target=None if self.target is None else self.target[kept],
        )


def part_of(cases: CodedData, chosen: NDArray[np.bool_]) -> CodedData:
    """Return some of the instances, in the same order; their sorted rows are picked out."""
    place = (np.cumsum(chosen) - 1).astype(np.int32)
    n = np.count_nonzero(chosen) if cases.order.shape[1] else 0  # rows that are not sorted stay so
    order = np.empty((len(cases.order), n), dtype=np.int32)
    for ours, everything in zip(order, cases.order, strict=True):
        ours[:] = place[everything[chosen[everything]]]
    codes = np.ascontiguousarray(cases.codes[:, chosen])  # another layout would compile all kernels again
    return cases._replace(codes=codes, classes=cases.classes[chosen], order=order)


def task_of(rows: DistinctRows) -> Task:
    """Return the input of a search."""
    cases, weight, is_single = rows.cases, rows.weight, bool((rows.weight == 1).all())
    stakes, growth, target = weight, weight, np.zeros(0, dtype=np.int64)
    if rows.target is None:
        stakes = weight * rows.worth[cases.classes]
        growth = weights_to_grow(stakes)
        unit, error_unit = PURITY_UNIT / max(1, int(stakes.sum())), 1.0
    else:
        numbers = rows.target.astype(np.float64)
        widest = max(1.0, float(numbers.max(initial=0.0)) - float(numbers.min(initial=0.0)))
        target = rows.target
        unit = _unit(math.fsum(weight * numbers**2))
        error_unit = _unit(float(weight.sum()) * widest**2)
    return Task(
        are_classes=rows.are_classes,
        cases=cases,
        counts=weight,
        stakes=stakes,
        growth=growth,
        target=target,
        gain=rows.gain,
        unit=unit,
        error_unit=error_unit,
        limits=rows.limits,
        all_equal=is_single and bool((growth == 1).all()),
        is_limited=not rows.limits.are_default,
    )


def weights_to_grow(stake: Longs) -> Longs:
    """Return the weight of every instance when trees are grown.

    It is the instance's stake in units that are large enough for a table of the terms of all weights. If
    necessary it is rounded to a sixteenth of the mean; it is at least one.
    """
    n = len(stake)
    reduced = stake // max(1, int(np.gcd.reduce(stake)))
    total, most = int(reduced.sum()), max(n, min(_UNITS * n, _MOST_WEIGHT))
    if total > most:
        reduced = np.rint(reduced * (most / total)).astype(np.int64)
    return np.maximum(1, reduced)


def worth_within(worth: Longs, classes: NDArray[np.integer], weight: Longs) -> Longs:
    """Return class weights that are small enough for exact scores; they are rounded if necessary."""
    total = float(worth[classes].astype(np.float64) @ weight)
    if total <= _MOST_STAKE:
        return worth
    return np.asarray(np.maximum(worth > 0, np.rint(worth * (_MOST_STAKE / total))), dtype=np.int64)


def worth_of_costs(gain: Gains) -> Longs:
    """Return the weight of a sample of each class in the purity: the sum of the costs of its wrong labels."""
    return np.asarray((gain.max(axis=1, keepdims=True) - gain).sum(axis=1), dtype=np.int64)


def integers(target: Floats, weight: Longs) -> Longs:
    """Return numbers as integers: their differences from the centre, in units that allow exact sums.

    The centre is the middle of the two median numbers. The unit is a power of two: all samples together have
    60 bits, and each at most 52. With 1,000 samples each has 50. One outlier that is a million times as far
    from the centre as the others leaves them 30 bits. The sign is chosen so that a target and its negative
    give the same integers.
    """
    scaled = np.ldexp(target, -math.frexp(float(np.abs(target).max()) or 1.0)[1])
    increasing = np.sort(scaled)
    centred = scaled - (increasing[(len(target) - 1) // 2] / 2 + increasing[len(target) // 2] / 2)
    largest = float(np.abs(centred).max())
    if largest == 0:
        return np.zeros(len(target), dtype=np.int64)
    bits = min(_MOST_BITS, _BITS_OF_SUMS - math.ceil(math.log2(float(weight.sum()))))
    found = np.asarray(np.rint(np.ldexp(centred, bits - math.frexp(largest)[1])), dtype=np.int64)
    one, other = np.sort(found), np.sort(-found)
    differ = np.flatnonzero(one != other)
    return -found if len(differ) and one[differ[0]] < other[differ[0]] else found


def _unit(total: float) -> float:
    """Return the power of two by which a total is scaled to at most 60 bits."""
    return math.ldexp(1.0, _BITS_OF_SUMS - math.frexp(max(1.0, total))[1])
