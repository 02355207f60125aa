"""java.util.Random, whose numbers order WEKA's folds.

The generator is the 48-bit linear congruential one that the Java platform documents, so a seed
gives the same shuffle here as there. For folds only: everything else draws from numpy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = (1 << 48) - 1


class JavaRandom:
    """The bounded integers of Java's ``Random(seed)``."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _MASK

    def _next_31_bits(self) -> int:
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return self._state >> 17

    def next_int(self, bound: int) -> int:
        """Return a number in ``range(bound)``, as ``nextInt(bound)`` does."""
        if bound & (bound - 1) == 0:  # a power of two takes the high bits
            return (bound * self._next_31_bits()) >> 31
        while True:
            bits = self._next_31_bits()
            value = bits % bound
            if bits - value + bound - 1 < 1 << 31:  # else: the last, incomplete block of values
                return value

    def shuffled(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the rows in random order: every place, from the last, swaps with one up to it."""
        order = rows.tolist()
        for last in range(len(order) - 1, 0, -1):
            other = self.next_int(last + 1)
            order[last], order[other] = order[other], order[last]
        return np.array(order, dtype=np.intp)
