"""Prune a tree to every size, and keep the best tree of every size.

Dynamic programming finds the best pruning of a tree to every size: of all prunings with k leaves, the one
with the best score. So it is at least as good as the result of cost-complexity pruning, or of growth that
stops at k leaves. A front is the best of the prunings of all trees so far, one tree of each size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import jit, lean
from gatree.smalltree.draft import (
    Buffers,
    Draft,
    Nodes,
    Workspace,
    clear,
    copy_nodes,
    make_draft,
    part_members,
    push,
    set_depths,
    set_spans,
)
from gatree.smalltree.grow import explained_by
from gatree.smalltree.task import CORRECT_UNIT, Floats, Gains, Longs, Task, TreeLimits
from gatree.trees.genome import LEAF, Tree

NO_TREE = -1
"""The score of a size without a tree."""

_ALL_UP_TO = 32  # above this number of leaves, sizes differ by a factor of _STEP
_STEP = 1.05
_WEIGHED = 4  # steps to count an instance at a node and to partition it


@lean
def most_gained(gain: Gains, counts: Longs) -> tuple[int, int]:
    """Return the label with the largest gain for the given class counts, and the gain."""
    best, most = 0, -1
    for label in range(len(counts)):
        total = 0
        for c in range(len(counts)):
            total += counts[c] * gain[c, label]
        if total > most:
            best, most = label, total
    return best, most


@lean
def _weigh_classes(task: Task, buffers: Buffers, node: int, begin: int, end: int) -> None:
    """Record a node's samples, its class, and its score as a leaf: correct weight, then Gini purity.

    ``buffers.total`` is zero before and after.
    """
    nodes, members = buffers.nodes, buffers.members
    total, seen = buffers.total, buffers.seen
    n, best, whole, squares = 0, 0, 0, 0.0
    clear(seen, len(seen))
    for rank in range(begin, end):
        instance = members[rank]
        label = task.cases.classes[instance]
        n += task.counts[instance]
        whole += task.stakes[instance]
        total[label] += task.stakes[instance]
        seen[label] += task.counts[instance]
        if total[label] > total[best] or (total[label] == total[best] and label < best):
            best = label
    counted = total[best]
    if len(task.gain) > 0:
        best, counted = most_gained(task.gain, seen)
    for rank in range(begin, end):
        label = task.cases.classes[members[rank]]
        squares += float(total[label]) * float(total[label])
        total[label] = 0
    nodes.n_here[node], nodes.label[node] = n, best
    nodes.score[node] = leaf_score(task, counted, squares, whole)


@lean
def leaf_score(task: Task, counted: int, squares: float, whole: int) -> int:
    """Return the score of a leaf: its correct weight, then its Gini purity."""
    purity = squares / whole * task.unit if whole > 0 else 0.0
    return int(CORRECT_UNIT * counted) + int(purity)


@lean
def _weigh_numbers(task: Task, buffers: Buffers, node: int, begin: int, end: int) -> None:
    """Record a node's samples, its mean, and the error that it explains as a leaf."""
    nodes, n, total = buffers.nodes, 0, 0
    for rank in range(begin, end):
        instance = buffers.members[rank]
        n += task.counts[instance]
        total += task.counts[instance] * task.target[instance]
    nodes.n_here[node], nodes.label[node], nodes.score[node] = n, 0, 0
    if n > 0:  # else it keeps its parent's number
        buffers.nodes.mean[node] = float(total) / float(n)
        nodes.score[node] = int(explained_by(total, n) * task.unit)


@lean
def weigh(task: Task, buffers: Buffers, draft: Draft) -> None:
    """Record every node's samples, what it predicts, and its score as a leaf."""
    n, members, stack = len(task.counts), buffers.members, buffers.stack
    for instance in range(n):
        members[instance] = instance
    clear(buffers.total, len(buffers.total))
    buffers.nodes.mean[0] = 0.0
    push(stack, 0, 0, n, 0, 0)
    n_open = 1
    while n_open > 0:
        n_open -= 1
        begin, end, node = stack[n_open, 0], stack[n_open, 1], stack[n_open, 2]
        if task.are_classes:
            _weigh_classes(task, buffers, node, begin, end)
        else:
            _weigh_numbers(task, buffers, node, begin, end)
        buffers.n_steps[0] += _WEIGHED * (end - begin)
        attribute, value = draft.attribute[node], draft.value[node]
        if attribute == LEAF:
            continue
        middle = part_members(task.cases, members, buffers.spare, (begin, end), attribute, value)
        right = node + 1 + draft.span[node + 1]
        above = buffers.nodes.mean[node]
        buffers.nodes.mean[node + 1], buffers.nodes.mean[right] = above, above
        push(stack, n_open, middle, end, right, 0)
        push(stack, n_open + 1, begin, middle, node + 1, 0)
        n_open += 2


class ClassSums(NamedTuple):
    """What the classes add up to in every leaf; not used for numbers."""

    stakes: Longs  # [node, class]
    counts: Longs  # [node, class]


@lean
def weigh_leaves(task: Task, buffers: Buffers, draft: Draft, n_nodes: int, sums: ClassSums) -> None:
    """Record every leaf's samples, what it predicts, and its score, given the leaf of every instance.

    On many instances this takes a fraction of the time of `weigh`, which weighs all nodes above, too.
    """
    if not task.are_classes:
        sum_leaves(task, buffers, n_nodes)
        for node in range(n_nodes):
            n, total = buffers.nodes.n_here[node], buffers.nodes.total[node]
            buffers.nodes.label[node] = 0
            buffers.nodes.score[node] = int(explained_by(total, n) * task.unit) if n > 0 else 0
        return
    nodes, leaf_of, stakes, counts = buffers.nodes, buffers.leaf_of, sums.stakes, sums.counts
    for node in range(n_nodes):
        clear(stakes[node], task.cases.n_classes)
        clear(counts[node], task.cases.n_classes)
    for instance in range(len(leaf_of)):
        leaf, label = leaf_of[instance], task.cases.classes[instance]
        stakes[leaf, label] += task.stakes[instance]
        counts[leaf, label] += task.counts[instance]
    for node in range(n_nodes):
        if draft.attribute[node] == LEAF:
            n, best, whole, squares = 0, 0, 0, 0.0
            for label in range(task.cases.n_classes):
                n += counts[node, label]
                whole += stakes[node, label]
                squares += float(stakes[node, label]) * float(stakes[node, label])
                if stakes[node, label] > stakes[node, best]:
                    best = label
            counted = stakes[node, best]
            if len(task.gain) > 0:
                best, counted = most_gained(task.gain, counts[node])
            nodes.n_here[node], nodes.label[node] = n, best
            nodes.score[node] = leaf_score(task, counted, squares, whole)


@lean
def sum_leaves(task: Task, buffers: Buffers, n_nodes: int) -> None:
    """Record every leaf's samples and the sum of their numbers, given the leaf of every instance."""
    nodes, leaf_of = buffers.nodes, buffers.leaf_of
    for node in range(n_nodes):
        nodes.n_here[node], nodes.total[node] = 0, 0
    for instance in range(len(leaf_of)):
        nodes.n_here[leaf_of[instance]] += task.counts[instance]
        nodes.total[leaf_of[instance]] += task.counts[instance] * task.target[instance]


@jit
def prunings(workspace: Workspace, draft: Draft, n_nodes: int, most_leaves: int) -> Prunings:
    """Find the best pruning to every number of leaves."""
    task, nodes, limits = workspace.task, workspace.buffers.nodes, workspace.task.limits
    weigh(task, workspace.buffers, draft)
    found = start_prunings(draft, n_nodes, most_leaves, limits.max_depth, nodes)
    for node in range(n_nodes - 1, -1, -1):
        found.label[node] = nodes.label[node]
        may_test = node > 0 or limits.first == LEAF or draft.attribute[0] == limits.first
        may_test = may_test and nodes.n_here[node] >= limits.min_split
        size = found.first[node + 1] - found.first[node]
        if may_test and size > 1:
            if task.are_classes and len(limits.directions) > 0:
                _join_in_direction(limits, draft, node, found)
            else:
                join(draft, node, found, size, size)
        if node == 0 or nodes.n_here[node] >= limits.min_leaf:
            found.score[found.first[node]] = nodes.score[node]
    return found


@lean
def _join_in_direction(limits: TreeLimits, draft: Draft, node: int, found: Prunings) -> None:
    """Fill a node's entries so that its test respects the direction of its attribute.

    With two classes, either one branch predicts only the lower class, or the other branch only the higher
    one. A single leaf predicts the same as such a branch.
    """
    n_entries = found.first[node + 1] - found.first[node]
    direction = limits.directions[draft.attribute[node]]
    left = node + 1
    right = left + draft.span[left]
    if direction == 0:
        join(draft, node, found, n_entries, n_entries)
        return
    if found.label[left] == (0 if direction > 0 else 1):
        join(draft, node, found, 1, n_entries)
    if found.label[right] == (1 if direction > 0 else 0):
        join(draft, node, found, n_entries, 1)


class Archive(NamedTuple):
    """The best tree of every size during the search, for kernels; trees are stored one after the other.

    The sizes are all small ones, then steps of a twentieth, so that a front of up to a thousand leaves has
    about a hundred trees.
    """

    n_leaves: Longs  # [place]: the size
    first: Longs  # [place]: the first node of its tree
    score: Longs  # [place]: NO_TREE if there is none
    best: Longs  # [place]: after the search, the place of the most accurate tree up to this size
    proven: Longs  # [place]: 1 if no tree of at most this size is better
    trees: Draft
    middle: Floats  # [node]: the middle of its gap; set after the search, for the best places


def sizes_up_to(most_leaves: int) -> NDArray[np.int64]:
    """Return the sizes of a front: numbers of leaves."""
    sizes = [1]
    while sizes[-1] < most_leaves:
        step = 1 if sizes[-1] < _ALL_UP_TO else int(sizes[-1] * _STEP) + 1 - sizes[-1]
        sizes.append(min(most_leaves, sizes[-1] + step))
    return np.array(sizes, dtype=np.int64)


def make_archive(most_leaves: int) -> Archive:
    """Return an empty front."""
    sizes = sizes_up_to(most_leaves)
    ends = np.cumsum(2 * sizes - 1)
    n_sizes, n_nodes = len(sizes), int(ends[-1])
    return Archive(
        n_leaves=sizes,
        first=np.concatenate(([0], ends[:-1])),
        score=np.full(n_sizes, NO_TREE),
        best=np.zeros(n_sizes, dtype=np.int64),
        proven=np.zeros(n_sizes, dtype=np.int64),
        trees=make_draft(n_nodes),
        middle=np.full(n_nodes, np.inf),
    )


def up_to(archive: Archive, place: int) -> Archive:
    """Return the sizes of a front up to a place; what improves them improves the front."""
    n_leaves, first, score, best, proven = (numbers[: place + 1] for numbers in archive[:5])
    return Archive(n_leaves, first, score, best, proven, archive.trees, archive.middle)


def tree_at(archive: Archive, place: int) -> Tree:
    """Return the tree at a place of a front."""
    begin, n_leaves = int(archive.first[place]), int(archive.n_leaves[place])
    nodes = slice(begin, begin + 2 * n_leaves - 1)
    return Tree(*(part[nodes].copy() for part in archive.trees))


@lean
def take_equals(source: Archive, target: Archive) -> None:
    """Copy the trees of a front that are no worse into another front of the same sizes.

    Purity is rounded down for each leaf, so scores that differ by less than a unit per leaf are equal.
    """
    for place in range(len(source.score)):
        ours, n_leaves, begin = source.score[place], source.n_leaves[place], source.first[place]
        if ours != NO_TREE and ours + n_leaves > target.score[place]:
            target.score[place] = ours
            copy_nodes(source.trees, begin, begin + 2 * n_leaves - 1, target.trees, begin)


@lean
def note_best_sizes(archive: Archive, unit: int) -> None:
    """Set the best place up to every size by scores in units, the smallest of equal ones."""
    for place in range(1, len(archive.score)):
        before = archive.best[place - 1]
        is_better = archive.score[place] // unit > archive.score[before] // unit
        archive.best[place] = place if is_better else before


@lean
def load(archive: Archive, place: int, draft: Draft) -> int:
    """Copy the tree of a size, or of the next smaller one that has a tree, into a draft; return its nodes."""
    while archive.score[place] == NO_TREE:
        place -= 1
    begin, n_nodes = archive.first[place], 2 * archive.n_leaves[place] - 1
    return copy_nodes(archive.trees, begin, begin + n_nodes, draft, 0)


def copied(archive: Archive) -> Archive:
    """Return a copy of a front."""
    trees = Draft(*(part.copy() for part in archive.trees))
    n_leaves, first, score, best, proven = (numbers.copy() for numbers in archive[:5])
    return Archive(n_leaves, first, score, best, proven, trees, archive.middle.copy())


class Prunings(NamedTuple):
    """The best prunings of a tree, by node and number of leaves."""

    label: NDArray[np.int32]  # [node]: its class as a leaf
    first: NDArray[np.int64]  # [node]: where its entries begin
    score: NDArray[np.int64]  # [entry]: the best pruning's below the node, by leaves from 1 on
    n_left: NDArray[np.int32]  # [entry]: leaves of the left branch


@jit
def start_prunings(draft: Draft, n_nodes: int, most_leaves: int, max_depth: int, nodes: Nodes) -> Prunings:
    """Return prunings without scores; nodes at ``max_depth`` only have an entry for a leaf."""
    first = np.empty(n_nodes + 1, dtype=np.int64)
    label = np.empty(n_nodes, dtype=np.int32)
    if max_depth < n_nodes:
        set_depths(draft, n_nodes, nodes)
    first[0] = 0
    for node in range(n_nodes):
        may_test = max_depth >= n_nodes or nodes.depth[node] < max_depth
        n_entries = min(most_leaves, (draft.span[node] + 1) // 2) if may_test else 1
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
    right = left + draft.span[left]
    begin, n_entries = first[node], first[node + 1] - first[node]
    for i in range(min(first[left + 1] - first[left], most_left)):
        on_the_left = score[first[left] + i]
        if on_the_left == NO_TREE:
            continue
        for j in range(min(first[right + 1] - first[right], n_entries - i - 1, most_right)):
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
            target.attribute[n_nodes], target.value[n_nodes] = LEAF, found.label[node]
        else:
            target.attribute[n_nodes], target.value[n_nodes] = draft.attribute[node], draft.value[node]
            left = found.n_left[found.first[node] + leaves - 1]
            stack[n_open, 0], stack[n_open, 1] = node + 1 + draft.span[node + 1], leaves - left
            stack[n_open + 1, 0], stack[n_open + 1, 1] = node + 1, left
            n_open += 2
        n_nodes += 1
    return n_nodes


@jit
def offer(draft: Draft, found: Prunings, archive: Archive, spare: Draft) -> int:
    """Replace worse trees of the front by a tree's best prunings; return their number."""
    n_better = 0
    for place in range(len(archive.score)):
        size = archive.n_leaves[place]
        if size > found.first[1] - found.first[0]:
            break
        score = found.score[size - 1]
        if score > archive.score[place]:
            n = pruned(draft, found, size, spare)
            set_spans(spare, n)
            archive.score[place] = score
            copy_nodes(spare, 0, n, archive.trees, archive.first[place])
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
