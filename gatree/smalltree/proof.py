"""What the exact solver adds to a front: proofs of small trees, and optimal last levels.

Evolution finds good last levels, but with a limited depth a better test near the root is of use only together
with new tests below it. So here every such test is judged by the optimal trees below it, which the solver
finds in milliseconds. Tests near the root come from the trees of the front, and their thresholds are moved in
steps that halve.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.coding import CodedData
from gatree.optimum.problem import OptimumProblem, problem_of, suits_bits
from gatree.optimum.solver import Labelled, Members, Nested, Size, Solver, cost_of
from gatree.optimum.stack import bytes_of_search
from gatree.smalltree.grow import explained_by
from gatree.smalltree.held_out import middle_of
from gatree.smalltree.prune import NO_TREE, Archive, tree_at
from gatree.smalltree.task import CORRECT_UNIT, DistinctRows, Scale, Task, task_of
from gatree.trees.genome import LEAF, Tree, leaves

Rows = NDArray[np.intp]

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
    limits, work = rows.limits, max(work, _LEAST_WORK)
    if not is_solvable(rows, n_tests=0):
        return
    archive.proven[0] = 1  # there is only one tree
    most = min(_MOST_LEAVES, len(archive.score))
    while most > 1 and not is_solvable(rows, most - 1):
        most -= 1
    if most == 1:
        return
    samples, problem = problem_in(rows)
    solver = Solver(problem, Size.of(most - 1, limits.max_depth))
    least = _cost(problem, np.zeros(len(samples), dtype=np.int32))
    for place in range(most):
        if place > 0 and archive.score[place] != NO_TREE:
            reached = leaves(tree_at(archive, place), rows.cases.codes, rows.cases.is_numeric)[samples]
            least = min(least, _cost(problem, reached))
        if place > 0 and least > 0:
            solver.begin(Size.of(place, limits.max_depth), least)
            if not solver.go_on(work - solver.steps):
                return
            if solver.cost < least:
                least, nested = solver.cost, solver.nested(max(0, work - solver.steps))
                if cost_of(problem, nested) > least:  # found again only in part, for lack of work
                    return
                insert(rows, archive, rows.scale if use_gaps else None, place, nested, samples)
        archive.proven[place] = 1
    if least == 0:
        archive.proven[:] = 1


def is_solvable(rows: DistinctRows, n_tests: int) -> bool:
    """Return whether the solver knows the limits of the rows and fits in memory for trees of some tests."""
    limits, cases, n = rows.limits, rows.cases, int(rows.weight.sum())
    if limits.min_split > 2 or limits.first != LEAF or len(rows.gain) or len(limits.directions):
        return False
    as_bits = suits_bits(cases, not rows.are_classes)
    size = bytes_of_search(cases, n, cases.n_classes, n_tests, as_bits) if n_tests > 0 else 0
    return n <= _MOST_SAMPLES and size <= _MOST_BYTES


def problem_in(rows: DistinctRows) -> tuple[Rows, OptimumProblem]:
    """Return the row of every sample, and the samples, each of which is one instance of the solver's."""
    cases, samples = rows.cases, np.repeat(np.arange(len(rows.weight)), rows.weight)
    if len(samples) > len(rows.weight):
        codes = cases.codes[:, samples]
        order = np.argsort(codes, axis=1, kind="stable").astype(np.int32)
        cases = cases._replace(codes=codes, classes=cases.classes[samples], order=order)
    target = None if rows.target is None else rows.target[samples].astype(np.float64)
    return samples, problem_of(cases, rows.worth, rows.limits.min_leaf, target)


def _cost(problem: OptimumProblem, reached: NDArray[np.int32]) -> int:
    """Return the cost of a tree, given the leaf of every sample."""
    of_leaves = (problem.numbers_of(reached == leaf) for leaf in np.unique(reached))
    return sum(problem.weight_and_cost(numbers)[1] for numbers in of_leaves)


def insert(
    rows: DistinctRows, archive: Archive, scale: Scale | None, place: int, nested: Nested, samples: Rows
) -> None:
    """Insert a tree of the size at a place into a finished front if it is better there."""
    middles, task = list[float](), task_of(rows)
    shape, _, score = _labelled(rows.cases, task, scale, nested, samples, middles)
    if score <= archive.score[place]:
        return
    tree, unit = Tree.nested(shape), CORRECT_UNIT if rows.are_classes else 1
    nodes = slice(archive.first[place], archive.first[place] + tree.n_nodes)
    for part, values in zip(archive.trees, (tree.attribute, tree.value, tree.span), strict=True):
        part[nodes] = values
    archive.middle[nodes] = middles
    archive.score[place] = score
    worth = archive.score // unit
    for larger in range(place, len(archive.score)):
        before = archive.best[larger - 1]
        archive.best[larger] = larger if worth[larger] > worth[before] else before


class _Branch(NamedTuple):
    """A tree with a class at every leaf, its rows, and its score."""

    shape: Labelled
    members: Members
    score: int


def _labelled(
    cases: CodedData, task: Task, scale: Scale | None, nested: Nested, samples: Rows, middles: list[float]
) -> _Branch:
    """Label the leaves of a tree; append the middle of every gap."""
    middles.append(np.inf)
    if isinstance(nested, np.ndarray):
        members = np.zeros(len(task.counts), dtype=np.bool_)
        members[samples[nested]] = True
        label, score = _leaf(task, members)
        return _Branch(label, members, score)
    node = len(middles) - 1
    attribute, value, *branches = nested
    left, right = (_labelled(cases, task, scale, each, samples, middles) for each in branches)
    if scale is not None and cases.is_numeric[attribute]:
        codes = cases.codes[attribute]
        gap = int(codes[left.members].max()), int(codes[right.members].min())
        middles[node] = middle_of(scale, attribute, *gap, int(cases.n_tests[attribute]))
    shape = (attribute, value, left.shape, right.shape)
    return _Branch(shape, left.members | right.members, left.score + right.score)


def _leaf(task: Task, members: Members) -> tuple[int, int]:
    """Return the class of a leaf and its score without the purity."""
    counts = task.counts[members]
    if len(task.target) > 0:
        n, total = int(counts.sum()), int((counts * task.target[members]).sum())
        return 0, int(explained_by(total, n) * task.unit) if n > 0 else 0
    correct = np.zeros(task.cases.n_classes, dtype=np.int64)
    np.add.at(correct, task.cases.classes[members], task.stakes[members])
    return int(correct.argmax()), CORRECT_UNIT * int(correct.max(initial=0))


DEPTHS = range(3, 6)  # of trees whose ends are solved; up to 32 leaves every size is in a front

END = Size(tests=3, depth=2)
"""The last two levels of a tree."""

_STARTS = 4  # trees, the largest first
_STEPS = 16  # the largest steps over all thresholds of an attribute
_NO_LIMIT = 2**60

Test = tuple[int, int]  # an attribute and a value
Path = tuple[bool, ...]  # from the root down, whether an instance passes the test
Top = dict[Path, Test]  # the tests of a tree without its last two levels


def solve_ends(rows: DistinctRows, archive: Archive, use_gaps: bool, work: int) -> None:
    """Replace the largest tree of a front by a better one of the same depth, in a number of steps."""
    ends, depth = _Ends(rows, work), rows.limits.max_depth
    found = np.flatnonzero(archive.score != NO_TREE)
    trees = [tree_at(archive, int(place)) for place in reversed(found)]
    tests = Counter(test for tree in trees for test in _top(tree, depth).values())
    top = ends.best([_top(tree, depth - 2) for tree in trees[:_STARTS]])
    top = ends.improved(top, [test for test, _ in tests.most_common()])
    if ends.cost(top) == _NO_LIMIT:  # not solved in this number of steps
        return
    nested, n_leaves = ends.nested(top)
    place = int(np.searchsorted(archive.n_leaves, n_leaves))
    insert(rows, archive, rows.scale if use_gaps else None, place, nested, ends.samples)


def _top(tree: Tree, n_levels: int) -> Top:
    """Return the tests of the first levels of a tree."""
    top: Top = {}
    pending: list[tuple[int, Path]] = [(0, ())]
    while pending:
        node, path = pending.pop()
        if len(path) < n_levels and not tree.is_leaf(node):
            top[path] = int(tree.attribute[node]), int(tree.value[node])
            pending += [(tree.right(node), (*path, False)), (tree.left(node), (*path, True))]
    return top


class _Ends:
    """The optimal last levels below any tests, each solved once."""

    def __init__(self, rows: DistinctRows, work: int) -> None:
        self.samples, self._problem = problem_in(rows)
        self._cases, self._depth, self._work = self._problem.cases, rows.limits.max_depth, work
        self._solver = Solver(self._problem, END)
        self._n_steps = 0  # to distribute samples over the ends
        self._known: dict[bytes, tuple[int, bool]] = {}  # the cost below some tests, or a bound, and which
        self._everything: Members = np.ones(len(self.samples), dtype=np.bool_)

    @property
    def n_left(self) -> int:
        """The number of steps that are left."""
        return max(0, self._work - self._solver.steps - self._n_steps)

    def best(self, tops: list[Top]) -> Top:
        """Return the tests with the best ends."""
        return min(tops, key=self.cost)

    def cost(self, top: Top) -> int:
        """Return the cost of the best tree with the given tests."""
        return self._cost(top, (), self._everything, _NO_LIMIT)

    def improved(self, top: Top, tests: list[Test]) -> Top:
        """Return tests with better ends, which no other of the given tests improves."""
        lowest = range(self._depth - 3, -1, -1)
        before, cost = _NO_LIMIT, self.cost(top)
        while 0 < cost < before:
            before = cost
            for path in (path for level in lowest for path in product((True, False), repeat=level)):
                if path in top:
                    top = self._improved_at(top, path, tests)
            cost = self.cost(top)
        return top

    def _improved_at(self, top: Top, path: Path, tests: list[Test]) -> Top:
        """Return tests of which the one at a path is the best of some, its threshold moved."""
        members = self._members(top, path)
        cost = self._cost(top, path, members, _NO_LIMIT)

        top, cost = self._best_at(top, path, tests, members, cost)
        attribute = top[path][0]
        step = (
            max(1, int(self._cases.n_tests[attribute]) // _STEPS) if self._cases.is_numeric[attribute] else 0
        )
        while step > 0:
            value, before = top[path][1], cost
            nearby = [(attribute, value - step), (attribute, value + step)]
            top, cost = self._best_at(top, path, nearby, members, cost)
            step = step if cost < before else step // 2
        return top

    def _best_at(
        self, top: Top, path: Path, tests: list[Test], members: Members, cost: int
    ) -> tuple[Top, int]:
        """Return tests with the best of some at a path, and their cost, given that of the test there."""
        for attribute, value in tests:
            if 0 <= value < self._cases.n_tests[attribute] and self.n_left > 0:
                other = top | {path: (attribute, value)}
                of_other = self._cost(other, path, members, cost)
                if of_other < cost:
                    top, cost = other, of_other
        return top, cost

    def _cost(self, top: Top, path: Path, members: Members, limit: int) -> int:
        """Return the cost of the best tree with the given tests from a path down, or the limit."""
        if path not in top:
            return self._cost_of_end(members, limit)
        passing = self._passing(top[path])
        parts = [((*path, True), members & passing), ((*path, False), members & ~passing)]
        cost = 0
        for below, part in sorted(parts, key=lambda part: -int(part[1].sum())):
            cost += self._cost(top, below, part, limit - cost)
            if cost >= limit:
                return limit
        return cost

    def _cost_of_end(self, members: Members, limit: int) -> int:
        self._n_steps += len(members)
        key = np.packbits(members).tobytes()
        cost, is_exact = self._known.get(key, (-1, False))
        if is_exact or cost >= limit:
            return min(cost, limit)
        if members.sum() < self._problem.min_leaf:
            return limit
        found = self._solver.cost_of(members, END, limit, self.n_left)
        if found is None:
            return limit
        self._known[key] = found, found < limit
        return found

    def nested(self, top: Top, path: Path = ()) -> tuple[Nested, int]:
        """Return a tree with optimal ends as nested tuples, and its number of leaves."""
        if path in top:
            (left, n_left), (right, n_right) = (self.nested(top, (*path, side)) for side in (True, False))
            return (*top[path], left, right), n_left + n_right
        tree = self._solver.tree_of(self._members(top, path), END, self._work)
        return tree, _leaves_in(tree)

    def _members(self, top: Top, path: Path) -> Members:
        members = self._everything
        for level, passes in enumerate(path):
            members = members & (self._passing(top[path[:level]]) == passes)
        return members

    def _passing(self, test: Test) -> Members:
        self._n_steps += len(self.samples)
        codes = self._cases.codes[test[0]]
        return np.asarray(codes <= test[1] if self._cases.is_numeric[test[0]] else codes == test[1])


def _leaves_in(nested: Nested) -> int:
    return 1 if isinstance(nested, np.ndarray) else sum(map(_leaves_in, nested[2:]))
