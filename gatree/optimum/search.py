"""The search for the tree of at most k tests with the fewest errors.

A tree of k tests is a first test and two trees that share the other k - 1. Trees of up to two tests are
one kernel's work (`gatree.optimum.pair`); above that every first test and every way to share is tried
(`gatree.optimum.first_test`) unless bounds rule it out. Sets that were met before are remembered, and those
that are like one (`gatree.optimum.similar`) are ruled out by it.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases, Rows, sorted_members
from gatree.optimum.first_test import FirstTest
from gatree.optimum.pair import NO_TEST, best_pair, best_stump, make_parts
from gatree.optimum.similar import SimilarSets
from gatree.optimum.subproblem import Found, Members

_MOST_REMEMBERED = 200_000


@dataclass(frozen=True)
class BestTree:
    """The best tree as nested tuples, its errors, and whether these are proven to be the fewest."""

    nested: Any
    errors: int
    is_proven: bool


class OutOfTimeError(Exception):
    """The search has taken as long as it may."""


class Search:
    """A search for small trees on one data set, until a moment of `time.monotonic`."""

    def __init__(self, cases: Cases, until: float = math.inf) -> None:
        self.cases, self.parts, self._until = cases, make_parts(cases), until
        self._everything: Members = np.ones(len(cases.classes), dtype=np.bool_)
        self._similar = SimilarSets(len(cases.classes))
        self._remembered: dict[tuple[bytes, int], tuple[Found, int]] = {}

    def best_tree(self, n_tests: int) -> BestTree:
        """Return the best tree of at most so many tests, or of fewer if time runs out.

        Fewer tests are solved first: their errors are a limit for more of them.
        """
        everything = self._everything
        best = BestTree(self._majority(everything), self._leaf_errors(everything), is_proven=True)
        try:
            for k in range(1, n_tests + 1):
                found = self.solve(everything, k, best.errors)
                if found.errors < best.errors:
                    best = BestTree(self._proven(k, found), found.errors, is_proven=True)
        except OutOfTimeError:
            return BestTree(best.nested, best.errors, is_proven=False)
        return best

    def _proven(self, k: int, found: Found) -> Any:
        """Return the tree behind a proof, however late it is."""
        until, self._until = self._until, math.inf
        tree = self._tree(self._everything, k, found)
        self._until = until
        return tree

    def solve(self, members: Members, k: int, limit: int) -> Found:
        """Return the fewest errors on a set with at most k tests; a bound if they reach the limit."""
        leaf = self._leaf_errors(members)
        if k == 0 or leaf == 0:
            return Found(leaf)
        key = (np.packbits(members).tobytes(), k)
        found, asked = self._remembered.get(key, (Found(0), 0))
        if found.errors >= asked and asked < limit:  # not met before, or only a bound that is too low
            asked = min(limit, leaf)
            found = self._searched(members, k, asked)
            if found.errors >= leaf:  # no test helps, and that is exact
                found, asked = Found(leaf), leaf + 1
            self._remember(key, found, asked)
        return found

    def _searched(self, members: Members, k: int, limit: int) -> Found:
        """Search a set whose tree needs a test to stay below the limit."""
        if time.monotonic() > self._until:
            raise OutOfTimeError
        if k > 2:
            return FirstTest(self, members, k, limit).search()
        if k == 1:
            return Found(*best_stump(self.cases, self.rows(members), self.parts))
        bound = self._similar.bound(members)
        return Found(bound) if bound >= limit else self._best_pair(members)

    def _best_pair(self, members: Members) -> Found:
        """Solve a set with two tests, whatever the limit: what is known exactly bounds many sets like it."""
        found = Found(*best_pair(self.cases, self.rows(members), self.parts).tolist())
        self._similar.add(members, found.errors)
        return found

    def _remember(self, key: tuple[bytes, int], found: Found, asked: int) -> None:
        if len(self._remembered) >= _MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[key] = (found, asked)

    def rows(self, members: Members) -> Rows:
        """Return the members of a set in the order of every attribute's codes."""
        return sorted_members(self.cases, members, int(members.sum()))

    def passing(self, attribute: int, value: int) -> Members:
        """Return all instances that pass a test."""
        codes = self.cases.codes[attribute]
        passed: Members = codes <= value if self.cases.is_numeric[attribute] else codes == value
        return passed

    def _class_counts(self, members: Members) -> NDArray[np.int64]:
        return np.bincount(self.cases.classes[members], minlength=self.cases.n_classes)

    def _leaf_errors(self, members: Members) -> int:
        counts = self._class_counts(members)
        return int(counts.sum() - counts.max())

    def _majority(self, members: Members) -> int:
        return int(self._class_counts(members).argmax())

    def _tree(self, members: Members, k: int, found: Found) -> Any:
        """Return the tree that was found; its branches are solved once more, now with a known limit."""
        if found.attribute == NO_TEST:
            return self._majority(members)
        passing = self.passing(found.attribute, found.value)
        branches = [
            self._tree(part, n, self.solve(part, n, found.errors + 1))
            for part, n in ((members & passing, found.n_left), (members & ~passing, k - 1 - found.n_left))
        ]
        return found.attribute, found.value, *branches
