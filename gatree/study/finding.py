"""One finding: what a search has found on a data set, in stages that each add to it.

`find` searches, `validate` cross-validates the search, `compare` adds other methods on the same folds. The
text of `gatree tree`, its JSON and the page of `gatree explore` are views of a finding.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gatree.base.background import Interrupted
from gatree.base.errors import DataError, shown
from gatree.base.progress import SILENT, Listener
from gatree.data.answer import Classes, Numbers
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal
from gatree.data.screen import LeftOut, concerns
from gatree.kernels.events import seconds_compiling
from gatree.learners.comparison import Baseline, baselines, compared_folds, ours
from gatree.learners.cross_validation import Crossed, Folds, cross_validate
from gatree.learners.measures import Floats, Judged, Measure, measure_of
from gatree.learners.small_trees import FoundTrees, FrontSearch, Search, one_in
from gatree.settings.small_tree import SmallTreeSettings
from gatree.smalltree.firsts import OTHER_FIRSTS, first_tests
from gatree.smalltree.settings import search_settings
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import NodeNumbers


@dataclass(frozen=True)
class Request:
    """What is to be found, and how it is judged.

    Parameters
    ----------
    settings : SmallTreeSettings
    costs : ndarray, optional
        ``[class, predicted class]``: what a prediction costs.
    n_folds : int, optional
        Folds of the cross-validation, 0 for none; by default the number of rows decides.
    """

    settings: SmallTreeSettings = field(default_factory=SmallTreeSettings)
    costs: Floats | None = None
    n_folds: int | None = None
    left_out: tuple[LeftOut, ...] = ()  # columns that were removed from the data set
    command: str = ""  # the command that found it
    may_be_constant: bool = False  # whether a single class, or number, is no error


@dataclass(frozen=True)
class First:
    """The best tree of the chosen size that tests a certain attribute first."""

    attribute: int
    worth: float  # on the training data
    tree: DecisionTree
    numbers: Floats | None  # what its nodes predict, if these are numbers


@dataclass(frozen=True)
class Finding:
    """What is known of the trees of a data set so far."""

    request: Request
    measure: Measure
    search: Search
    searched: FoundTrees
    training: tuple[Judged, ...]  # every tree on the training data
    row_numbers: NDArray[np.intp] | None = None  # of every row in the original data, from 1 on
    n_without_class: int = 0
    notes: tuple[str, ...] = ()  # on the data
    crossed: Crossed | None = None
    baselines: tuple[Baseline, ...] | None = None  # ours first; None: not yet
    firsts: tuple[First, ...] = ()  # the best first
    is_comparing: bool = False  # whether baselines are being computed
    is_interrupted: bool = False  # whether Ctrl-C has ended the work
    spent: tuple[tuple[str, float], ...] = ()  # what took how many seconds

    @property
    def dataset(self) -> Dataset:
        return self.measure.dataset

    @property
    def chosen(self) -> int:
        return self.searched.chosen

    @cached_property
    def tree(self) -> DecisionTree:
        """The chosen tree."""
        return self.tree_at(self.chosen)

    def tree_at(self, index: int) -> DecisionTree:
        """Return a tree; that of numbers has those of its training rows."""
        tree, answer = self.searched.trees[index], self.dataset.answer
        if isinstance(answer, Classes):
            return tree
        reached = tree.apply(self.dataset)
        return replace(tree, numbers=NodeNumbers.of(tree.tree, reached, answer.values))

    @property
    def n_proven(self) -> int:
        """The largest size, in leaves, up to which all trees are proven to be optimal."""
        proven = 1
        for leaves in self.searched.leaves:
            if leaves not in self.searched.proven and leaves > 1:
                break
            proven = leaves
        return proven


def find(
    dataset: Dataset,
    request: Request | None = None,
    listener: Listener = SILENT,
    search: Search | None = None,
    searched: FoundTrees | None = None,
) -> Finding:
    """Search trees on a data set and return what is found.

    Parameters
    ----------
    dataset : Dataset
        Rows without a class or number are counted and left out.
    request : Request, optional
    listener : Listener, optional
    search : callable, optional
        How to search; by default trees of all sizes.
    searched : FoundTrees, optional
        The result of an earlier search on these data.

    Raises
    ------
    Interrupted
        If Ctrl-C ends the search when there are trees, with what is found in ``found``.
    """
    request = request or Request()
    known = np.flatnonzero(dataset.answer.known)
    n_without_class = dataset.n_instances - len(known)
    dataset = dataset.take(known)
    _check(dataset, request.may_be_constant)
    Folds.of(dataset.n_instances, request.n_folds)  # before the work starts
    measure = measure_of(dataset, Goal.of(dataset, request.settings.class_weight, request.costs))
    search = search or FrontSearch(request.settings, request.costs)
    clock, is_interrupted = _Clock(), False
    if searched is None:
        with clock("search"):
            try:
                searched = search(dataset, listener)
            except Interrupted as stop:
                searched, is_interrupted = stop.found, True
    finding = Finding(
        request=request,
        measure=measure,
        search=search,
        searched=searched,
        training=tuple(
            measure.judged(searched.predicted(index, dataset)) for index in range(len(searched.trees))
        ),
        row_numbers=known + 1,
        n_without_class=n_without_class,
        notes=(*concerns(dataset), *searched.notes),
        spent=clock.spent,
    )
    if is_interrupted:
        raise Interrupted(finding)
    return finding


def validate(finding: Finding, listener: Listener = SILENT) -> Finding:
    """Return a finding with the cross-validation of its search, if it is to have one."""
    folds = Folds.of(finding.dataset.n_instances, finding.request.n_folds)
    if not folds.n_folds:
        return finding
    clock = _Clock(finding.spent)
    with clock("cross-validation"):
        crossed = cross_validate(finding.measure, finding.search, finding.searched.leaves, folds, listener)
        crossed = crossed.with_columns_of(finding.tree)
    return replace(finding, crossed=crossed, spent=clock.spent)


def compare(
    finding: Finding, listener: Listener = SILENT, on_tried: Callable[[Baseline], object] = lambda _: None
) -> Finding:
    """Return a finding with other methods on the folds of its cross-validation."""
    if finding.crossed is None:
        return finding
    clock, folds = _Clock(finding.spent), compared_folds(finding.measure, finding.crossed.folds)
    found = [ours(finding.measure, finding.crossed, folds)]
    on_tried(found[0])
    with clock("comparison"):
        settings = search_settings(finding.request.settings, finding.dataset)
        for baseline in baselines(finding.measure, folds, settings.work, listener):
            found.append(baseline)
            on_tried(baseline)
    return replace(finding, baselines=tuple(found), is_comparing=False, spent=clock.spent)


def find_other_firsts(finding: Finding, listener: Listener = SILENT) -> Finding:
    """Return a finding with the best trees of the chosen size that test another attribute first."""
    size = finding.searched.leaves[finding.chosen]
    if size < 2 or not finding.measure.is_plain:
        return finding
    clock, dataset = _Clock(finding.spent), finding.dataset
    found = []
    listener.progress(OTHER_FIRSTS, 0, 1)
    with clock(OTHER_FIRSTS):
        settings = search_settings(finding.request.settings, dataset)
        for each in first_tests(dataset, settings, size, listener=listener):
            index = dataset.attribute_index(each.attribute)
            if index == finding.tree.tree.attribute[0]:
                continue
            searched = one_in(each.front, size, dataset)
            worth = finding.measure.worth(searched.predicted(0, dataset))
            numbers = None if searched.numbers is None else searched.numbers[0]
            found.append(First(index, worth, searched.trees[0], numbers))
    found.sort(key=lambda each: -each.worth)
    return replace(finding, firsts=tuple(found), spent=clock.spent)


def of_one_tree(tree: DecisionTree, dataset: Dataset) -> Finding:
    """Return what is known of a single tree, without a front and a cross-validation."""
    searched = FoundTrees((tree.with_counts(dataset),))
    found = find(dataset, Request(may_be_constant=True), searched=searched)
    return replace(found, n_without_class=0, notes=())


class _Clock:
    """Notes how long steps take; compiling is a step of its own."""

    def __init__(self, spent: tuple[tuple[str, float], ...] = ()) -> None:
        self._seconds = dict(spent)

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        started, compiled = time.perf_counter(), seconds_compiling()
        yield
        compiled = seconds_compiling() - compiled
        self._seconds[step] = time.perf_counter() - started - compiled
        self._seconds["kernels"] = self._seconds.pop("kernels", 0.0) + compiled

    @property
    def spent(self) -> tuple[tuple[str, float], ...]:
        return tuple(self._seconds.items())


_LARGEST = 1e150


def _check(dataset: Dataset, may_be_constant: bool) -> None:
    answer = dataset.answer
    name = shown(answer.name)
    if dataset.n_instances == 0:
        raise DataError(f"{dataset.name}: no row has a value of {name}, so there is nothing to learn from")
    if dataset.n_attributes == 0:
        raise DataError(f"{dataset.name}: no column is left to learn from")
    if isinstance(answer, Numbers) and (largest := float(np.abs(answer.values).max())) > _LARGEST:
        raise DataError(
            f"{dataset.name}: {name} has numbers up to {largest:g}, whose squares no computer number holds; "
            f"divide them, so that they are at most {_LARGEST:g}"
        )
    if answer.n_distinct < 2 and not may_be_constant:
        raise DataError(
            f"{dataset.name}: {name} has the same value in all rows; a tree needs at least two values. "
            "Name another column with --class"
        )
