"""Prove that the small trees of a front are optimal, or replace them by better ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from gatree.data.cases import Cases
from gatree.front.archive import IMPOSSIBLE, Archive
from gatree.front.gaps import Scale, middle_of
from gatree.front.goal import CORRECT_UNIT, Goal
from gatree.kernels.interpreting import interpreting
from gatree.optimum.problem import problem_of
from gatree.optimum.solver import Members, Size, Solver
from gatree.trees.genome import LEAF, Tree

_MOST_LEAVES = 8
_LEAST_WORK = 20_000


def prove(cases: Cases, goal: Goal, archive: Archive, scale: Scale | None, work: int) -> None:
    """Mark the sizes whose trees are proven to be optimal; replace trees by better ones.

    A proof covers all trees of at most that size. The work is a number of steps, so the proofs do not depend
    on the machine. A tree of the front with equally few errors is kept. With a scale, the thresholds of new
    trees lie in the middle of their gaps.
    """
    rungs = archive.rungs
    limits = goal.limits
    unsupported = limits.min_split > 2 or limits.min_decrease > 0 or limits.first != LEAF
    if unsupported or len(goal.gain) or len(limits.directions):
        return  # the solver supports none of these
    most, fewest = min(_MOST_LEAVES, len(rungs)), int(goal.worth[cases.classes].sum())
    total, work = fewest, max(work, _LEAST_WORK)
    solver = Solver(problem_of(cases, goal.worth, goal.min_leaf), Size.of(most - 1, limits.max_depth))
    for rung in range(most):
        if rungs["score"][rung] != IMPOSSIBLE:
            fewest = min(fewest, total - int(rungs["score"][rung]) // CORRECT_UNIT)
        if rung > 0 and fewest > 0:
            solver.begin(Size.of(rung, limits.max_depth), fewest)
            if not solver.go_on(work - solver.steps):
                return
            if solver.cost < fewest:
                fewest = solver.cost
                rungs["score"][rung] = CORRECT_UNIT * (total - fewest)
                _replace(cases, goal, archive, scale, (rung, solver.nested()))
        rungs["proven"][rung] = 1
    if fewest == 0:
        rungs["proven"] = 1


def _replace(
    cases: Cases, goal: Goal, archive: Archive, scale: Scale | None, better: tuple[int, Any]
) -> None:
    """Insert a better tree, with the number of leaves of its rung, into a finished front."""
    rung, nested = better
    rungs, middles = archive.rungs, list[float]()
    with interpreting():
        shape, _ = _labelled(cases, goal, scale, nested, middles)
    tree = Tree.nested(shape)
    nodes = slice(rungs["first"][rung], rungs["first"][rung] + tree.n_nodes)
    archive.nodes[:, nodes], archive.middle[nodes] = (tree.attribute, tree.value, tree.span), middles
    correct = rungs["score"] // CORRECT_UNIT
    for larger in range(rung, len(rungs)):
        before = rungs["best"][larger - 1]
        rungs["best"][larger] = larger if correct[larger] > correct[before] else before


def _labelled(
    cases: Cases, goal: Goal, scale: Scale | None, nested: Any, middles: list[float]
) -> tuple[Any, Members]:
    """Return a tree with a class at every leaf, and its instances; append the middle of every node's gap."""
    middles.append(np.inf)
    if isinstance(nested, np.ndarray):
        weights = np.bincount(cases.classes[nested], minlength=len(goal.worth)) * goal.worth
        return int(weights.argmax()), nested
    place, (attribute, value, *branches) = len(middles) - 1, nested
    shapes, members = zip(*(_labelled(cases, goal, scale, each, middles) for each in branches), strict=True)
    if scale is not None and cases.is_numeric[attribute]:
        codes = cases.codes[attribute]
        gap = int(codes[members[0]].max()), int(codes[members[1]].min())
        middles[place] = middle_of(scale, attribute, *gap, int(cases.n_tests[attribute]))
    return (attribute, value, *shapes), members[0] | members[1]
