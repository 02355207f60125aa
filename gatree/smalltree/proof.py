"""Prove that the small trees of a front are optimal, or replace them by better ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from gatree.data.cases import Cases
from gatree.optimum.problem import OptimumProblem, problem_of, suits_bits
from gatree.optimum.solver import Members, Size, Solver, cost_of
from gatree.optimum.stack import bytes_of_search
from gatree.smalltree.archive import NO_TREE, Archive, tree_at
from gatree.smalltree.gaps import Scale, middle_of
from gatree.smalltree.grow import explained_by
from gatree.smalltree.task import CORRECT_UNIT, DistinctRows, Task, task_of
from gatree.trees.genome import LEAF, Tree, leaves

_MOST_LEAVES = 8
_LEAST_WORK = 20_000
_MOST_SAMPLES = 2**17
_MOST_BYTES = 2**28  # of the solver: with more, the work would not do for a proof either


def prove(rows: DistinctRows, archive: Archive, use_gaps: bool, work: int) -> None:
    """Mark the sizes whose trees are proven to be optimal; replace trees by better ones.

    A proof covers all trees of at most that size. The work is a number of steps, so the proofs do not depend
    on the machine. A tree of the front that is as good is kept. The thresholds of new trees lie in the middle
    of their gaps if ``use_gaps``.
    """
    rungs, limits, work = archive.rungs, rows.limits, max(work, _LEAST_WORK)
    if not is_solvable(rows, n_tests=0):
        return
    rungs["proven"][0] = 1  # there is only one tree
    most = min(_MOST_LEAVES, len(rungs))
    while most > 1 and not is_solvable(rows, most - 1):
        most -= 1
    if most == 1:
        return
    samples, problem = problem_in(rows)
    solver = Solver(problem, Size.of(most - 1, limits.max_depth))
    least = _cost(problem, np.zeros(len(samples), dtype=np.int32))
    for rung in range(most):
        if rung > 0 and rungs["score"][rung] != NO_TREE:
            reached = leaves(tree_at(archive, rung), rows.cases.codes, rows.cases.is_numeric)[samples]
            least = min(least, _cost(problem, reached))
        if rung > 0 and least > 0:
            solver.begin(Size.of(rung, limits.max_depth), least)
            if not solver.go_on(work - solver.steps):
                return
            if solver.cost < least:
                least, nested = solver.cost, solver.nested(max(0, work - solver.steps))
                if cost_of(problem, nested) > least:  # found again only in part, for lack of work
                    return
                insert(rows, archive, rows.scale if use_gaps else None, rung, nested, samples)
        rungs["proven"][rung] = 1
    if least == 0:
        rungs["proven"] = 1


def is_solvable(rows: DistinctRows, n_tests: int) -> bool:
    """Return whether the solver knows the limits of the rows and fits in memory for trees of some tests."""
    limits, cases, n = rows.limits, rows.cases, int(rows.weight.sum())
    if limits.min_split > 2 or limits.first != LEAF or len(rows.gain) or len(limits.directions):
        return False
    as_bits = suits_bits(cases, not rows.are_classes)
    size = bytes_of_search(cases, n, cases.n_classes, n_tests, as_bits) if n_tests > 0 else 0
    return n <= _MOST_SAMPLES and size <= _MOST_BYTES


def problem_in(rows: DistinctRows) -> tuple[Any, OptimumProblem]:
    """Return the row of every sample, and the samples, each of which is one instance of the solver's."""
    cases, samples = rows.cases, np.repeat(np.arange(len(rows.weight)), rows.weight)
    if len(samples) > len(rows.weight):
        codes = cases.codes[:, samples]
        order = np.argsort(codes, axis=1, kind="stable").astype(np.int32)
        cases = cases._replace(codes=codes, classes=cases.classes[samples], order=order)
    target = None if rows.target is None else rows.target[samples].astype(np.float64)
    return samples, problem_of(cases, rows.worth, rows.limits.min_leaf, target)


def _cost(problem: OptimumProblem, reached: Any) -> int:
    """Return the cost of a tree, given the leaf of every sample."""
    of_leaves = (problem.numbers_of(reached == leaf) for leaf in np.unique(reached))
    return sum(problem.weight_and_cost(numbers)[1] for numbers in of_leaves)


def insert(
    rows: DistinctRows, archive: Archive, scale: Scale | None, rung: int, nested: Any, samples: Any
) -> None:
    """Insert a tree, with the number of leaves of its rung, into a finished front if it is better there."""
    rungs, middles, task = archive.rungs, list[float](), task_of(rows)
    shape, _, score = _labelled(rows.cases, task, scale, nested, samples, middles)
    if score <= rungs["score"][rung]:
        return
    tree, unit = Tree.nested(shape), CORRECT_UNIT if rows.are_classes else 1
    nodes = slice(rungs["first"][rung], rungs["first"][rung] + tree.n_nodes)
    archive.nodes[:, nodes], archive.middle[nodes] = (tree.attribute, tree.value, tree.span), middles
    rungs["score"][rung] = score
    worth = rungs["score"] // unit
    for larger in range(rung, len(rungs)):
        before = rungs["best"][larger - 1]
        rungs["best"][larger] = larger if worth[larger] > worth[before] else before


def _labelled(
    cases: Cases, task: Task, scale: Scale | None, nested: Any, samples: Any, middles: list[float]
) -> tuple[Any, Members, int]:
    """Return a tree with a class at every leaf, its rows, and its score; append the middle of every gap."""
    middles.append(np.inf)
    if isinstance(nested, np.ndarray):
        members = np.zeros(len(task.counts), dtype=np.bool_)
        members[samples[nested]] = True
        label, score = _leaf(task, members)
        return label, members, score
    place, (attribute, value, *branches) = len(middles) - 1, nested
    below = [_labelled(cases, task, scale, each, samples, middles) for each in branches]
    shapes, parts, scores = zip(*below, strict=True)
    if scale is not None and cases.is_numeric[attribute]:
        codes = cases.codes[attribute]
        gap = int(codes[parts[0]].max()), int(codes[parts[1]].min())
        middles[place] = middle_of(scale, attribute, *gap, int(cases.n_tests[attribute]))
    return (attribute, value, *shapes), parts[0] | parts[1], sum(scores)


def _leaf(task: Task, members: Members) -> tuple[int, int]:
    """Return the class of a leaf and its score without the purity."""
    counts = task.counts[members]
    if len(task.target) > 0:
        n, total = int(counts.sum()), int((counts * task.target[members]).sum())
        return 0, int(explained_by(total, n) * task.unit) if n > 0 else 0
    correct = np.zeros(task.cases.n_classes, dtype=np.int64)
    np.add.at(correct, task.cases.classes[members], task.stakes[members])
    return int(correct.argmax()), CORRECT_UNIT * int(correct.max(initial=0))
