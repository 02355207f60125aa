"""Evaluate children: the loop that the evaluators share, and its steps on the nodes of a tree.

A child inherits its parent's counts at every node outside its stale subtrees. The instances at its stale
nodes are classified, which is what distinguishes the evaluators. The tree's correct instances are the sum
over its leaves, and the ledger records what this has cost and what it has saved.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.contract import CHECKS, CHECKS_FULL, RECLASSIFIED, TOTAL
from gatree.evolution.generation import EvaluateKernel
from gatree.evolution.population import Trees
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined, lean, specialised
from gatree.trees.genome import LEAF, Ints


def begin(trees: Trees, births: Births, k: int, kept: Any) -> tuple[int, int]:
    """Stand for a kernel that prepares a child and returns the checks saved and the correct inherited."""
    raise NotImplementedError


def classify(trees: Trees, births: Births, k: int, node: int, kept: Any) -> tuple[int, int]:
    """Stand for a kernel that classifies below a node and returns the checks made and the correct found."""
    raise NotImplementedError


INHERITS = True  # else every child is classified from its root, in row 0


def evaluate_children(
    trees: Trees, births: Births, first: int, last: int, ledger: NDArray[np.int64], kept: Any
) -> None:
    """Evaluate a range of children: inherit, classify, settle and book each of them.

    `kept` has the fields `n_instances`, `scoring`, and `reached` and `correct`, the counts of nodes.
    """
    for k in range(first, last):
        child = births.slot[k]
        row = child if INHERITS else 0
        checks_saved, n_correct = begin(trees, births, k, kept)
        if births.is_known[k]:
            trees.n_correct[child] = trees.n_correct[births.source[k]]
            continue
        checks = 0
        for which in range(2):
            node = births.stale[k, which] if INHERITS else (0 if which == 0 else NONE)
            if node != NONE:
                made, found = classify(trees, births, k, node, kept)
                checks, n_correct = checks + made, n_correct + found
                ledger[RECLASSIFIED] += kept.reached[row, node]
        too_small = has_small_leaf(kept.scoring, trees, child, kept.reached, row)
        trees.n_correct[child] = 0 if too_small else n_correct
        book(ledger, births, k, kept.n_instances, checks, checks_saved)


def make_kernel(name: str, begin: Any, classify: Any, *, inherits: bool = True) -> EvaluateKernel:
    """Return the kernel of an evaluator: `evaluate_children` with these steps."""
    parts = {"begin": begin, "classify": classify, "INHERITS": inherits}
    return lean(specialised(evaluate_children, name, **parts))


@inlined
def inherit_run(
    source: int, there: int, child: int, here: int, n: int, reached: Ints, correct: Ints
) -> tuple[int, int]:
    """Copy the counts of n consecutive nodes; return their sums."""
    checks, n_correct = 0, 0
    for k in range(n):
        old, new = U(there + k), U(here + k)
        checks += reached[U(source), old]
        n_correct += correct[U(source), old]
        reached[U(child), new] = reached[U(source), old]
        correct[U(child), new] = correct[U(source), old]
    return checks, n_correct


@inlined
def inherit_counts(trees: Trees, births: Births, k: int, kept: Any) -> tuple[int, int]:
    """Copy the parent's counts to the nodes of a child outside its stale subtrees.

    There the two trees are identical. A stale node itself has the same instances in both, and the root of an
    initial tree has all instances.
    Returns the inherited totals: the node-instance checks saved, and the correct instances.
    """
    child, source = births.slot[k], births.source[k]
    reached, correct = kept.reached, kept.correct
    if source == NONE:
        reached[child, 0] = kept.n_instances
        return 0, 0
    here, there = 0, 0
    checks, n_correct = 0, 0
    for which in range(2):
        stale = births.stale[k, which]
        if stale != NONE:
            n = stale - here
            more_checks, more_correct = inherit_run(source, there, child, here, n, reached, correct)
            checks, n_correct = checks + more_checks, n_correct + more_correct
            there += n
            reached[child, stale] = reached[source, there]
            here, there = stale + trees.span[child, stale], there + trees.span[source, there]
    n = trees.n_nodes[child] - here
    more_checks, more_correct = inherit_run(source, there, child, here, n, reached, correct)
    return checks + more_checks, n_correct + more_correct


@inlined
def has_instances(tally: NDArray[np.int64]) -> bool:
    """Return whether any instance was counted, of any class."""
    for label in range(len(tally)):  # noqa: SIM110  numba does not support generators
        if tally[label] > 0:
            return True
    return False


@inlined
def settle_by_gain(
    gain: NDArray[np.int64], trees: Trees, slot: int, node: int, tally: NDArray[np.int64]
) -> int:
    """Assign a leaf the label with the largest gain on its instances; return that gain."""
    best, most = 0, np.int64(-1)
    for label in range(len(tally)):
        total = np.int64(0)
        for true in range(len(tally)):
            total += tally[true] * gain[true, label]
        if total > most:
            best, most = label, total
    if has_instances(tally):
        trees.value[slot, node] = best
    return int(most)


@inlined
def explained(target: NDArray[np.int64], order: Any, row: int, start: int, n: int) -> int:
    """Return the explained sum of squares of a leaf: the squared sum of its targets, divided by their number.

    The total over the leaves, minus that of the root, is the reduction of the squared error of the mean.
    It is rounded down at every leaf, so it is an integer that depends only on the leaf's instances.
    """
    total = np.int64(0)
    for position in range(U(start), U(start) + U(n)):
        total += target[order[row, position]]
    return int(total * total // n) if n > 0 else 0


@inlined
def settle_leaf(scoring: Scoring, trees: Trees, slot: int, node: int, tally: NDArray[np.int64]) -> int:
    """Assign a leaf the class with the largest weight among its instances; return that weight.

    Ties go to the lowest class. A leaf without instances keeps its class. With costs, the class with the
    largest gain is assigned.
    """
    if len(scoring.gain) > 0:
        return settle_by_gain(scoring.gain, trees, slot, node, tally)
    heaviest = 0
    for label in range(1, len(tally)):
        if tally[label] * scoring.class_weight[label] > tally[heaviest] * scoring.class_weight[heaviest]:
            heaviest = label
    if has_instances(tally):
        trees.value[slot, node] = heaviest
    return int(tally[heaviest] * scoring.class_weight[heaviest])


@inlined
def has_small_leaf(scoring: Scoring, trees: Trees, slot: int, reached: Ints, row: int) -> bool:
    """Return whether a leaf other than the root has fewer than `min_leaf` instances."""
    if scoring.min_leaf > 0:
        for node in range(1, trees.n_nodes[slot]):
            if trees.attribute[slot, node] == LEAF and reached[row, node] < scoring.min_leaf:
                return True
    return False


@inlined
def book(
    ledger: NDArray[np.int64], births: Births, k: int, n_instances: int, checks: int, checks_saved: int
) -> None:
    """Add one child to the ledger: its instances, the checks made, and the checks saved."""
    if births.is_known[k]:
        return
    ledger[TOTAL] += n_instances
    ledger[CHECKS] += checks
    ledger[CHECKS_FULL] += checks_saved + checks
