"""The canary: small kernels that our own compiler has to translate, link and run as gatree's kernels need.

They call one another with tuples of arrays and integers of several types, and use negative indices. `guard`
runs them once per cache.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.compiler import compiled

# The decorators cannot be imported here: they wait for the canary.
lean = partial(compiled, _nrt=False)
branching = partial(compiled, branching=True, _nrt=False)

EXPECTED = -12955


class _Pair(NamedTuple):
    numbers: NDArray[np.int32]
    weights: NDArray[np.uint8]


@lean
def weighed(pair: _Pair, k: int) -> np.int64:
    """Return a number times its weight."""
    return np.int64(pair.numbers[k]) * np.int64(pair.weights[k & 1])


@lean
def weighed_sum(pair: _Pair, end: int) -> np.int64:
    """Return the sum of weighed numbers, each less the one at the first weight."""
    total = np.int64(0)
    for k in range(end):
        total += weighed(pair, k) - weighed(pair, pair.weights[0])
    return total


@branching
def canary(pair: tuple[NDArray[np.int32], NDArray[np.uint8]], end: int) -> int:
    """Return a number that depends on all of this."""
    pair = _Pair(*pair)
    return int(weighed_sum(pair, end) + 1000 * weighed_sum(pair, pair.weights[1]))


def run() -> int:
    """Return what the canary gives, `EXPECTED` if all is well."""
    numbers, weights = np.arange(-4, 5, dtype=np.int32), np.array([3, 5], dtype=np.uint8)
    return int(canary((numbers, weights), np.int32(9)))
