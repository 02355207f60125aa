"""Branches: the ways from the root to a node, each with the number of its instances.

A branch is another one, narrowed by one more test that its instances pass or fail. The class is a test, too:
the instances of a class at a leaf are the last branch on the way down. Trees have most of their branches in
common, with one another and with the trees of earlier generations, so a branch is counted once. When the
table of branches is full, it starts again.

Instances that fail a test are not counted: their number follows by subtraction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.evaluators.masks import NOT_KEPT
from gatree.evolution.population import Slots, Trees
from gatree.kernels.decorators import U, lean
from gatree.trees.genome import LEAF, Ints, toward

ROOT = 0
"""The branch of all instances; in `slots` it stands for a free slot."""

MOST_BRANCHES = 2**15
"""The branches in the table, unless one tree has more."""

N_BRANCHES, N_COUNTED = range(2)  # the columns of `state`


_FIELDS = ("above", "step", "depth", "n_instances")
BRANCH = np.dtype([(name, np.int32) for name in _FIELDS], align=True)
"""The branch that it narrows; twice the number of the test in between, and 1 more if its instances fail it;
its depth; and the number of its instances, unless they fail the test."""


class Branches(NamedTuple):
    """A hash table of branches, in the form that kernels take."""

    known: NDArray[np.generic]  # [branch]
    slots: Ints  # [slot]: a branch
    state: NDArray[np.int64]  # the numbers of branches, and of those that have been counted


def empty_branches(n: int) -> Branches:
    """Allocate a table of at least ``n`` branches."""
    n = max(n, MOST_BRANCHES)
    slots = np.zeros(2 ** (2 * n - 1).bit_length(), dtype=np.int32)
    return Branches(np.zeros(n, dtype=BRANCH), slots, np.ones(2, dtype=np.int64))


@lean
def clear(branches: Branches) -> None:
    """Forget all branches but the root."""
    branches.slots[:] = ROOT
    branches.state[:] = 1


@lean
def narrowed(branches: Branches, above: int, step: int, n_alike: int) -> int:
    """Return the branch after a step, which is added if it is new.

    It is the first of `n_alike` branches, one for each of as many tests from the step's on.
    """
    last = len(branches.slots) - 1
    mixed = np.int64(above) * 0x9E3779B1 + np.int64(step) * 0x85EBCA77
    slot = (mixed ^ (mixed >> 15)) & last
    while branches.slots[U(slot)] != ROOT:
        found = branches.slots[U(slot)]
        known = branches.known[U(found)]
        if known["above"] == above and known["step"] == step:
            return int(found)
        slot = (slot + 1) & last
    first = branches.state[N_BRANCHES]
    branches.slots[U(slot)] = first
    for k in range(n_alike):
        new = branches.known[U(first + k)]
        new["above"], new["step"], new["n_instances"] = above, step + 2 * k, 0
        new["depth"] = branches.known[U(above)]["depth"] + 1
    branches.state[N_BRANCHES] = first + n_alike
    return int(first)


@lean
def test_at(first_test: Slots, trees: Trees, slot: int, node: int) -> int:
    """Return the number of a node's test, or of a leaf's class: LEAF is the last column."""
    return int(first_test[trees.attribute[U(slot), U(node)]] + trees.value[U(slot), U(node)])


@lean
def trace(
    branches: Branches, first_test: Slots, trees: Trees, slot: int, node: int, n_tallied: int, found: Ints
) -> None:
    """Find the branches of all nodes of a subtree; for a leaf, the branch of its class.

    With majority leaves it is the first of `n_tallied` classes.
    """
    here, branch = 0, ROOT
    while here != node:
        child = toward(trees.span, slot, here, node)
        step = 2 * test_at(first_test, trees, slot, here) + (0 if child == here + 1 else 1)
        here, branch = child, narrowed(branches, branch, step, 1)
    found[U(node)] = branch
    for i in range(node, node + trees.span[U(slot), U(node)]):
        branch = found[U(i)]
        if trees.attribute[U(slot), U(i)] != LEAF:
            step = 2 * test_at(first_test, trees, slot, i)
            found[U(i + 1)] = narrowed(branches, branch, step, 1)
            found[U(i + 1 + trees.span[U(slot), U(i + 1)])] = narrowed(branches, branch, step + 1, 1)
        elif n_tallied > 0:
            found[U(i)] = narrowed(branches, branch, 2 * first_test[-1], n_tallied)
        else:
            found[U(i)] = narrowed(branches, branch, 2 * test_at(first_test, trees, slot, i), 1)


@lean
def find_missing(
    branches: Branches, row_of: Ints, n_kept: int, n_rows: int, missing: Ints
) -> tuple[int, int]:
    """Give rows to the masks that the branches which have not been counted need; write down their tests.

    Returns the branch after the last one for which there are rows, and the number of missing masks.
    """
    branches, n_missing = Branches(*branches), 0
    last = branches.state[N_BRANCHES]
    for branch in range(branches.state[N_COUNTED], last):
        above = branch
        while above != ROOT:
            test = branches.known[U(above)]["step"] >> 1
            if row_of[U(test)] == NOT_KEPT:
                if n_kept + n_missing == n_rows:
                    return branch, n_missing
                row_of[U(test)] = n_kept + n_missing
                missing[n_missing] = test
                n_missing += 1
            above = branches.known[U(above)]["above"]
    return int(last), n_missing
