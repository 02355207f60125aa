"""Run the search some steps at a time; report the best tree so far and a bound for all trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gatree.optimum.bits import bit_sets
from gatree.optimum.problem import OptimumProblem, packed
from gatree.optimum.search import run_bits, run_walks
from gatree.optimum.stack import ENTER, FIND, LOOK, NO_TEST, STUMPS, make_memory, make_stack
from gatree.optimum.walks import sorted_sets

Members = NDArray[np.bool_]

Nested: TypeAlias = "Members | tuple[int, int, Nested, Nested]"
"""A tree as nested tuples: attribute, value, left, right; a leaf is a set of instances."""

Labelled: TypeAlias = "int | tuple[int, int, Labelled, Labelled]"
"""The same with labels as leaves."""

NO_LIMIT = 2**61

STEPS_PER_CALL = 10_000_000
"""The steps of one call of a kernel: some hundredths of a second, after which Python handles Ctrl-C."""


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

    def __init__(self, problem: OptimumProblem, size: Size) -> None:
        self.problem, self._size = problem, size
        self._stack, self._memory = make_stack(problem, size.tests), make_memory(problem, size.tests)
        n_levels = len(self._stack.frame)
        self._sets: Any = bit_sets(problem, n_levels) if problem.as_bits else sorted_sets(problem, n_levels)
        self._everything: Members = np.ones(len(problem.place), dtype=np.bool_)
        codes, tests = problem.cases.codes.size, len(problem.attribute)
        to_set_up = 10 * codes + tests * int(problem.begin[-1]) if problem.as_bits else codes
        self._stack.registers["steps"] = to_set_up
        self.begin(size)

    def begin(self, size: Size, limit: int = NO_LIMIT) -> None:
        """Search for a tree of another size, no larger than the first, that costs less than a limit."""
        self._size, self.is_finished = size, False
        self._begin(self._everything, size, limit)

    def cost_of(self, members: Members, size: Size, limit: int, n_steps: int) -> int | None:
        """Return the least cost of a tree for some instances, or ``limit`` if none costs less.

        None if ``n_steps`` steps are not enough.
        """
        self._begin(members, size, limit)
        is_solved = self._run(self.steps + n_steps)
        return min(limit, int(self._stack.registers[0]["cost"])) if is_solved else None

    @property
    def steps(self) -> int:
        """The number of steps taken, of about a nanosecond each."""
        return int(self._stack.registers[0]["steps"])

    def go_on(self, n_steps: int) -> bool:
        """Continue the search for ``n_steps`` steps; return whether it is finished."""
        if not self.is_finished:
            self.is_finished = self._run(self.steps + n_steps)
        return self.is_finished

    @property
    def cost(self) -> int:
        """The cost of the best tree so far."""
        frame = self._stack.frame[1]
        if self.is_finished:
            return int(self._stack.registers[0]["cost"])
        return int(frame["leaf_cost"] if frame["state"] == ENTER else frame["best"])

    @property
    def bound(self) -> int:
        """The known lower bound for the cost of every tree of the size."""
        if self.is_finished:
            return self.cost
        frame = self._stack.frame[1]
        if frame["state"] in (ENTER, FIND, LOOK) or (frame["state"] == STUMPS and frame["j"] == 2):
            return 0
        known, k = self._stack.known[1, : frame["n_tests"]], self._size.tests
        most = 2 ** min(30, self._size.depth - 1) - 1
        shares = range(max(0, k - 1 - most), min(most, k - 1) + 1)
        by_share = [known[:, 0, n].clip(0) + known[:, 1, k - 1 - n].clip(0) for n in shares]
        return min(self.cost, int(np.min(by_share, initial=NO_LIMIT)))

    def nested(self, n_steps: int = NO_LIMIT) -> Nested:
        """Return the best tree so far as nested tuples, a leaf as a set of instances; end the search.

        Its branches were solved before, and finding each again takes at most ``n_steps`` steps: with fewer
        than necessary, the branch is the best one found with these.
        """
        return self._best(self._everything, self._size, self.is_finished, n_steps)

    def tree_of(self, members: Members, size: Size, n_steps: int = NO_LIMIT) -> Nested:
        """Return the best tree for some instances, as nested tuples; each branch gets ``n_steps`` steps."""
        self._begin(members, size)
        return self._best(members, size, self._run(self.steps + n_steps), n_steps)

    def _best(self, members: Members, size: Size, is_finished: bool, n_steps: int) -> Nested:
        """Return the best tree that the current search has found for some instances."""
        registers, frame = self._stack.registers[0], self._stack.frame[1]
        if is_finished:
            test, n_left = int(registers["first_test"]), int(registers["left_tests"])
            n_right = size.tests - 1 - n_left
        elif frame["state"] == ENTER or frame["test"] == NO_TEST:
            return members
        else:
            test = int(self._stack.tests[1, frame["test"]]["name"])
            n_left, n_right = int(frame["n_left"]), int(frame["n_right"])
        if test == NO_TEST:
            return members
        passing = self.problem.passing(test)
        left = self.tree_of(members & passing, Size.of(n_left, size.depth - 1), n_steps)
        right = self.tree_of(members & ~passing, Size.of(n_right, size.depth - 1), n_steps)
        return int(self.problem.attribute[test]), int(self.problem.value[test]), left, right

    def _begin(self, members: Members, size: Size, limit: int = NO_LIMIT) -> None:
        """Push the frame of a set of instances onto an empty stack."""
        stack, numbers = self._stack, self.problem.numbers_of(members)
        stack.bits[1] = packed(members, self.problem.place, stack.bits.shape[1])
        if self.problem.as_bits:
            self._sets.mask[1] = stack.bits[1]
        stack.here[1], stack.registers[0]["level"] = numbers, 1
        frame = stack.frame[1]
        frame["state"], frame["k"], frame["depth"], frame["limit"] = ENTER, size.tests, size.depth, limit
        frame["n"] = members.sum()
        frame["weight"], frame["leaf_cost"] = self.problem.weight_and_cost(numbers)
        stack.registers[0]["steps"] += len(members)

    def _run(self, until: int) -> bool:
        """Resume the search up to a number of steps, in short calls; return whether it is finished."""
        run: Any = run_bits if self.problem.as_bits else run_walks
        while True:
            steps = min(until, self.steps + STEPS_PER_CALL)
            if run(self._sets, self._stack, self._memory, steps):
                return True
            if self.steps >= until:
                return False


def cost_of(problem: OptimumProblem, nested: Nested) -> int:
    """Return the cost of a tree of nested tuples with sets of instances as leaves."""
    if isinstance(nested, np.ndarray):
        return problem.weight_and_cost(problem.numbers_of(nested))[1]
    return cost_of(problem, nested[2]) + cost_of(problem, nested[3])
