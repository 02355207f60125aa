"""Class probabilities where missing values go down several branches of a test, weighted, as in J48."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gatree.trees.numbers import Floats

Place = TypeVar("Place")


class SpreadWeights(NamedTuple):
    """How a tree of J48's treats missing values: they go down both branches of a test."""

    passing: Floats  # [node]: the share of a missing value that passes the test of an inner node
    classes: Floats  # [node, class]: the weights that give a leaf its class probabilities


class Spread(Generic[Place]):
    """Rows on their ways down a tree, which may go down several branches, weighted.

    Iterate over the nodes with the rows there, and answer each with `end` or `branch`.
    """

    def __init__(self, root: Place, n_rows: int, n_classes: int) -> None:
        self._pending = [(0, root, np.arange(n_rows), np.ones(n_rows))]
        self._entries: list[tuple[int, NDArray[np.intp], Floats, Floats | None]] = []
        self._n_classes = n_classes

    def __iter__(self) -> Iterator[tuple[Place, NDArray[np.intp]]]:
        while self._pending:  # the last branch first
            parent, place, rows, weights = self._pending.pop()
            self._entries.append((parent, rows, weights, None))
            yield place, rows

    def end(self, shares: Floats) -> None:
        """Note that the rows are at a leaf, with its class shares."""
        parent, rows, weights, _ = self._entries[-1]
        self._entries[-1] = (parent, rows, weights, shares)

    def branch(self, children: Sequence[tuple[Place, Floats]]) -> None:
        """Send the rows to the children of a test, each with the share of every row that goes there."""
        here = len(self._entries) - 1
        _, rows, weights, _ = self._entries[here]
        for child, share in children:
            some = share > 0
            self._pending.append((here, child, rows[some], share[some] * weights[some]))

    def probabilities(self) -> Floats:
        """Return the class probabilities of all rows.

        The sums go from the leaves to the root, the first branch first: rounding decides between classes of
        equal probability, and this is WEKA's order.
        """
        totals: dict[int, Floats] = {}
        for here in range(len(self._entries) - 1, -1, -1):
            parent, rows, weights, shares = self._entries[here]
            if shares is not None:
                totals[here] = weights[:, np.newaxis] * shares
            if here > 0:
                above = self._entries[parent][1]
                if parent not in totals:
                    totals[parent] = np.zeros((len(above), self._n_classes))
                totals[parent][np.searchsorted(above, rows)] += totals.pop(here)
        return totals[0]
