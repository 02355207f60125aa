"""What a split is worth: information gain, and C4.5's gain ratio.

The gain is the bits that knowing the branch saves in naming the class. The ratio divides it by the
bits that naming the branch takes, so that many small branches do not win by their number.
Instances whose value is missing lower the gain by their share.
"""

from __future__ import annotations

import math

from gatree.j48.tables import Floats, equal, greater
from gatree.jit import inlined, lean


@inlined
def _n_log_n(weight: float) -> float:
    return 0.0 if weight < 1e-6 else weight * math.log2(weight)


@inlined
def class_entropy(table: Floats) -> float:
    """Return the bits that name the class of every instance, before the split."""
    bits = 0.0
    for label in range(table.shape[1] - 1):
        bits += _n_log_n(table[-1, label])
    return _n_log_n(table[-1, -1]) - bits


@inlined
def _entropy_after(table: Floats) -> float:
    """Return the bits that name the class of every instance, its branch known."""
    bits = 0.0
    for branch in range(len(table) - 1):
        for label in range(table.shape[1] - 1):
            bits += _n_log_n(table[branch, label])
        bits -= _n_log_n(table[branch, -1])
    return -bits


@inlined
def gain_given(table: Floats, total: float, entropy_before: float) -> float:
    """Return the gain, the entropy before the split known."""
    known = table[-1, -1]
    gained = known / total * (entropy_before - _entropy_after(table))
    return 0.0 if equal(gained, 0.0) else gained / known


@lean
def info_gain(table: Floats, total: float) -> float:
    """Return the bits per instance that a split saves; `total` counts the missing values too."""
    return gain_given(table, total, class_entropy(table))


@lean
def gain_ratio(table: Floats, total: float, gain: float) -> float:
    """Return the gain per bit of the split itself, where "missing" is a branch of its own."""
    if not greater(table[-1, -1], 0.0):
        return 0.0
    bits = _n_log_n(total) - _n_log_n(total - table[-1, -1])
    for branch in range(len(table) - 1):
        bits -= _n_log_n(table[branch, -1])
    return 0.0 if equal(bits, 0.0) else gain / (bits / total)
