"""The front during the search: the best tree found so far at each rung.

A rung is a size in leaves: all small sizes, then steps of a twentieth, so that a front of up to a thousand
leaves has about a hundred trees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.front.prune import IMPOSSIBLE, Goal, correct_of, pruned, prunings
from gatree.front.room import Draft, copy_nodes, set_spans
from gatree.kernels.decorators import jit, lean
from gatree.trees.genome import Tree

_ALL_UP_TO = 32
_STEP = 1.05

_RUNG = np.dtype(
    [
        ("size", np.int64),  # leaves
        ("first", np.int64),  # node
        ("score", np.int64),  # of its tree; IMPOSSIBLE if there is none
        ("best", np.int64),  # after the search: the most accurate rung up to this one
        ("proven", np.int64),  # whether no tree of at most that size is better, 0 or 1
        ("hits", np.int64),  # after the search: correct weight of the best rung's tree on held-out instances
    ],
    align=True,
)


class Archive(NamedTuple):
    """The best tree of every rung, for kernels; trees are stored one after the other."""

    rungs: NDArray[np.void]
    nodes: Draft
    middle: NDArray[np.float64]  # [node]: the middle of its gap; set after the search, for best rungs


def rungs(most_leaves: int) -> NDArray[np.int64]:
    """Return the sizes of the rungs."""
    sizes = [1]
    while sizes[-1] < most_leaves:
        step = 1 if sizes[-1] < _ALL_UP_TO else int(sizes[-1] * _STEP) + 1 - sizes[-1]
        sizes.append(min(most_leaves, sizes[-1] + step))
    return np.array(sizes, dtype=np.int64)


def make_archive(most_leaves: int) -> Archive:
    """Return an empty front."""
    sizes = rungs(most_leaves)
    ends = np.cumsum(2 * sizes - 1)
    kept = np.zeros(len(sizes), dtype=_RUNG)
    kept["size"], kept["first"][1:], kept["score"] = sizes, ends[:-1], IMPOSSIBLE
    n_nodes = int(ends[-1])
    return Archive(kept, nodes=np.zeros((3, n_nodes), dtype=np.int32), middle=np.full(n_nodes, np.inf))


def tree_at(archive: Archive, rung: int) -> Tree:
    """Return the tree of a rung."""
    begin, n_leaves = int(archive.rungs["first"][rung]), int(archive.rungs["size"][rung])
    nodes = slice(begin, begin + 2 * n_leaves - 1)
    return Tree(*(part[nodes].copy() for part in archive.nodes))


@lean
def take_equals(source: Archive, target: Archive) -> None:
    """Copy the trees of a front that are no worse into another front of the same sizes.

    Purity is rounded down for each leaf, so scores that differ by less than a unit per leaf are equal.
    """
    for rung in range(len(source.rungs)):
        ours, theirs = source.rungs[rung], target.rungs[rung]
        if ours["score"] == IMPOSSIBLE or ours["score"] + ours["size"] <= theirs["score"]:
            continue
        theirs["score"], begin = ours["score"], ours["first"]
        copy_nodes(source.nodes, begin, begin + 2 * ours["size"] - 1, target.nodes, begin)


@lean
def note_best_rungs(archive: Archive) -> None:
    """Set ``best`` of every rung: the most accurate rung up to it, the smallest of equal ones."""
    rungs = archive.rungs
    for rung in range(1, len(rungs)):
        before = rungs[rung - 1]["best"]
        is_better = correct_of(rungs[rung]["score"]) > correct_of(rungs[before]["score"])
        rungs[rung]["best"] = rung if is_better else before


@lean
def load(archive: Archive, rung: int, draft: Draft) -> int:
    """Copy the tree of a rung, or of the next lower one that has a tree, into a draft; return its nodes."""
    while archive.rungs[rung]["score"] == IMPOSSIBLE:
        rung -= 1
    begin, n_nodes = archive.rungs[rung]["first"], 2 * archive.rungs[rung]["size"] - 1
    return copy_nodes(archive.nodes, begin, begin + n_nodes, draft, 0)


@jit
def offer(cases: Cases, goal: Goal, draft: Draft, n_nodes: int, archive: Archive, spare: Draft) -> int:
    """Replace less accurate trees of the front by a tree's best prunings; return their number."""
    n_rungs, n_better = len(archive.rungs), 0
    found = prunings(cases, goal, draft, n_nodes, archive.rungs[n_rungs - 1]["size"])
    for index in range(n_rungs):
        rung = archive.rungs[index]
        size = rung["size"]
        if size > found.first[1] - found.first[0]:
            break
        score = found.score[size - 1]
        if score > rung["score"]:
            n = pruned(draft, found, size, spare)
            set_spans(spare, n)
            rung["score"] = score
            copy_nodes(spare, 0, n, archive.nodes, rung["first"])
            n_better += 1
    return n_better


@jit
def prune_to(cases: Cases, goal: Goal, draft: Draft, n_nodes: int, n_leaves: int, spare: Draft) -> int:
    """Prune a tree to at most ``n_leaves`` leaves; return its number of nodes."""
    found = prunings(cases, goal, draft, n_nodes, n_leaves)
    while n_leaves > 1 and (n_leaves > found.first[1] or found.score[n_leaves - 1] == IMPOSSIBLE):
        n_leaves -= 1
    n = pruned(draft, found, n_leaves, spare)
    copy_nodes(spare, 0, n, draft, 0)
    set_spans(draft, n)
    return n
