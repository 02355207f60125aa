"""Class probabilities where missing values go down several branches of a test, weighted, as in J48."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gatree.trees.numbers import Floats

Place = TypeVar("Place")


class SpreadWeights(NamedTuple):
    """How a tree of J48's treats missing values: they go down both branches of a test."""

    passing: Floats  # [node]: the share of a missing value that passes the test of an inner node
    classes: Floats  # [node, class]: the weights that give a leaf its class probabilities


def spread(
    step: Callable[[Place, NDArray[np.intp]], Floats | Sequence[tuple[Place, Floats]]],
    root: Place,
    n_rows: int,
    n_classes: int,
) -> Floats:
    """Return the class probabilities of rows that may go down several branches, weighted.

    ``step`` gets a node and the rows there; it returns the class shares of a leaf, or the children of a test,
    each with the share of every row that goes there. The sums go from the leaves to the root, the first
    branch first: rounding decides between classes of equal probability, and this is WEKA's order.
    """
    entries: list[tuple[int, NDArray[np.intp], Floats, Floats | None]] = []
    pending = [(0, root, np.arange(n_rows), np.ones(n_rows))]
    while pending:  # the last branch first
        parent, place, rows, weights = pending.pop()
        below, here = step(place, rows), len(entries)
        if isinstance(below, np.ndarray):
            entries.append((parent, rows, weights, below))
            continue
        entries.append((parent, rows, weights, None))
        for child, share in below:
            some = share > 0
            pending.append((here, child, rows[some], share[some] * weights[some]))
    totals: dict[int, Floats] = {}
    for here in range(len(entries) - 1, -1, -1):
        parent, rows, weights, shares = entries[here]
        if shares is not None:
            totals[here] = weights[:, np.newaxis] * shares
        if here > 0:
            above = entries[parent][1]
            if parent not in totals:
                totals[parent] = np.zeros((len(above), n_classes))
            totals[parent][np.searchsorted(above, rows)] += totals.pop(here)
    return totals[0]
