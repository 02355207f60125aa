"""Convert the target to integers, so that what a leaf explains does not depend on the order of sums.

A number becomes its difference from the median in units of a power of two, with the number of bits that exact
sums allow (60 for all samples together, at most 52 each): with 1,000 samples each has 50. One outlier that is
a million times as far from the median as the others leaves them 30 bits.

What a leaf explains is an integer, too. For squared errors it is the square of its sum divided by its size,
rounded down in units of which all samples explain about 2**60. For absolute errors it is a difference of
exact sums. So the score of a tree does not depend on the order of the computation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.trees.genome import LEAF

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

_MOST_BITS, _BITS_OF_SUMS = 52, 60


class Numbers(NamedTuple):
    """Coded instances in increasing order of the target, for kernels."""

    cases: Cases  # of a single class
    target: Longs  # [instance], increasing
    absolute: bool  # whether errors are absolute instead of squared
    min_leaf: int
    max_depth: int
    first: int  # the attribute that the root tests; LEAF for any
    score_unit: float  # of what a leaf explains, for squared errors
    error_unit: float  # of the difference between two errors of an instance, for squared errors


def integers(target: Floats) -> Longs:
    """Return increasing numbers as integers: their differences from the median in small units."""
    centred = target - target[len(target) // 2]
    largest = float(np.abs(centred).max())
    if largest == 0:
        return np.zeros(len(target), dtype=np.int64)
    bits = min(_MOST_BITS, _BITS_OF_SUMS - math.ceil(math.log2(len(target))))
    exponent = math.frexp(largest)[1] - bits
    return np.asarray(np.rint(np.ldexp(centred, -exponent)), dtype=np.int64)


def numbers_of(
    cases: Cases, target: Longs, absolute: bool, min_leaf: int, max_depth: int, first: int = LEAF
) -> Numbers:
    """Return the kernels' input: instances in increasing order of an integer target."""
    widest = max(1.0, float(target[-1]) - float(target[0]))
    return Numbers(
        cases=cases,
        target=target,
        absolute=absolute,
        min_leaf=max(1, min_leaf),
        max_depth=max_depth,
        first=first,
        score_unit=_unit(math.fsum(target.astype(np.float64) ** 2)),
        error_unit=_unit(len(target) * widest**2),
    )


def _unit(total: float) -> float:
    """Return the power of two by which a total is scaled to at most 60 bits."""
    return math.ldexp(1.0, _BITS_OF_SUMS - math.frexp(max(1.0, total))[1])
