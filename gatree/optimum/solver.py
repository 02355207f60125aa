"""Run the search some steps at a time; report the best tree so far and a bound for all trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.optimum.problem import Problem, leaf_cost, numbers_of, packed
from gatree.optimum.search import ENTER, LOOK, begin_search, run
from gatree.optimum.stack import (
    BEST,
    COST,
    FIRST_TEST,
    LEFT_TESTS,
    N_LEFT,
    N_RIGHT,
    N_TESTS,
    NO_TEST,
    STATE,
    STEPS,
    TEST,
    make_memory,
    make_stack,
)

Members = NDArray[np.bool_]

_NO_LIMIT = 2**61


@dataclass(frozen=True)
class Size:
    """The maximum number of tests of a tree, and of tests on a path."""

    tests: int
    depth: int

    @classmethod
    def of(cls, tests: int, depth: int | None) -> Size:
        """Return a size, with the tests limited to those that fit in its depth."""
        depth = tests if depth is None else min(depth, tests)
        return cls(min(tests, 2 ** min(depth, 62) - 1), depth)


class Solver:
    """A search for trees of up to some size on one data set."""

    def __init__(self, problem: Problem, size: Size) -> None:
        self.problem, self._size = problem, size
        self._stack, self._memory = make_stack(problem, size.tests), make_memory(problem, size.tests)
        self._everything: Members = np.ones(len(problem.classes), dtype=np.bool_)
        self.begin(size)

    def begin(self, size: Size, limit: int = _NO_LIMIT) -> None:
        """Search for a tree of another size, no larger than the first, that costs less than a limit."""
        self._size, self.is_finished = size, False
        self._begin(self._everything, size, limit)

    @property
    def steps(self) -> int:
        """The number of steps taken, of about a nanosecond each."""
        return int(self._stack.registers[STEPS])

    def go_on(self, n_steps: int) -> bool:
        """Continue the search for ``n_steps`` steps; return whether it is finished."""
        if not self.is_finished:
            self.is_finished = run(self.problem, self._stack, self._memory, self.steps + n_steps)
        return self.is_finished

    @property
    def cost(self) -> int:
        """The cost of the best tree so far."""
        frame = self._stack.frame[1]
        if self.is_finished:
            return int(self._stack.registers[COST])
        return self._leaf_cost() if frame[STATE] == ENTER else int(frame[BEST])

    @property
    def bound(self) -> int:
        """The known lower bound for the cost of every tree of the size."""
        if self.is_finished:
            return self.cost
        frame = self._stack.frame[1]
        if frame[STATE] in (ENTER, LOOK):
            return 0
        known, k = self._stack.known[1, : frame[N_TESTS]], self._size.tests
        most = 2 ** min(30, self._size.depth - 1) - 1
        shares = range(max(0, k - 1 - most), min(most, k - 1) + 1)
        by_share = [known[:, 0, n].clip(0) + known[:, 1, k - 1 - n].clip(0) for n in shares]
        return min(self.cost, int(np.min(by_share, initial=_NO_LIMIT)))

    def nested(self) -> Any:
        """Return the best tree so far as nested tuples, a leaf as a set of instances; end the search."""
        size, frame = self._size, self._stack.frame[1]
        if self.is_finished:
            test, left = self._stack.registers[[FIRST_TEST, LEFT_TESTS]].tolist()
            return self._tree(self._everything, size, test, (left, size.tests - 1 - left))
        if frame[STATE] == ENTER or frame[TEST] == NO_TEST:
            return self._everything
        test = int(self._stack.name[1, frame[TEST]])
        return self._tree(self._everything, size, test, (int(frame[N_LEFT]), int(frame[N_RIGHT])))

    def _tree(self, members: Members, size: Size, test: int, shares: tuple[int, int]) -> Any:
        if test == NO_TEST:
            return members
        problem = self.problem
        attribute, value = int(problem.attribute[test]), int(problem.value[test])
        codes = problem.codes[attribute]
        passing: Members = codes <= value if problem.is_numeric[attribute] else codes == value
        parts = (members & passing, members & ~passing)
        branches = [
            self._solved(part, Size.of(n, size.depth - 1)) for part, n in zip(parts, shares, strict=True)
        ]
        return attribute, value, *branches

    def _solved(self, members: Members, size: Size) -> Any:
        """Return the best tree of a branch, which was solved before and takes no longer this time."""
        self._begin(members, size)
        run(self.problem, self._stack, self._memory, 2**62)
        test, left = self._stack.registers[[FIRST_TEST, LEFT_TESTS]].tolist()
        return self._tree(members, size, test, (left, size.tests - 1 - left))

    def _begin(self, members: Members, size: Size, limit: int = _NO_LIMIT) -> None:
        bits = packed(members, self.problem.place, self._stack.bits.shape[1])
        numbers = numbers_of(self.problem, members)
        begin_search(self._stack, bits, numbers, (size.tests, size.depth), limit)

    def _leaf_cost(self) -> int:
        return int(leaf_cost(self.problem, numbers_of(self.problem, self._everything)))
