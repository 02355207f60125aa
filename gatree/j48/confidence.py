"""The estimated errors of a leaf: its training errors, raised to an upper confidence bound."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from gatree.j48.tables import Floats, equal, n_errors
from gatree.kernels.decorators import inlined, lean


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


@inlined
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


@inlined
def _extra_from_one_error_on(total: float, errors: float, z: float) -> float:
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    rate = (errors + 0.5) / total
    deviation = math.sqrt(rate / total - rate * rate / total + z * z / (4 * total * total))
    bound = (rate + z * z / (2 * total) + z * deviation) / (1 + z * z / total)
    return bound * total - errors
