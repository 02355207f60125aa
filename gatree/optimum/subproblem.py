"""A subproblem of the search, the instances at a node, and what is found for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases, Rows
from gatree.optimum.pair import NO_TEST, Parts

Members = NDArray[np.bool_]  # [instance]


@dataclass(frozen=True)
class Found:
    """The fewest errors on a set; a lower bound of them if they reach the limit that was asked for."""

    errors: int
    attribute: int = NO_TEST
    value: int = 0
    n_left: int = 0  # of the tests that are left, those below the first test's left branch


class Solver(Protocol):
    """Who solves subproblems."""

    cases: Cases
    parts: Parts

    def solve(self, members: Members, k: int, limit: int) -> Found:
        """Return the fewest errors on a set with at most k tests; a bound if they reach the limit."""

    def rows(self, members: Members) -> Rows:
        """Return the members of a set in the order of every attribute's codes."""

    def passing(self, attribute: int, value: int) -> Members:
        """Return all instances that pass a test."""
