"""Sets of instances that were solved lately: they bound the errors of sets like them.

Taking q instances away spares at most q errors, and adding some spares none. So a set makes at least the
errors of another one less those instances of the other that it lacks. (Known as similarity bound: Angelino
and others, "Learning certifiably optimal rule lists for categorical data", 2018.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_KEPT = 1000
_WORD = 64


class SimilarSets:
    """The last sets that were solved with the same number of tests, as bits."""

    def __init__(self, n_instances: int) -> None:
        self._bits = np.zeros((_KEPT, -(-n_instances // _WORD)), dtype=np.uint64)
        self._errors = np.zeros(_KEPT, dtype=np.int64)
        self._n_solved = 0

    def bound(self, members: NDArray[np.bool_]) -> int:
        """Return errors that a set makes at least."""
        known = slice(min(self._n_solved, _KEPT))
        lacking = np.bitwise_count(self._bits[known] & ~self._packed(members)).sum(axis=1, dtype=np.int64)
        return int((self._errors[known] - lacking).max(initial=0))

    def add(self, members: NDArray[np.bool_], errors: int) -> None:
        """Note the errors of a set, in place of the set that was solved longest ago."""
        place = self._n_solved % _KEPT
        self._bits[place], self._errors[place] = self._packed(members), errors
        self._n_solved += 1

    def _packed(self, members: NDArray[np.bool_]) -> NDArray[np.uint64]:
        packed = np.zeros(self._bits.shape[1] * _WORD // 8, dtype=np.uint8)
        found = np.packbits(members)
        packed[: len(found)] = found
        return packed.view(np.uint64)
