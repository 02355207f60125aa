"""The front while it is searched for: the best tree found so far of every size that is kept.

Sizes are leaves: all small ones, then steps of a twentieth, so that a front up to a thousand leaves has
about a hundred trees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.front.prune import IMPOSSIBLE, Goal, correct_of, pruned, prunings
from gatree.front.room import Draft, copy_nodes, set_spans
from gatree.jit import jit, lean
from gatree.optimum.cases import Cases
from gatree.trees.genome import Ints, Tree

_ALL_UP_TO = 32
_STEP = 1.05


class Archive(NamedTuple):
    """The best tree of every size, as kernels take it; trees lie one behind the other."""

    sizes: NDArray[np.int64]  # [rung]: leaves
    first: NDArray[np.int64]  # [rung]: its first node
    score: NDArray[np.int64]  # [rung]: its tree's; IMPOSSIBLE if there is none
    attribute: Ints
    value: Ints
    span: Ints
    best: NDArray[np.int64]  # [rung], once the search is over: the rung at or below it that gets most right
    hits: NDArray[np.int64]  # [rung], then: what that one's tree gets right of the instances held out
    middle: NDArray[np.float64]  # then, of a best rung's tree: the middle of a node's gap


def rungs(most_leaves: int) -> NDArray[np.int64]:
    """Return the sizes that are kept."""
    sizes = [1]
    while sizes[-1] < most_leaves:
        step = 1 if sizes[-1] < _ALL_UP_TO else int(sizes[-1] * _STEP) + 1 - sizes[-1]
        sizes.append(min(most_leaves, sizes[-1] + step))
    return np.array(sizes, dtype=np.int64)


def make_archive(most_leaves: int) -> Archive:
    """Return an empty front."""
    sizes = rungs(most_leaves)
    first = np.concatenate(([0], np.cumsum(2 * sizes - 1)))
    n_nodes = int(first[-1])
    return Archive(
        sizes=sizes,
        first=first[:-1],
        score=np.full(len(sizes), IMPOSSIBLE, dtype=np.int64),
        attribute=np.full(n_nodes, -1, dtype=np.int32),
        value=np.zeros(n_nodes, dtype=np.int32),
        span=np.ones(n_nodes, dtype=np.int32),
        best=np.zeros(len(sizes), dtype=np.int64),
        hits=np.zeros(len(sizes), dtype=np.int64),
        middle=np.full(n_nodes, np.inf),
    )


def tree_at(archive: Archive, rung: int) -> Tree:
    """Return the tree of a rung."""
    begin = int(archive.first[rung])
    nodes = slice(begin, begin + 2 * int(archive.sizes[rung]) - 1)
    parts = (archive.attribute, archive.value, archive.span)
    return Tree(*(part[nodes].copy() for part in parts))


@lean
def take_equals(source: Archive, target: Archive) -> None:
    """Copy the trees of a front that are no worse than those of another of the same sizes into it.

    Purity is rounded down leaf by leaf, so what differs by less than a unit a leaf is the same.
    """
    for rung in range(len(source.score)):
        size = source.sizes[rung]
        if source.score[rung] == IMPOSSIBLE or source.score[rung] + size <= target.score[rung]:
            continue
        target.score[rung] = source.score[rung]
        for node in range(source.first[rung], source.first[rung] + 2 * size - 1):
            target.attribute[node] = source.attribute[node]
            target.value[node] = source.value[node]
            target.span[node] = source.span[node]


@lean
def note_best_rungs(archive: Archive) -> None:
    """Note for every rung the rung at or below it that gets most right, the smallest of equal ones."""
    for rung in range(1, len(archive.sizes)):
        before = archive.best[rung - 1]
        is_better = correct_of(archive.score[rung]) > correct_of(archive.score[before])
        archive.best[rung] = rung if is_better else before


@lean
def load(archive: Archive, rung: int, draft: Draft) -> int:
    """Copy the tree of a rung, or of the next smaller one that has a tree, into a draft; return its nodes."""
    while archive.score[rung] == IMPOSSIBLE:
        rung -= 1
    begin, n_nodes = archive.first[rung], 2 * int(archive.sizes[rung]) - 1
    for node in range(n_nodes):
        draft.attribute[node] = archive.attribute[begin + node]
        draft.value[node] = archive.value[begin + node]
        draft.span[node] = archive.span[begin + node]
    return n_nodes


@jit
def offer(cases: Cases, goal: Goal, draft: Draft, n_nodes: int, archive: Archive, spare: Draft) -> int:
    """Let a tree's best prunings take the places of trees that get less right; return how many did."""
    n_sizes = len(archive.sizes)
    found = prunings(cases, goal, draft, n_nodes, archive.sizes[n_sizes - 1])
    n_better = 0
    for rung in range(n_sizes):
        size = archive.sizes[rung]
        if size > found.first[1] - found.first[0]:
            break
        score = found.score[size - 1]
        if score > archive.score[rung]:
            n = pruned(draft, found, size, spare)
            set_spans(spare, n)
            archive.score[rung] = score
            begin = archive.first[rung]
            for node in range(n):
                archive.attribute[begin + node] = spare.attribute[node]
                archive.value[begin + node] = spare.value[node]
                archive.span[begin + node] = spare.span[node]
            n_better += 1
    return n_better


@jit
def prune_to(cases: Cases, goal: Goal, draft: Draft, n_nodes: int, n_leaves: int, spare: Draft) -> int:
    """Prune a tree to at most so many leaves; return its nodes."""
    found = prunings(cases, goal, draft, n_nodes, n_leaves)
    while n_leaves > 1 and (n_leaves > found.first[1] or found.score[n_leaves - 1] == IMPOSSIBLE):
        n_leaves -= 1
    n = pruned(draft, found, n_leaves, spare)
    copy_nodes(spare, 0, n, draft, 0)
    set_spans(draft, n)
    return n
