"""The stale subtrees of a batch of children, merged into one tree: common sets are counted once.

A *branch* is a set of instances: those of its parent branch that pass a test, or those that fail it. The
first branch has all instances. The children of a population share most of their first tests, so most branches
belong to several children. For each branch its instances are counted, and those of one class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.bits.counts import Found
from gatree.evolution.evaluators.bits.masks import Masks, row_at
from gatree.evolution.population import Trees
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined
from gatree.trees.genome import LEAF, Ints, toward

_MOST_BRANCHES = 2**16  # of a batch, unless one child needs more
_MOST_TALLIES = 2**23

N_BRANCHES, BATCH = range(2)  # the columns of `state`

Totals = NDArray[np.int64]
"""Two integers per branch: its instances, and those of its class."""


class Branches(NamedTuple):
    """The branches of a batch, in the form that kernels take."""

    test: Ints  # [branch]: 2 * (row of the test's mask), plus 1 for instances that pass
    level: Ints  # [branch]: the number of tests above it
    above: Ints  # [branch]: its parent
    below: Ints  # [branch]: its first child, or NONE
    next_sibling: Ints  # [branch]: the next child of its parent, or NONE
    class_row: Ints  # [branch]: the row of the mask of the counted class, or NONE
    classes: Ints  # [branch]: the first branch of further classes, which are consecutive
    of_node: Ints  # [child, node]: the branch of a node below a stale node
    state: NDArray[np.int64]  # the number of branches, and of batches so far


def empty_branches(n_children: int, width: int, n_classes: int) -> Branches:
    """Allocate the branches of a batch: up to ``n_children`` children, at least one."""
    of_child = _max_branches_of_child(width, n_classes)
    n_rows = max(1, min(n_children, _MOST_TALLIES // max(1, width * n_classes)))
    n_branches = 1 + of_child * max(1, min(n_rows, _MOST_BRANCHES // of_child))
    test, level, above, below, next_sibling = (np.zeros(n_branches, dtype=np.int32) for _ in range(5))
    class_row, classes = (np.zeros(n_branches, dtype=np.int32) for _ in range(2))
    of_node, state = np.zeros((n_rows, width), dtype=np.int32), np.zeros(2, dtype=np.int64)
    return Branches(test, level, above, below, next_sibling, class_row, classes, of_node, state)


def _max_branches_of_child(n_nodes: int, n_classes: int) -> int:
    """Return the maximum number of branches of a child: the paths to its nodes, and the classes at each."""
    return n_nodes * (max(2, n_classes) + 1)


max_branches_of_child = inlined(_max_branches_of_child)


def _counts_at_leaves(scoring: Scoring) -> bool:
    """Return whether the class of each leaf is counted; else all classes but the last, at every test.

    In the latter case the counts of instances that fail a test follow by subtraction, class by class.
    """
    return not scoring.majority and len(scoring.class_weight) > 2


counts_at_leaves = inlined(_counts_at_leaves)


def empty_found(branches: Branches, scoring: Scoring) -> Found:
    """Allocate the counts of the children of a batch."""
    shape = branches.of_node.shape
    reached, correct = (np.zeros(shape, dtype=np.int32) for _ in range(2))
    n_classes = 0 if _counts_at_leaves(scoring) else len(scoring.class_weight)
    return Found(reached, correct, np.zeros((*shape, n_classes), dtype=np.int64))


@inlined
def reset_branches(branches: Branches) -> None:
    """Start a batch with only the first branch."""
    branches.state[BATCH] += 1
    branches.state[N_BRANCHES] = 1
    branches.below[0] = branches.class_row[0] = NONE
    branches.level[0] = 0


@inlined
def new_branch(branches: Branches, above: int, test: int) -> int:
    """Add a child branch."""
    branch = branches.state[N_BRANCHES]
    branches.state[N_BRANCHES] += 1
    new = U(branch)
    branches.test[new] = test
    branches.level[new] = branches.level[U(above)] + 1
    branches.above[new] = above
    branches.next_sibling[new] = branches.below[U(above)]
    branches.below[new] = branches.class_row[new] = NONE
    branches.below[U(above)] = branch
    return int(branch)


@inlined
def branch_below(branches: Branches, above: int, row: int, passes: bool) -> int:
    """Return the child branch of the instances that pass, or fail, a test; add it if it is missing."""
    test = 2 * row + passes
    branch = np.int64(branches.below[U(above)])
    while branch != NONE and branches.test[U(branch)] != test:
        branch = np.int64(branches.next_sibling[U(branch)])
    return new_branch(branches, above, test) if branch == NONE else int(branch)


@inlined
def count_of_class(branches: Branches, branch: int, class_row: int) -> int:
    """Request the count of a class in a branch; return its index in the totals.

    A second class gets a child branch.
    """
    if branches.class_row[U(branch)] == NONE:
        branches.class_row[U(branch)] = class_row
    if branches.class_row[U(branch)] == class_row:
        return 2 * branch + 1
    return 2 * branch_below(branches, branch, class_row, True)


@inlined
def count_classes(branches: Branches, masks: Masks, branch: int, n_classes: int) -> None:
    """Request the counts of all classes but the last in a branch, once."""
    first_class = masks.first_test[-1]
    if n_classes > 1 and branches.class_row[U(branch)] == NONE:
        branches.class_row[U(branch)] = masks.row_of[first_class]
        branches.classes[U(branch)] = branches.state[N_BRANCHES]
        for label in range(1, n_classes - 1):
            new_branch(branches, branch, 2 * masks.row_of[first_class + label] + 1)


@inlined
def place_of_class(branches: Branches, branch: int, label: int) -> int:
    """Return the index in the totals of a class that `count_classes` has requested."""
    return 2 * branch + 1 if label == 0 else 2 * (branches.classes[U(branch)] + label - 1)


@inlined
def branch_at(branches: Branches, masks: Masks, trees: Trees, slot: int, node: int) -> int:
    """Return the branch of a node; add the branches on the path from the root."""
    here, branch = 0, 0
    while here != node:
        child = toward(trees.span, slot, here, node)
        branch = branch_below(branches, branch, row_at(masks, trees, slot, here), child == here + 1)
        here = child
    return branch


class Batch(NamedTuple):
    """The arguments of kernels that merge children and read their counts; the first child is in row 0."""

    scoring: Scoring
    trees: Trees
    births: Births
    masks: Masks
    branches: Branches
    found: Found


@inlined
def merge(batch: Batch, k: int, row: int) -> None:
    """Add the branches of a child's stale subtrees, whose masks already have rows."""
    trees, masks, branches = batch.trees, batch.masks, batch.branches
    slot, of_node = batch.births.slot[k], branches.of_node
    at_leaves, n_classes = counts_at_leaves(batch.scoring), len(batch.scoring.class_weight)
    for which in range(2):
        stale = batch.births.stale[k, which]
        if stale == NONE:
            continue
        of_node[row, stale] = branch_at(branches, masks, trees, slot, stale)
        if not at_leaves:
            count_classes(branches, masks, of_node[row, stale], n_classes)
        for i in range(stale, stale + trees.span[slot, stale]):
            mask = row_at(masks, trees, slot, i)
            if trees.attribute[slot, i] == LEAF:
                if at_leaves:
                    count_of_class(branches, of_node[row, i], mask)
                continue
            left = i + 1
            right = left + trees.span[slot, left]
            of_node[row, left] = branch_below(branches, of_node[row, i], mask, True)
            if not at_leaves:
                count_classes(branches, masks, of_node[row, left], n_classes)
            if at_leaves or trees.attribute[slot, right] != LEAF:
                of_node[row, right] = branch_below(branches, of_node[row, i], mask, False)


@inlined
def read_node(batch: Batch, totals: Totals, row: int, node: int) -> None:
    """Read the counts of a node, for all classes but the last."""
    found, branch = batch.found, batch.branches.of_node[row, node]
    found.reached[row, node] = totals[2 * branch]
    for label in range(found.tally.shape[2] - 1):
        found.tally[row, node, label] = totals[place_of_class(batch.branches, branch, label)]


@inlined
def subtract(found: Found, row: int, node: int, left: int, right: int) -> None:
    """Compute the counts of instances that fail a test by subtraction."""
    found.reached[row, right] = found.reached[row, node] - found.reached[row, left]
    for label in range(found.tally.shape[2] - 1):
        found.tally[row, right, label] = found.tally[row, node, label] - found.tally[row, left, label]


@inlined
def read_leaf(batch: Batch, slot: int, row: int, leaf: int) -> None:
    """Compute the count of the last class by subtraction, and the correct instances if the class is fixed."""
    scoring, found, label = batch.scoring, batch.found, batch.trees.value[slot, leaf]
    last = found.tally.shape[2] - 1
    found.tally[row, leaf, last] = found.reached[row, leaf]
    for other in range(last):
        found.tally[row, leaf, last] -= found.tally[row, leaf, other]
    correct = found.tally[row, leaf, label] * scoring.class_weight[label]
    found.correct[row, leaf] = 0 if scoring.majority else correct


@inlined
def read_by_classes(batch: Batch, totals: Totals, slot: int, stale: int, row: int) -> None:
    """Read the counts of a subtree if classes were counted at every test."""
    trees = batch.trees
    read_node(batch, totals, row, stale)
    for i in range(stale, stale + trees.span[slot, stale]):
        if trees.attribute[slot, i] == LEAF:
            read_leaf(batch, slot, row, i)
        else:
            left = i + 1
            read_node(batch, totals, row, left)
            subtract(batch.found, row, i, left, left + trees.span[slot, left])


@inlined
def read_at_leaves(batch: Batch, totals: Totals, slot: int, stale: int, row: int) -> None:
    """Read the counts of a subtree if the class of each leaf was counted."""
    trees, masks, branches, found = batch.trees, batch.masks, batch.branches, batch.found
    for i in range(stale, stale + trees.span[slot, stale]):
        branch = branches.of_node[row, i]
        found.reached[row, i] = totals[2 * branch]
        if trees.attribute[slot, i] == LEAF:
            place = count_of_class(branches, branch, row_at(masks, trees, slot, i))
            found.correct[row, i] = totals[place] * batch.scoring.class_weight[trees.value[slot, i]]


@inlined
def read(batch: Batch, totals: Totals, k: int, row: int) -> None:
    """Read the counts of a child's stale subtrees."""
    for which in range(2):
        stale = batch.births.stale[k, which]
        if stale != NONE and counts_at_leaves(batch.scoring):
            read_at_leaves(batch, totals, batch.births.slot[k], stale, row)
        elif stale != NONE:
            read_by_classes(batch, totals, batch.births.slot[k], stale, row)
