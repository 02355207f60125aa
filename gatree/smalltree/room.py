"""The workspace of a search: the task, buffers that are allocated once, and drafts of trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import inlined
from gatree.smalltree.draft import N_FIELDS, Draft, make_drafts, n_nodes_grown_out
from gatree.smalltree.task import Floats, Longs, Task
from gatree.trees.genome import Ints

TERM_UNIT = 2.0**-30  # its rounding errors do not matter, and 100 million instances fit


class Room(NamedTuple):
    """The kernels' buffers."""

    order: Ints  # [attribute, rank]: sorted instances, a segment per node
    members: Ints  # [instance]: a segment per node
    spare: Ints  # [instance]
    leaf_of: Ints  # [instance]
    care: Ints  # instances that the current test matters to
    passes: NDArray[np.bool_]  # [instance]
    saved: Longs  # [care]: what an instance saves if it passes the current test
    codes: Ints  # the codes that occur
    saved_by: Longs  # what the instances of each save
    counted: Longs  # the samples of each
    by_code: Longs  # [code]: the same for all codes
    n_by_code: Longs  # [code]
    seen: Longs  # [class]
    total: Longs  # [class]
    gains: Floats  # [attribute, (gain, value, ratio)]
    terms: Longs  # [(Gini, entropy), weight]: a class's term in a set's purity
    steps: Longs  # [(Gini, entropy), weight]: increase of the term by one more unit of weight
    nodes: Longs  # [field, node]
    values: Floats  # [field, node]
    stack: Longs  # [entry, (begin, end, node, depth)]
    work: Longs  # one element: the number of steps taken, of about a nanosecond each


class Bench(NamedTuple):
    """The workspace of a search."""

    task: Task
    room: Room
    one: Draft
    other: Draft
    spare: Draft


def make_bench(task: Task, most_leaves: int, largest: int = 0, grows: bool = True) -> Bench:
    """Return the workspace of a search, with drafts for trees of up to ``largest`` nodes.

    If no tree ``grows`` in it, drafts are as large as the trees of a front, and rows need not be sorted.
    """
    cases, n = task.cases, len(task.counts)
    n_nodes = n_nodes_grown_out(n if grows else 0, max(most_leaves, largest))
    weights = np.arange(int(task.growth.sum()) + 1 if len(task.target) == 0 else 2)
    terms = np.stack([weights**2, _times_logarithm(weights)])
    most_tests = int(cases.n_tests.max(initial=0))
    n_codes = min(n, most_tests + 1)
    room = Room(
        order=np.empty_like(cases.order),
        members=np.zeros(n, dtype=np.int32),
        spare=np.zeros(n, dtype=np.int32),
        leaf_of=np.zeros(n, dtype=np.int32),
        care=np.zeros(n, dtype=np.int32),
        passes=np.zeros(n, dtype=np.bool_),
        saved=np.zeros(n, dtype=np.int64),
        codes=np.zeros(n_codes, dtype=np.int32),
        saved_by=np.zeros(n_codes, dtype=np.int64),
        counted=np.zeros(n_codes, dtype=np.int64),
        by_code=np.zeros(most_tests + 1, dtype=np.int64),
        n_by_code=np.zeros(most_tests + 1, dtype=np.int64),
        seen=np.zeros(cases.n_classes, dtype=np.int64),
        total=np.zeros(cases.n_classes, dtype=np.int64),
        gains=np.zeros((len(cases.codes), 3)),
        terms=terms,
        steps=np.diff(terms, axis=1),
        nodes=np.zeros((N_FIELDS, n_nodes), dtype=np.int64),
        values=np.zeros((3, n_nodes)),
        stack=np.zeros((n_nodes, 4), dtype=np.int64),
        work=np.zeros(1, dtype=np.int64),
    )
    return Bench(task, room, *make_drafts(n_nodes))


def _times_logarithm(numbers: NDArray[np.integer]) -> Longs:
    """Return numbers times their binary logarithms (zero for zero), in units of TERM_UNIT."""
    products = numbers * np.log2(np.maximum(numbers, 1))
    return np.asarray(np.rint(products / TERM_UNIT), dtype=np.int64)


@inlined
def clear(numbers: Longs, n: int) -> None:
    """Set the first ``n`` numbers to zero."""
    for i in range(n):
        numbers[i] = 0


@inlined
def position_of_largest(numbers: Longs) -> int:
    """Return the position of the largest number, the first of equal ones."""
    best = 0
    for i in range(1, len(numbers)):
        if numbers[i] > numbers[best]:
            best = i
    return best
