"""What contingency tables are worth: the gain of a split, and the estimated errors of a leaf.

The gain is the reduction of the class entropy by the split, in bits. The ratio divides it by the entropy of
the split itself, so that many small branches have no advantage. Instances with a missing value lower the gain
by their share. The estimated errors are the training errors, raised to an upper confidence bound.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from gatree.j48.tables import Floats, equal, greater, n_errors
from gatree.kernels.decorators import U, lean

_MOST_KNOWN = 1 << 14  # logarithms: few enough to stay in the cache

NO_TEST = -math.inf
"""The gain of an attribute that cannot be tested."""


class SplitLimits(NamedTuple):
    """The limits of a search for tests at a node."""

    least: float  # the minimum weight of two branches
    total: float  # the weight that reached the node, missing values included


@cache
def n_log_n_of_integers() -> Floats:
    """Return the lookup table of `_n_log_n`."""
    return np.array([0.0] + [weight * math.log2(weight) for weight in range(1, _MOST_KNOWN)])


@lean
def _n_log_n(weight: float, known: Floats) -> float:
    """Return a weight times its binary logarithm; without missing values all weights are integers."""
    whole = int(weight)
    if whole == weight and whole < len(known):
        return float(known[U(whole)])
    return 0.0 if weight < 1e-6 else weight * math.log2(weight)


@lean
def class_entropy(table: Floats, known: Floats) -> float:
    """Return the class entropy of all instances before the split, in bits."""
    bits = 0.0
    for label in range(table.shape[1] - 1):
        bits += _n_log_n(table[-1, label], known)
    return _n_log_n(table[-1, -1], known) - bits


@lean
def gain_given(table: Floats, total: float, entropy_before: float, known: Floats) -> float:
    """Return the information gain, in bits per instance; `total` includes missing values."""
    counted, bits, margin = table[-1, -1], 0.0, table.shape[1] - 1
    for branch in range(len(table) - 1):
        for label in range(margin):
            bits += _n_log_n(table[U(branch), U(label)], known)
        bits -= _n_log_n(table[U(branch), U(margin)], known)
    entropy_after = -bits
    gained = counted / total * (entropy_before - entropy_after)
    return 0.0 if equal(gained, 0.0) else gained / counted


@lean
def gain_ratio(table: Floats, total: float, gain: float, known: Floats) -> float:
    """Return the gain divided by the entropy of the split, where missing values are a branch."""
    if not greater(table[-1, -1], 0.0):
        return 0.0
    bits = _n_log_n(total, known) - _n_log_n(total - table[-1, -1], known)
    for branch in range(len(table) - 1):
        bits -= _n_log_n(table[branch, -1], known)
    return 0.0 if equal(bits, 0.0) else gain / (bits / total)


class Confidence(NamedTuple):
    """A confidence level, in the form that kernels take."""

    level: float
    z: float  # the upper quantile of the normal distribution

    @classmethod
    def of(cls, level: float) -> Confidence:
        """Return the confidence of a level. Level and 1 - level have single precision, as in WEKA."""
        single = np.float32(level)
        return cls(float(single), _quantile(float(np.float32(1) - single)))


_quantile = cache(NormalDist().inv_cdf)


@lean
def estimated_errors(counts: Floats, confidence: Confidence) -> float:
    """Return the upper confidence bound of a leaf's errors."""
    if equal(counts[-1], 0.0):
        return 0.0
    errors = n_errors(counts)
    return errors + extra_errors(counts[-1], errors, confidence)


@lean
def extra_errors(total: float, errors: float, confidence: Confidence) -> float:
    """Return the difference between the upper confidence bound and the training errors of a leaf.

    The bound is exact (binomial) without errors, the normal approximation with continuity correction from one
    error on, and interpolated in between.
    """
    if confidence.level > 0.5:
        return 0.0
    if errors >= 1:
        return _extra_from_one_error_on(total, errors, confidence.z)
    none = total * (1 - math.pow(confidence.level, 1 / total))
    if errors == 0:
        return none
    return none + errors * (_extra_from_one_error_on(total, 1.0, confidence.z) - none)


@lean
def _extra_from_one_error_on(total: float, errors: float, z: float) -> float:
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    rate = (errors + 0.5) / total
    deviation = math.sqrt(rate / total - rate * rate / total + z * z / (4 * total * total))
    bound = (rate + z * z / (2 * total) + z * deviation) / (1 + z * z / total)
    return bound * total - errors
