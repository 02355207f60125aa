"""What a child takes over from its parent, in all evaluators: the counts of the nodes that are not stale."""

from __future__ import annotations

from gatree.evolution.breed import NONE, Births
from gatree.evolution.population import Trees
from gatree.kernels.decorators import U, inlined
from gatree.trees.genome import Ints


@inlined
def inherit_run(
    source: int, there: int, child: int, here: int, n: int, reached: Ints, correct: Ints
) -> tuple[int, int]:
    """Take over the counts of n nodes in a row; return their sums."""
    checks, n_correct = 0, 0
    for k in range(n):
        old, new = U(there + k), U(here + k)
        checks += reached[U(source), old]
        n_correct += correct[U(source), old]
        reached[U(child), new] = reached[U(source), old]
        correct[U(child), new] = correct[U(source), old]
    return checks, n_correct


@inlined
def inherit_nodes(trees: Trees, births: Births, k: int, reached: Ints, correct: Ints) -> tuple[int, int]:
    """Take over the parent's counts for all of a child's nodes outside the stale subtrees.

    There the two trees are the same, node by node. A stale node itself has the same instances in both.
    Returns what is inherited: the node-instance-checks saved, and the correct instances.
    """
    child, source = births.slot[k], births.source[k]
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
