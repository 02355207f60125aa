"""Improve the largest tree of a given depth: solve its last two levels exactly, and search the tests above.

Evolution finds good last levels, but with a limited depth a better test near the root is of use only together
with new tests below it. So here every such test is judged by the optimal trees below it, which the solver
finds in milliseconds. Tests near the root come from the trees of the front, and their thresholds are moved in
steps that halve.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np

from gatree.optimum.solver import Members, Size, Solver
from gatree.smalltree.archive import NO_TREE, Archive, tree_at
from gatree.smalltree.proof import insert, problem_in
from gatree.smalltree.task import DistinctRows
from gatree.trees.genome import LEAF, Tree

DEPTHS = range(3, 6)  # of trees whose ends are solved; up to 32 leaves every size has a rung

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
    found = np.flatnonzero(archive.rungs["score"] != NO_TREE)
    trees = [tree_at(archive, int(rung)) for rung in reversed(found)]
    tests = Counter(test for tree in trees for test in _top(tree, depth).values())
    top = ends.best([_top(tree, depth - 2) for tree in trees[:_STARTS]])
    top = ends.improved(top, [test for test, _ in tests.most_common()])
    if ends.cost(top) == _NO_LIMIT:  # not solved in this number of steps
        return
    nested, n_leaves = ends.nested(top)
    rung = int(np.searchsorted(archive.rungs["size"], n_leaves))
    insert(rows, archive, rows.scale if use_gaps else None, rung, nested, ends.samples)


def _top(tree: Tree, n_levels: int) -> Top:
    """Return the tests of the first levels of a tree."""
    top: Top = {}

    def note(node: int, path: Path) -> None:
        if len(path) < n_levels and tree.attribute[node] != LEAF:
            top[path] = int(tree.attribute[node]), int(tree.value[node])
            note(node + 1, (*path, True))
            note(node + 1 + int(tree.span[node + 1]), (*path, False))

    note(0, ())
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

        def is_better(test: Test) -> bool:
            nonlocal top, cost
            if not 0 <= test[1] < self._cases.n_tests[test[0]] or self.n_left == 0:
                return False
            other = top | {path: test}
            before, cost = cost, self._cost(other, path, members, cost)
            top = other if cost < before else top
            return cost < before

        for test in tests:
            is_better(test)
        attribute = top[path][0]
        step = (
            max(1, int(self._cases.n_tests[attribute]) // _STEPS) if self._cases.is_numeric[attribute] else 0
        )
        while step > 0:
            value = top[path][1]
            below, above = (is_better((attribute, value + by)) for by in (-step, step))
            step = step if below or above else step // 2
        return top

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

    def nested(self, top: Top, path: Path = ()) -> tuple[Any, int]:
        """Return a tree with optimal ends as nested tuples, and its number of leaves."""
        if path in top:
            below = [self.nested(top, (*path, side)) for side in (True, False)]
            return (*top[path], *(tree for tree, _ in below)), sum(n_leaves for _, n_leaves in below)
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


def _leaves_in(nested: Any) -> int:
    return 1 if isinstance(nested, np.ndarray) else sum(map(_leaves_in, nested[2:]))
