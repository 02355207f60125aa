"""Bit masks of tests: one bit per instance, set if the instance passes the test.

A mask is made when a tree first needs its test, and kept while the memory for masks lasts; then they are made
again as they are needed. The class is one more column; its masks mark the instances of a class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.data.coding import CodedData
from gatree.evolution.problem import Alphabet
from gatree.kernels.words import WORD
from gatree.trees.genome import Ints

MASK_BUDGET_BYTES = 256 * 2**20
"""Memory for the masks."""

NOT_KEPT = -1


class Masks:
    """The masks that are kept. Tests are numbered across all attributes, the classes last."""

    def __init__(self, alphabet: Alphabet, instances: CodedData) -> None:
        n_tests = np.append(alphabet.n_tests.astype(np.int64), alphabet.n_classes)
        n_words = -(-len(instances.classes) // WORD)
        n_rows = min(int(n_tests.sum()), max(1, MASK_BUDGET_BYTES // (8 * max(1, n_words))))
        self.instances = instances
        self.bits: NDArray[np.uint64] = np.zeros((n_rows, n_words), dtype=np.uint64)  # [row, word]
        self.first_test = np.concatenate(([0], np.cumsum(n_tests)[:-1]))  # [attribute], the class last
        self.row_of: Ints = np.full(int(n_tests.sum()), NOT_KEPT, dtype=np.int32)  # [test]
        self.missing = np.zeros(n_rows, dtype=np.int32)  # scratch: tests
        self.n_kept = 0

    def clear(self) -> None:
        """Forget all masks."""
        self.row_of[:] = NOT_KEPT
        self.n_kept = 0

    def make(self, tests: Ints) -> None:
        """Make the masks of tests that have just been given rows."""
        for test in tests.tolist():
            bits = self.bits[self.row_of[test]].view(np.uint8)
            packed = np.packbits(self._passes(test), bitorder="little")
            bits[: len(packed)] = packed
            bits[len(packed) :] = 0
        self.n_kept += len(tests)

    def _passes(self, test: int) -> NDArray[np.bool_]:
        """Return which instances pass a test."""
        column = int(self.first_test.searchsorted(test, side="right")) - 1
        value = test - self.first_test[column]
        data = self.instances
        if column == len(data.codes):
            return np.asarray(data.classes == value)
        codes = data.codes[column]
        return np.asarray(codes <= value if data.is_numeric[column] else codes == value)
