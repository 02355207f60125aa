"""Move thresholds to the middle of the gap between the instances of their node.

A candidate threshold lies between two neighbouring values of the whole data set. A node has only some of the
instances, so the gap between those that pass and those that fail may be wider. Its middle separates unseen
values best, and of the numbers near it the shortest is taken (see `gatree.trees.thresholds`). The training
instances are separated as before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.data.coding import Coding
from gatree.data.dataset import Dataset
from gatree.kernels.decorators import lean
from gatree.smalltree.draft import ATTRIBUTE, FAILS, MIDDLE, PASSES, VALUE, Draft, next_node
from gatree.trees.genome import LEAF, Ints
from gatree.trees.thresholds import between

Floats = NDArray[np.float64]

_NO_CODE = np.iinfo(np.int64).max


class Scale(NamedTuple):
    """The values behind the codes of numeric attributes, for kernels."""

    first: NDArray[np.int64]  # [attribute]: where its codes begin
    smallest: NDArray[np.float64]  # [code]: the smallest value that has it, or a higher one if none does
    largest: NDArray[np.float64]  # [code]: the largest value with this code
    is_date: NDArray[np.bool_]  # [attribute]


def scale_of(dataset: Dataset, order: NDArray[np.intp], coding: Coding, codes: NDArray[np.integer]) -> Scale:
    """Return the values behind the codes of a data set; the attributes are put in another order."""
    is_date = np.array([dataset.attributes[attribute].date_format is not None for attribute in order])
    first = np.concatenate(([0], np.cumsum(coding.n_tests[order].astype(np.int64) + 1)))
    smallest = np.full(int(first[-1]), np.inf)
    largest = np.full(int(first[-1]), -np.inf)
    for attribute in np.flatnonzero(coding.is_numeric[order]).tolist():
        column = dataset.columns[order[attribute]]
        known = ~np.isnan(column)
        at = first[attribute] + codes[order[attribute]][known]
        np.minimum.at(smallest, at, column[known])
        np.maximum.at(largest, at, column[known])
        own = slice(first[attribute], first[attribute + 1])
        smallest[own] = np.minimum.accumulate(smallest[own][::-1])[::-1]
    return Scale(first, smallest, largest, is_date.astype(np.bool_))


@lean
def gaps(cases: Cases, draft: Draft, n_nodes: int, nodes: NDArray[np.int64], leaf_of: Ints) -> None:
    """Write the largest code that passes and the smallest that fails at every node, and every leaf."""
    for node in range(n_nodes):
        nodes[PASSES, node], nodes[FAILS, node] = -1, _NO_CODE
    for instance in range(len(cases.classes)):
        node = 0
        while draft[ATTRIBUTE, node] != LEAF:
            code, below = (
                cases.codes[draft[ATTRIBUTE, node], instance],
                next_node(cases, draft, node, instance),
            )
            if below == node + 1:
                nodes[PASSES, node] = max(nodes[PASSES, node], code)
            else:
                nodes[FAILS, node] = min(nodes[FAILS, node], code)
            node = below
        leaf_of[instance] = node


@lean
def middle_of(scale: Scale, attribute: int, passes: int, fails: int, n_tests: int) -> float:
    """Return a short number near the middle of the gap between two codes, or infinity if one is not there."""
    if passes < 0 or fails > n_tests:
        return np.inf
    first = scale.first[attribute]
    below, above = scale.largest[first + passes], scale.smallest[first + fails]
    return between(below, above, scale.is_date[attribute])


@lean
def middles(
    cases: Cases, scale: Scale, draft: Draft, n_nodes: int, nodes: NDArray[np.int64], values: Floats
) -> None:
    """Write the middle of every node's gap, given the `gaps`, or infinity if there is none."""
    for node in range(n_nodes):
        attribute = draft[ATTRIBUTE, node]
        values[MIDDLE, node] = np.inf
        if attribute != LEAF and cases.is_numeric[attribute]:
            n_tests = cases.n_tests[attribute]
            passing, failing = nodes[PASSES, node], nodes[FAILS, node]
            values[MIDDLE, node] = middle_of(scale, attribute, passing, failing, n_tests)


@lean
def center(
    cases: Cases, scale: Scale, draft: Draft, n_nodes: int, nodes: NDArray[np.int64], values: Floats
) -> None:
    """Move every threshold of a tree to the code next to the middle of its gap, given the `middles`."""
    for node in range(n_nodes):
        if values[MIDDLE, node] < np.inf:
            attribute = draft[ATTRIBUTE, node]
            first = scale.first[attribute]
            code, last = nodes[PASSES, node], cases.n_tests[attribute] - 1
            while code < last and scale.smallest[first + code + 1] <= values[MIDDLE, node]:
                code += 1
            draft[VALUE, node] = code
