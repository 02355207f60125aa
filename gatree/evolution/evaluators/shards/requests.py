"""What the coordinator asks of every shard in a generation, and what a shard answers.

A request holds only what has changed: the children with a stale node, and these nodes. The answer holds
counts, and counts of disjoint sets of instances add up: the sum over the shards is, integer for integer, what
one process counts. A shard keeps nothing about any tree, so one that is lost takes nothing with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births, no_births
from gatree.evolution.evaluators.bits.counts import Found
from gatree.evolution.population import Trees
from gatree.trees.genome import Ints


class CountRequest(NamedTuple):
    """Children to count, a row each, and their stale nodes, as in `Births`."""

    attribute: Ints  # [row, node]
    value: Ints  # [row, node]
    span: Ints  # [row, node]
    stale: Ints  # [row, 2]

    @property
    def n_rows(self) -> int:
        return len(self.stale)


def request_for(trees: Trees, births: Births) -> tuple[CountRequest, NDArray[np.intp]]:
    """Return what shards have to count for these births, and which births its rows are."""
    rows = np.flatnonzero(births.stale[:, 0] != NONE)
    slots = births.slot[rows]
    width = int(trees.n_nodes[slots].max(initial=0))
    attribute, value, span = (nodes[slots, :width] for nodes in trees[:3])
    return CountRequest(attribute, value, span, births.stale[rows]), rows


def as_population(request: CountRequest) -> tuple[Trees, Births]:
    """Return a request's rows as trees in slots, all born now, in memory that kernels may write to."""
    n_rows, width = request.attribute.shape
    attribute, value, span = (np.array(nodes, order="C") for nodes in request[:3])
    n_nodes = np.full(n_rows, width, dtype=np.int32)
    births = no_births(n_rows)._replace(slot=np.arange(n_rows), stale=np.array(request.stale, order="C"))
    return Trees(attribute, value, span, n_nodes, np.zeros(n_rows, dtype=np.int64)), births


def summed(answers: Iterable[Found]) -> Found:
    """Return the counts of all shards together."""
    reached, correct, tally = (sum(arrays) for arrays in zip(*answers, strict=True))
    return Found(reached, correct, tally)


def joined(batches: Sequence[Found]) -> Found:
    """Return the counts of all rows, which were counted batch by batch."""
    if len(batches) == 1:
        return batches[0]
    reached, correct, tally = (np.concatenate(arrays) for arrays in zip(*batches, strict=True))
    return Found(reached, correct, tally)
