"""Evaluate the trees of a front on held-out instances, their thresholds moved to the middle of their gaps.

A candidate threshold lies between two neighbouring values of the whole data set. A node has only some of the
instances, so the gap between those that pass and those that fail may be wider. Its middle separates unseen
values best, and of the numbers near it the shortest is taken (see `gatree.trees.thresholds`). The training
instances are separated as before.

Trees of neighbouring sizes often share most of their tests. So a tree inherits from the one before it: only
the instances below a stale node, at which the two differ, walk again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.coding import CodedData
from gatree.kernels.decorators import branching, lean
from gatree.smalltree.draft import (
    Buffers,
    Draft,
    Nodes,
    Workspace,
    leaf_of,
    next_node,
)
from gatree.smalltree.prune import Archive, load, note_best_sizes, sum_leaves
from gatree.smalltree.task import CORRECT_UNIT, Floats, Scale, Task
from gatree.trees.genome import LEAF, Ints
from gatree.trees.thresholds import between

_NO_CODE = np.iinfo(np.int64).max


@lean
def make_stale(nodes: Nodes, begin: int, end: int) -> None:
    """Note that nothing is known about the gaps of some nodes."""
    for node in range(begin, end):
        nodes.stale[node], nodes.passes[node], nodes.fails[node] = 1, -1, _NO_CODE


@lean
def start_at_root(nodes: Nodes, n_nodes: int, leaf_of: Ints) -> None:
    """Let every instance walk from the root: there is no tree to inherit from."""
    make_stale(nodes, 0, n_nodes)
    nodes.top[0] = 0
    for instance in range(len(leaf_of)):
        leaf_of[instance] = 0


@lean
def inherit(archive: Archive, last: int, place: int, nodes: Nodes) -> None:
    """Inherit gaps from the last tree down to the nodes at which the tests differ; below, all are stale.

    The top of every node of the last tree is the stale node, or the leaf, that is now in its place.
    """
    trees, middle = archive.trees, archive.middle
    old, new = archive.first[last], archive.first[place]
    root, end = new, new + trees.span[new]
    while new < end:
        is_equal = trees.attribute[old] == trees.attribute[new] and trees.value[old] == trees.value[new]
        if is_equal and trees.attribute[new] != LEAF:
            nodes.stale[new - root], middle[new] = 0, middle[old]
            old, new = old + 1, new + 1
        else:
            first = old - archive.first[last]
            for node in range(first, first + trees.span[old]):
                nodes.top[node] = new - root
            make_stale(nodes, new - root, new - root + trees.span[new])
            old, new = old + trees.span[old], new + trees.span[new]


@lean
def start(archive: Archive, last: int, place: int, buffers: Buffers) -> None:
    """Let every instance walk from a stale node of the tree of a place, or from its root if none is last."""
    first = archive.first[place]
    if last >= 0:
        inherit(archive, last, place, buffers.nodes)
    else:
        start_at_root(buffers.nodes, archive.trees.span[first], buffers.leaf_of)


@lean
def note_middles(archive: Archive, place: int, nodes: Nodes) -> None:
    """Write the middles of the stale nodes of a tree into the archive, which has the others."""
    first = archive.first[place]
    for node in range(archive.trees.span[first]):
        if nodes.stale[node] == 1:
            archive.middle[first + node] = nodes.middle[node]


@lean
def gaps(cases: CodedData, draft: Draft, nodes: Nodes, leaf_of: Ints) -> None:
    """Walk on from the top of every instance's leaf to its new leaf.

    Write the largest code that passes and the smallest that fails at every stale node.
    """
    for instance in range(len(cases.classes)):
        node = nodes.top[leaf_of[instance]]
        while draft.attribute[node] != LEAF:
            code = cases.codes[draft.attribute[node], instance]
            below = next_node(cases, draft, node, instance)
            if below == node + 1:
                nodes.passes[node] = max(nodes.passes[node], code)
            else:
                nodes.fails[node] = min(nodes.fails[node], code)
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
def middles(cases: CodedData, scale: Scale, draft: Draft, n_nodes: int, nodes: Nodes) -> None:
    """Write the middle of every stale node's gap, given the `gaps`, or infinity if there is none."""
    for node in range(n_nodes):
        if nodes.stale[node] == 0:
            continue
        attribute = draft.attribute[node]
        nodes.middle[node] = np.inf
        if attribute != LEAF and cases.is_numeric[attribute]:
            n_tests = cases.n_tests[attribute]
            passing, failing = nodes.passes[node], nodes.fails[node]
            nodes.middle[node] = middle_of(scale, attribute, passing, failing, n_tests)


@lean
def center(cases: CodedData, scale: Scale, draft: Draft, n_nodes: int, nodes: Nodes) -> None:
    """Move every stale threshold to the code next to the middle of its gap, given the `middles`."""
    for node in range(n_nodes):
        if nodes.stale[node] == 1 and nodes.middle[node] < np.inf:
            attribute = draft.attribute[node]
            first = scale.first[attribute]
            code, last = nodes.passes[node], cases.n_tests[attribute] - 1
            while code < last and scale.smallest[first + code + 1] <= nodes.middle[node]:
                code += 1
            draft.value[node] = code


class HeldOut(NamedTuple):
    """The instances that fronts are evaluated on, and the results."""

    task: Task  # of the held-out instances
    scale: Scale
    use_gaps: bool  # whether thresholds move to the middle of their gaps
    shrinkages: Floats
    errors: Floats  # [front, shrinkage, place]: the sum of all samples' errors
    squares: Floats  # [front, shrinkage, place]: the sum of their squares
    leaf_of: NDArray[np.int32]  # [instance], of the tree evaluated last


@branching
def evaluate_held_out(workspace: Workspace, archive: Archive, held_out: HeldOut, front: int) -> None:
    """Set the best places of a front, their trees' thresholds, and their errors on held-out instances."""
    task, buffers, draft = workspace.task, workspace.buffers, workspace.one
    note_best_sizes(archive, CORRECT_UNIT if task.are_classes else 1)
    errors, squares = held_out.errors[front], held_out.squares[front]
    last = -1
    for place in range(len(archive.score)):
        if archive.best[place] != place:
            for row in range(len(held_out.shrinkages)):
                errors[row, place], squares[row, place] = errors[row, place - 1], squares[row, place - 1]
            continue
        n_nodes = load_centred(workspace, archive, held_out, place, last)
        for instance in range(len(held_out.leaf_of)):
            top = 0 if last < 0 else buffers.nodes.top[held_out.leaf_of[instance]]
            held_out.leaf_of[instance] = leaf_of(held_out.task.cases, draft, top, instance)
        last = place
        if not task.are_classes:
            average(task, draft, n_nodes, buffers)
        for row in range(len(held_out.shrinkages)):
            if not task.are_classes:
                shrink(buffers, draft, n_nodes, held_out.shrinkages[row])
            total, of_squares = 0.0, 0.0
            for instance in range(len(held_out.task.counts)):
                n = held_out.task.counts[instance]
                error = _error(held_out.task, buffers, draft, instance, held_out.leaf_of[instance])
                total, of_squares = total + n * error, of_squares + n * error * error
            errors[row, place], squares[row, place] = total, of_squares


@lean
def load_centred(workspace: Workspace, archive: Archive, held_out: HeldOut, place: int, last: int) -> int:
    """Load the tree of a place with its stale thresholds as they are evaluated; return its number of nodes.

    It inherits from the tree at the place ``last``, loaded before, or from none if that is negative.
    """
    cases, buffers, draft = workspace.task.cases, workspace.buffers, workspace.one
    nodes = buffers.nodes
    n_nodes = load(archive, place, draft)
    start(archive, last, place, workspace.buffers)
    gaps(cases, draft, nodes, buffers.leaf_of)
    if held_out.use_gaps:
        middles(cases, held_out.scale, draft, n_nodes, nodes)
        note_middles(archive, place, nodes)
        center(cases, held_out.scale, draft, n_nodes, nodes)
    return int(n_nodes)


@lean
def _error(task: Task, buffers: Buffers, draft: Draft, instance: int, leaf: int) -> float:
    """Return the error of one sample of an instance: its lost weight, or its squared distance."""
    if not task.are_classes:
        off = float(task.target[instance]) - buffers.nodes.shrunk[leaf]
        return float(off * off)
    label, given = task.cases.classes[instance], draft.value[leaf]
    if len(task.gain) > 0:
        most = 0
        for other in range(len(task.gain)):
            most = max(most, task.gain[label, other])
        return float(most - task.gain[label, given])
    return 0.0 if given == label else task.stakes[instance] / task.counts[instance]


@lean
def average(task: Task, draft: Draft, n_nodes: int, buffers: Buffers) -> None:
    """Record every node's samples and their mean, given the leaf of every instance.

    A node without samples keeps its parent's mean. The sums are of integers, so they are exact in any order.
    """
    nodes = buffers.nodes
    sum_leaves(task, buffers, n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        if draft.attribute[node] != LEAF:
            for child in (node + 1, node + 1 + draft.span[node + 1]):
                nodes.n_here[node] += nodes.n_here[child]
                nodes.total[node] += nodes.total[child]
    nodes.mean[0] = 0.0
    for node in range(n_nodes):
        if nodes.n_here[node] > 0:
            nodes.mean[node] = float(nodes.total[node]) / float(nodes.n_here[node])
        if draft.attribute[node] != LEAF:
            for child in (node + 1, node + 1 + draft.span[node + 1]):
                nodes.mean[child] = nodes.mean[node]


@lean
def shrink(buffers: Buffers, draft: Draft, n_nodes: int, shrinkage: float) -> None:
    """Write the shrunk prediction of every node, given the results of `average`.

    The difference between a node and its parent, of n samples, is multiplied by n / (n + shrinkage)
    (hierarchical shrinkage: Agarwal et al., 2022).
    """
    nodes = buffers.nodes
    nodes.shrunk[0] = nodes.mean[0]
    for node in range(n_nodes):
        if draft.attribute[node] != LEAF:
            left = node + 1
            n = nodes.n_here[node]
            share = n / (n + shrinkage) if n > 0 else 0.0
            for child in (left, left + draft.span[left]):
                away = nodes.mean[child] - nodes.mean[node]
                nodes.shrunk[child] = nodes.shrunk[node] + share * away
