"""The front during the search: the best regression tree found so far at each rung."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gatree.front.archive import rungs
from gatree.front.regression.numbers import Longs
from gatree.front.regression.prune import IMPOSSIBLE, pruned, prunings, weigh
from gatree.front.regression.room import Bench
from gatree.front.room import Draft, copy_nodes, set_spans
from gatree.kernels.decorators import jit, lean
from gatree.trees.genome import Tree


class Archive(NamedTuple):
    """The best tree of every rung, for kernels; trees are stored one after the other."""

    size: Longs  # [rung]: leaves
    first: Longs  # [rung]: node
    score: Longs  # [rung]: of its tree; IMPOSSIBLE if there is none
    nodes: Draft


def make_archive(most_leaves: int) -> Archive:
    """Return an empty front."""
    sizes = rungs(most_leaves)
    ends = np.cumsum(2 * sizes - 1)
    return Archive(
        size=sizes,
        first=np.concatenate(([0], ends[:-1])),
        score=np.full(len(sizes), IMPOSSIBLE, dtype=np.int64),
        nodes=np.zeros((3, int(ends[-1])), dtype=np.int32),
    )


def tree_at(archive: Archive, rung: int) -> Tree:
    """Return the tree of a rung."""
    begin, n_leaves = int(archive.first[rung]), int(archive.size[rung])
    nodes = slice(begin, begin + 2 * n_leaves - 1)
    return Tree(*(part[nodes].copy() for part in archive.nodes))


def best_rungs(archive: Archive) -> list[int]:
    """Return for every rung the rung up to it whose tree explains most, the smallest of equal ones."""
    best = [0]
    for rung in range(1, len(archive.size)):
        best.append(rung if archive.score[rung] > archive.score[best[-1]] else best[-1])
    return best


@lean
def load(archive: Archive, rung: int, draft: Draft) -> int:
    """Copy the tree of a rung, or of the next lower one that has a tree, into a draft; return its nodes."""
    while archive.score[rung] == IMPOSSIBLE:
        rung -= 1
    begin, n_nodes = archive.first[rung], 2 * archive.size[rung] - 1
    return copy_nodes(archive.nodes, begin, begin + n_nodes, draft, 0)


@lean
def copy_archive(source: Archive, target: Archive) -> None:
    """Copy all trees of a front into an empty one of the same sizes."""
    for rung in range(len(source.size)):
        target.score[rung] = source.score[rung]
    copy_nodes(source.nodes, 0, source.nodes.shape[1], target.nodes, 0)


@jit
def offer(bench: Bench, draft: Draft, n_nodes: int, archive: Archive) -> int:
    """Replace trees of the front that explain less by a tree's best prunings; return their number."""
    numbers, room, spare = bench.numbers, bench.room, bench.spare
    weigh(numbers, room, draft, n_nodes)
    found = prunings(numbers, room, draft, n_nodes, archive.size[len(archive.size) - 1])
    room.work[0] += 2 * len(found.score)
    n_better = 0
    for rung in range(len(archive.size)):
        size = archive.size[rung]
        if size > found.first[1] - found.first[0]:
            break
        if found.score[size - 1] > archive.score[rung]:
            n = pruned(draft, found, size, room.stack, spare)
            set_spans(spare, n)
            archive.score[rung] = found.score[size - 1]
            copy_nodes(spare, 0, n, archive.nodes, archive.first[rung])
            n_better += 1
    return n_better


@jit
def prune_to(bench: Bench, draft: Draft, n_nodes: int, n_leaves: int) -> int:
    """Prune a tree to at most ``n_leaves`` leaves; return its number of nodes."""
    weigh(bench.numbers, bench.room, draft, n_nodes)
    found = prunings(bench.numbers, bench.room, draft, n_nodes, n_leaves)
    while n_leaves > 1 and (n_leaves > found.first[1] or found.score[n_leaves - 1] == IMPOSSIBLE):
        n_leaves -= 1
    n = pruned(draft, found, n_leaves, bench.room.stack, bench.spare)
    copy_nodes(bench.spare, 0, n, draft, 0)
    set_spans(draft, n)
    return n
