"""The front during the search: the best prunings of all trees so far, one tree at each rung.

Dynamic programming finds the best pruning of a tree to every size: of all prunings with k leaves, the one
with the best score. So it is at least as good as the result of cost-complexity pruning, or of growth that
stops at k leaves.

A rung is a size in leaves: all small sizes, then steps of a twentieth, so that a front of up to a thousand
leaves has about a hundred trees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.coding import Coding
from gatree.kernels.decorators import jit, lean
from gatree.smalltree.draft import ATTRIBUTE, DEPTH, SPAN, VALUE, Draft, copy_nodes, set_depths, set_spans
from gatree.trees.genome import LEAF, Tree

NO_TREE = -1

_ALL_UP_TO = 32
_STEP = 1.05

_RUNG = np.dtype(
    [
        ("size", np.int64),  # leaves
        ("first", np.int64),  # node
        ("score", np.int64),  # of its tree; NO_TREE if there is none
        ("best", np.int64),  # after the search: the most accurate rung up to this one
        ("proven", np.int64),  # whether no tree of at most that size is better, 0 or 1
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
    kept["size"], kept["first"][1:], kept["score"] = sizes, ends[:-1], NO_TREE
    n_nodes = int(ends[-1])
    return Archive(kept, nodes=np.zeros((3, n_nodes), dtype=np.int32), middle=np.full(n_nodes, np.inf))


def tree_at(archive: Archive, rung: int) -> Tree:
    """Return the tree of a rung."""
    begin, n_leaves = int(archive.rungs["first"][rung]), int(archive.rungs["size"][rung])
    nodes = slice(begin, begin + 2 * n_leaves - 1)
    return Tree(*(part[nodes].copy() for part in archive.nodes))


def coded_tree(
    archive: Archive, rung: int, attributes: NDArray[np.intp], coding: Coding
) -> tuple[Tree, NDArray[np.float64]]:
    """Return the tree of a rung and the threshold of every node: the middle of its gap, or the candidate's.

    ``attributes`` are the positions in the data set of those that were searched.
    """
    tree, begin = tree_at(archive, rung), int(archive.rungs["first"][rung])
    thresholds = archive.middle[begin : begin + tree.n_nodes].copy()
    is_test = tree.attribute != LEAF
    tree.attribute[is_test] = attributes[tree.attribute[is_test]]
    for node in np.flatnonzero(np.isinf(thresholds) & is_test).tolist():
        candidates = coding.thresholds[tree.attribute[node]]
        if len(candidates):
            thresholds[node] = candidates[tree.value[node]]
    return tree, thresholds


@lean
def take_equals(source: Archive, target: Archive) -> None:
    """Copy the trees of a front that are no worse into another front of the same sizes.

    Purity is rounded down for each leaf, so scores that differ by less than a unit per leaf are equal.
    """
    for rung in range(len(source.rungs)):
        ours, theirs = source.rungs[rung], target.rungs[rung]
        if ours["score"] == NO_TREE or ours["score"] + ours["size"] <= theirs["score"]:
            continue
        theirs["score"], begin = ours["score"], ours["first"]
        copy_nodes(source.nodes, begin, begin + 2 * ours["size"] - 1, target.nodes, begin)


@lean
def note_best_rungs(archive: Archive, unit: int) -> None:
    """Set ``best`` of every rung: the best rung up to it by scores in units, the smallest of equal ones."""
    rungs = archive.rungs
    for rung in range(1, len(rungs)):
        before = rungs[rung - 1]["best"]
        is_better = rungs[rung]["score"] // unit > rungs[before]["score"] // unit
        rungs[rung]["best"] = rung if is_better else before


@lean
def load(archive: Archive, rung: int, draft: Draft) -> int:
    """Copy the tree of a rung, or of the next lower one that has a tree, into a draft; return its nodes."""
    while archive.rungs[rung]["score"] == NO_TREE:
        rung -= 1
    begin, n_nodes = archive.rungs[rung]["first"], 2 * archive.rungs[rung]["size"] - 1
    return copy_nodes(archive.nodes, begin, begin + n_nodes, draft, 0)


def copied(archive: Archive) -> Archive:
    """Return a copy of a front."""
    return Archive(archive.rungs.copy(), archive.nodes.copy(), archive.middle.copy())


class Prunings(NamedTuple):
    """The best prunings of a tree, by node and number of leaves."""

    label: NDArray[np.int32]  # [node]: its class as a leaf
    first: NDArray[np.int64]  # [node]: where its entries begin
    score: NDArray[np.int64]  # [entry]: the best pruning's below the node, by leaves from 1 on
    n_left: NDArray[np.int32]  # [entry]: leaves of the left branch


@jit
def start_prunings(
    draft: Draft, n_nodes: int, most_leaves: int, max_depth: int, nodes: NDArray[np.int64]
) -> Prunings:
    """Return prunings without scores; nodes at ``max_depth`` only have an entry for a leaf."""
    first = np.empty(n_nodes + 1, dtype=np.int64)
    label = np.empty(n_nodes, dtype=np.int32)
    if max_depth < n_nodes:
        set_depths(draft, n_nodes, nodes)
    first[0] = 0
    for node in range(n_nodes):
        may_test = max_depth >= n_nodes or nodes[DEPTH, node] < max_depth
        n_entries = min(most_leaves, (draft[SPAN, node] + 1) // 2) if may_test else 1
        first[node + 1], label[node] = first[node] + n_entries, 0
    score = np.empty(first[n_nodes], dtype=np.int64)
    n_left = np.empty(first[n_nodes], dtype=np.int32)
    for entry in range(len(score)):
        score[entry], n_left[entry] = NO_TREE, 0
    return Prunings(label, first, score, n_left)


@lean
def join(draft: Draft, node: int, found: Prunings, most_left: int, most_right: int) -> None:
    """Fill a node's entries from those of its children, up to a maximum number of leaves for each."""
    first, score = found.first, found.score
    left = node + 1
    right = left + draft[SPAN, left]
    begin, room = first[node], first[node + 1] - first[node]
    for i in range(min(first[left + 1] - first[left], most_left)):
        on_the_left = score[first[left] + i]
        if on_the_left == NO_TREE:
            continue
        for j in range(min(first[right + 1] - first[right], room - i - 1, most_right)):
            on_the_right = score[first[right] + j]
            entry = begin + i + j + 1
            if on_the_right != NO_TREE and on_the_left + on_the_right > score[entry]:
                score[entry], found.n_left[entry] = on_the_left + on_the_right, i + 1


@jit
def pruned(draft: Draft, found: Prunings, n_leaves: int, target: Draft) -> int:
    """Write the best pruning to ``n_leaves`` leaves into another tree; return its number of nodes."""
    stack = np.empty((n_leaves + 2, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, n_leaves
    n_open, n_nodes = 1, 0
    while n_open > 0:
        n_open -= 1
        node, leaves = stack[n_open, 0], stack[n_open, 1]
        if leaves == 1:
            target[ATTRIBUTE, n_nodes], target[VALUE, n_nodes] = LEAF, found.label[node]
        else:
            target[ATTRIBUTE, n_nodes], target[VALUE, n_nodes] = draft[ATTRIBUTE, node], draft[VALUE, node]
            left = found.n_left[found.first[node] + leaves - 1]
            stack[n_open, 0], stack[n_open, 1] = node + 1 + draft[SPAN, node + 1], leaves - left
            stack[n_open + 1, 0], stack[n_open + 1, 1] = node + 1, left
            n_open += 2
        n_nodes += 1
    return n_nodes


@jit
def offer(draft: Draft, found: Prunings, archive: Archive, spare: Draft) -> int:
    """Replace worse trees of the front by a tree's best prunings; return their number."""
    n_better = 0
    for index in range(len(archive.rungs)):
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
def prune_to(draft: Draft, found: Prunings, n_leaves: int, spare: Draft) -> int:
    """Prune a tree to at most ``n_leaves`` leaves; return its number of nodes."""
    while n_leaves > 1 and (n_leaves > found.first[1] or found.score[n_leaves - 1] == NO_TREE):
        n_leaves -= 1
    n = pruned(draft, found, n_leaves, spare)
    copy_nodes(spare, 0, n, draft, 0)
    set_spans(draft, n)
    return n
