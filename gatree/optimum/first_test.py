"""The first test of a tree of three tests or more on one set of instances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Rows, only
from gatree.optimum.bounds import Bounds, higher, least, note, nothing_known, without
from gatree.optimum.intervals import NOBODY, cuts_of, open_all, split_open
from gatree.optimum.pair import best_stump
from gatree.optimum.subproblem import Found, Members, Solver


class FirstTest:
    """The search for the first of k tests, for a tree with fewer errors than the limit."""

    def __init__(self, search: Solver, members: Members, k: int, limit: int) -> None:
        self._search, self._members, self._k = search, members, k
        self._n_members = int(np.count_nonzero(members))
        self._found = Found(limit)
        # With fewer tests the set is solved exactly: that bounds all its subsets.
        self._whole: Bounds = [search.solve(members, n, self._n_members + 1).errors for n in range(k)]

    def search(self) -> Found:
        """Try the attributes, those with the best single tests first: the limit then falls early."""
        cases = self._search.cases
        rows = self._search.rows(self._members)
        for attribute in self._by_promise(rows):
            codes = rows.codes[attribute]
            if cases.is_numeric[attribute]:
                self._search_thresholds(attribute, codes)
            else:
                self._search_values(attribute, codes)
        return self._found

    def _by_promise(self, rows: Rows) -> list[int]:
        cases, parts = self._search.cases, self._search.parts
        errors = [best_stump(only(cases, a), rows.of(a), parts)[0] for a in range(len(rows.codes))]
        return [int(attribute) for attribute in np.argsort(errors, kind="stable")]

    def _search_values(self, attribute: int, codes: NDArray[np.int32]) -> None:
        """Try the values of a nominal attribute; of two, the second's test only mirrors the first's."""
        values, counts = np.unique(codes, return_counts=True)
        n_values = 1 if len(values) == 2 else len(values)
        for value, n_left in zip(values[:n_values].tolist(), counts.tolist(), strict=False):
            if value < self._search.cases.n_tests[attribute]:
                self._try(attribute, value, self._branch_bounds(n_left))

    def _search_thresholds(self, attribute: int, codes: NDArray[np.int32]) -> None:
        """Try the thresholds of a numeric attribute that bounds do not rule out."""
        cuts = cuts_of(codes, int(self._search.cases.n_tests[attribute]))
        stack = np.empty((len(cuts) + 2, 4), dtype=np.int64)
        bounds = {NOBODY: (nothing_known(self._k), nothing_known(self._k))}  # of the branches, by cut
        n_open = open_all(stack, len(cuts))
        while n_open > 0:
            low, high, left_of, right_of = stack[n_open - 1].tolist()
            left, right = bounds[left_of][0], bounds[right_of][1]
            if least(left, right) >= self._found.errors:
                n_open -= 1
                continue
            tried = (low + high) // 2
            by_size = self._branch_bounds(int(cuts[tried]))
            known = (higher(left, by_size[0]), higher(right, by_size[1]))
            bounds[tried] = self._try(attribute, int(codes[cuts[tried] - 1]), known)
            n_open = split_open(stack, n_open, cuts, tried, least(*bounds[tried]) - self._found.errors)

    def _branch_bounds(self, n_left: int) -> tuple[Bounds, Bounds]:
        """Bound both branches by what the whole set needs."""
        return without(self._whole, self._n_members - n_left), without(self._whole, n_left)

    def _try(self, attribute: int, value: int, known: tuple[Bounds, Bounds]) -> tuple[Bounds, Bounds]:
        """Try a first test, given bounds of its branches; return better bounds."""
        if least(*known) >= self._found.errors:
            return known
        known = (known[0].copy(), known[1].copy())
        passing = self._search.passing(attribute, value)
        parts = (self._members & passing, self._members & ~passing)
        for n_left in sorted(range(self._k), key=lambda n: max(n, self._k - 1 - n)):  # even shares first
            shares = (n_left, self._k - 1 - n_left)
            for side in sorted((0, 1), key=lambda side: shares[side]):  # the cheaper branch first
                other = known[1 - side][shares[1 - side]]
                if known[side][shares[side]] + other < self._found.errors:
                    limit = self._found.errors - other
                    note(
                        known[side], shares[side], self._search.solve(parts[side], shares[side], limit).errors
                    )
            errors = known[0][shares[0]] + known[1][shares[1]]
            if errors < self._found.errors:
                self._found = Found(errors, attribute, value, n_left)
        return known
