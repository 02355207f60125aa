"""Find the provably best tree of a size, or the best tree and a bound if time runs out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.background import Interrupted, interruptible
from gatree.base.errors import ConfigError, DataError, shown
from gatree.base.progress import SILENT, Listener
from gatree.data.answer import Classes
from gatree.data.coding import CodedData, Coding, NumericTests, check_attributes, code
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal
from gatree.optimum.problem import OptimumProblem, problem_of
from gatree.optimum.solver import Labelled, Members, Nested, Size, Solver, cost_of
from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import DecisionTree
from gatree.trees.thresholds import shortened

MOST_TESTS_OF_NUMBERS = 3

_STEPS = 20_000_000  # between two looks at the clock: some hundredths of a second

_STEPS_OF_BRANCH = 5_000_000  # to find a branch of an unproven tree again, after the time is over


@dataclass(frozen=True)
class AllowedTrees:
    """The trees of which the best one is found.

    Parameters
    ----------
    n_tests : int, optional
        The maximum number of inner nodes: a tree of K tests has 2 K + 1 nodes and K + 1 leaves.
    leaves : int, optional
        The maximum number of leaves, in place of ``n_tests``.
    depth : int, optional
        The maximum number of tests on a path. Without ``n_tests`` and ``leaves``, a tree of that depth may
        have all 2 ** depth - 1 tests.
    min_leaf : int
        The minimum number of instances in a leaf.
    numeric_tests : {"observed", "integer"}
        The thresholds of numeric attributes. A missing value fails every test; there is no test for whether a
        value is present.
    """

    n_tests: int | None = None
    leaves: int | None = None
    depth: int | None = None
    min_leaf: int = 1
    numeric_tests: NumericTests = "observed"

    def __post_init__(self) -> None:
        if self.n_tests is not None and self.leaves is not None:
            raise ConfigError("leaves: give either n_tests or leaves")
        if self.n_tests is None and self.leaves is None and self.depth is None:
            raise ConfigError("n_tests: give the size as n_tests, leaves or depth")
        least = {"n_tests": 0, "leaves": 1, "depth": 0, "min_leaf": 1}
        for name, lowest in least.items():
            given = getattr(self, name)
            if given is not None and given < lowest:
                raise ConfigError(f"{name}: should be {lowest} or more, got {given}")
        if self.numeric_tests not in ("observed", "integer"):
            raise ConfigError(f"numeric_tests: should be 'observed' or 'integer', got {self.numeric_tests!r}")

    @property
    def size(self) -> Size:
        """The maximum size."""
        if self.n_tests is not None:
            return Size.of(self.n_tests, self.depth)
        if self.leaves is not None:
            return Size.of(self.leaves - 1, self.depth)
        return Size.of(2 ** min(self.depth or 0, 16) - 1, self.depth)


@dataclass(frozen=True)
class Optimum:
    """The best tree found, and what is proven about all trees of its size.

    Attributes
    ----------
    tree : DecisionTree
    n_tests : int
        The maximum number of tests.
    n_correct : int
        The number of instances that the tree classifies correctly; with class weights, their weight.
    bound : int
        No tree of that size classifies more instances correctly.
    n_instances : int
    total : int
        The number of instances or, with class weights, their weight.
    depth : int
        The maximum number of tests on a path.
    """

    tree: DecisionTree
    n_tests: int
    n_correct: int
    bound: int
    n_instances: int
    total: int
    depth: int

    @property
    def accuracy(self) -> float:
        return self.n_correct / self.total

    @property
    def is_proven(self) -> bool:
        """Whether the tree is proven to be optimal."""
        return self.n_correct == self.bound


@dataclass(frozen=True)
class NumberOptimum:
    """The regression tree with the smallest squared error found, and a bound for all trees of its size.

    Attributes
    ----------
    tree : DecisionTree
        Its classes are the means of its leaves.
    n_tests, depth : int
        The maximum number of tests, and of tests on a path.
    squared_error : float
        The mean squared error on the instances.
    bound : float
        No tree of that size has a smaller error, except for rounding in the ninth digit or beyond.
    n_instances : int
    is_proven : bool
    """

    tree: DecisionTree
    n_tests: int
    depth: int
    squared_error: float
    bound: float
    n_instances: int
    is_proven: bool


def optimum(
    dataset: Dataset,
    allowed: AllowedTrees,
    *,
    goal: Goal | None = None,
    max_seconds: float = math.inf,
    listener: Listener = SILENT,
) -> Optimum:
    """Return the tree that classifies the most instances correctly, of all that are allowed.

    Parameters
    ----------
    dataset : Dataset
        Instances whose class is missing are left out.
    allowed : AllowedTrees
    goal : Goal, optional
        The weights of the classes; by default all are worth the same. Costs and sample weights are refused.
    max_seconds : float
        Stop the search after this time: the tree is then the best so far, and the bound is weaker.
    listener : Listener
        Notified of the correct instances of the best tree so far, and of the bound.

    Raises
    ------
    Interrupted
        Ctrl-C ends the search as `max_seconds` does, with the result in ``found``.
    """
    _check_seconds(max_seconds)
    known = np.flatnonzero(dataset.classes >= 0)
    if len(known) == 0:
        raise DataError(f"{dataset.name}: there is no instance with a class to learn from")
    dataset = dataset.take(known)
    coding = code(dataset, allowed.numeric_tests)
    worth = _class_weights(goal or Goal.of(dataset))
    total = int(worth[dataset.classes].sum())
    solver = _solver(lambda: problem_of(_cases(dataset, coding), worth, allowed.min_leaf), allowed.size)
    searched = _searched(
        solver,
        lambda: _inevitable_errors(dataset, coding, worth),
        max_seconds,
        _Report(listener, "correct", lambda cost: total - cost),
    )
    weighted = worth.astype(np.float64)

    def majority(members: Members) -> int:
        counts = np.bincount(dataset.classes[members], minlength=dataset.n_classes)
        return int((counts * weighted).argmax())

    found = Optimum(
        tree=DecisionTree.of(
            Tree.nested(_with_leaves(searched.nested, majority)),
            shortened(coding, dataset, allowed.numeric_tests),
            dataset,
        ),
        n_tests=allowed.size.tests,
        n_correct=total - cost_of(solver.problem, searched.nested),
        bound=total - searched.bound,
        n_instances=dataset.n_instances,
        total=total,
        depth=allowed.size.depth,
    )
    if searched.is_interrupted:
        raise Interrupted(found)
    return found


def optimum_of_numbers(
    dataset: Dataset,
    allowed: AllowedTrees,
    *,
    max_seconds: float = math.inf,
    listener: Listener = SILENT,
) -> NumberOptimum:
    """Return the regression tree with the smallest squared error, of all that are allowed, up to three tests.

    Parameters
    ----------
    dataset : Dataset
        Its answer is numbers; instances without one are left out.
    allowed, max_seconds
        As in `optimum`.
    listener : Listener
        Notified of the mean squared error of the best tree so far, and of the bound.

    Raises
    ------
    Interrupted
        As in `optimum`.
    """
    size = allowed.size
    if size.tests > MOST_TESTS_OF_NUMBERS:
        raise ConfigError(f"n_tests: a regression tree may have up to 3 tests, got {size.tests}")
    _check_seconds(max_seconds)
    if isinstance(dataset.answer, Classes):
        raise DataError(f"{dataset.name}: {shown(dataset.answer.name)} has classes; numbers are needed here")
    known = np.flatnonzero(np.isfinite(dataset.answer.values))
    if len(known) == 0:
        raise DataError(f"{dataset.name}: there is no instance with a number to learn from")
    target = dataset.answer.values[known]
    dataset = dataset.take(known)
    coding = code(dataset, allowed.numeric_tests)
    one_class = np.ones(1, dtype=np.int64)
    solver = _solver(lambda: problem_of(_cases(dataset, coding), one_class, allowed.min_leaf, target), size)
    squares = int((solver.problem.target**2).sum())
    unit = float(((target - target.mean()) ** 2).mean()) / squares if squares else 0.0
    report = _Report(listener, "mean squared error", lambda cost: cost * unit)
    searched = _searched(solver, lambda: 0, max_seconds, report)
    shape = Tree.nested(_with_leaves(searched.nested, lambda _: 0))
    predicted, errors = np.zeros(shape.n_nodes), np.zeros(len(target))
    leaves = np.flatnonzero(shape.attribute == LEAF).tolist()
    for leaf, members in zip(leaves, _members(searched.nested), strict=True):
        predicted[leaf] = target[members].mean()
        errors[members] = (target[members] - predicted[leaf]) ** 2
    unlabelled = DecisionTree.named(shape, shortened(coding, dataset, allowed.numeric_tests), dataset)
    squared_error = float(errors.mean())
    found = NumberOptimum(
        tree=unlabelled.with_numbers(predicted),
        n_tests=size.tests,
        depth=size.depth,
        squared_error=squared_error,
        bound=squared_error if solver.is_finished else min(squared_error, searched.bound * unit),
        n_instances=len(target),
        is_proven=solver.is_finished,
    )
    if searched.is_interrupted:
        raise Interrupted(found)
    return found


def _class_weights(goal: Goal) -> NDArray[np.int64]:
    """Return the weight of a correct instance of each class, which is all that the solver knows of a goal."""
    if goal.gains is not None or (goal.sample_weights.counts != 1).any():
        raise ConfigError("goal: may have class weights, but neither costs nor sample weights")
    return goal.class_weights


def _cases(dataset: Dataset, coding: Coding) -> CodedData:
    check_attributes(dataset)
    return coding.coded(dataset, in_order=True)


def _check_seconds(max_seconds: float) -> None:
    if not max_seconds > 0:
        raise ConfigError(f"max_seconds: should be above zero, got {max_seconds}")


def _solver(problem: Callable[[], OptimumProblem], size: Size) -> Solver:
    """Return a solver whose kernel is compiled: Python does not handle Ctrl-C in a thread that compiles."""

    def set_up() -> Solver:
        solver = Solver(problem(), size)
        solver.go_on(0)
        return solver

    found: Solver = interruptible(set_up)
    return found


class _Searched(NamedTuple):
    """What a search has found."""

    nested: Nested
    bound: int  # no tree costs less
    is_interrupted: bool


class _Report(NamedTuple):
    """Notifies a listener of the best tree so far and of the bound, in terms that people understand."""

    listener: Listener
    what: str
    worth: Callable[[int], float]  # of a cost

    def __call__(self, cost: int, bound: int) -> None:
        best = f"{self.what}: {self.worth(cost):g} so far, bound {self.worth(bound):g}"
        self.listener.progress(best)


def _searched(
    solver: Solver, inevitable: Callable[[], int], max_seconds: float, report: _Report
) -> _Searched:
    """Search until the tree is proven, time runs out, or Ctrl-C."""
    until, is_interrupted = time.monotonic() + max_seconds, False
    bound: int | None = None
    try:
        while not solver.is_finished and time.monotonic() < until:
            if not solver.go_on(_STEPS):
                least = interruptible(inevitable) if bound is None else bound
                bound = max(least, solver.bound)
                report(solver.cost, bound)
        if bound is None and not solver.is_finished:
            bound = interruptible(inevitable)
    except KeyboardInterrupt:
        is_interrupted = True
    cost = solver.cost  # the tree that is found again may cost more
    if not solver.is_finished:
        return _Searched(solver.nested(_STEPS_OF_BRANCH), min(bound or 0, cost), is_interrupted)
    report(cost, cost)
    return _Searched(solver.nested(), cost, is_interrupted)


def _with_leaves(nested: Nested, label: Callable[[Members], int]) -> Labelled:
    """Return a nested tree with a label for the instances of every leaf."""
    if isinstance(nested, np.ndarray):
        return label(nested)
    attribute, value, left, right = nested
    return attribute, value, _with_leaves(left, label), _with_leaves(right, label)


def _members(nested: Nested) -> Iterator[Members]:
    """Yield the instances of every leaf, from left to right."""
    if isinstance(nested, np.ndarray):
        yield nested
        return
    for branch in nested[2:]:
        yield from _members(branch)


def _inevitable_errors(dataset: Dataset, coding: Coding, worth: NDArray[np.int64]) -> int:
    """Return the errors that every tree makes: on instances of different classes that no test separates."""
    codes = coding.encode(dataset.columns, dataset.n_instances)
    _, group = np.unique(codes, axis=1, return_inverse=True)
    counts = np.zeros((int(group.max()) + 1, dataset.n_classes), dtype=np.int64)
    np.add.at(counts, (group, dataset.classes), worth[dataset.classes])
    return int((counts.sum(axis=1) - counts.max(axis=1)).sum())
