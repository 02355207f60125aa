"""J48, start to end: data in, a tree out; and its cross-validation, as WEKA does it.

`fit` grows and prunes one tree. `cross_validate` does so on every training fold and counts how the
test folds are classified. A few trees on small data are built without compiling first (`briefly`).
"""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager

import numpy as np

from gatree.base.errors import DataError
from gatree.data.dataset import Dataset
from gatree.j48.build import build, flat
from gatree.j48.evaluation import Evaluation, evaluate, pooled
from gatree.j48.growing import Growing
from gatree.j48.held_out import prune_by_held_out
from gatree.j48.problem import J48Problem, Room, Search
from gatree.j48.settings import J48Settings, Options
from gatree.j48.tables import Ints
from gatree.j48.tree import J48Tree
from gatree.kernels.interpreting import interpreting
from gatree.weka.folds import JavaRandom, check_n_folds, split_off, stratified_folds, stratified_order

_FIRST_NODES = 64  # there is room for, to begin with


def fit(dataset: Dataset, settings: J48Settings | None = None, weight: float = 1.0) -> J48Tree:
    """Build a tree on a data set, whose instances count so much; those without a class are left out."""
    settings = settings or J48Settings()
    if dataset.n_classes < 2:
        raise DataError(
            f"{dataset.name}: J48 needs a class with two values or more, "
            f"but {dataset.class_attribute.name!r} has {dataset.n_classes}"
        )
    problem, rows = J48Problem.of(dataset), np.flatnonzero(dataset.classes >= 0)
    held_out = rows[:0]
    if settings.pruning == "reduced-error":
        rows, held_out = _hold_out(problem, rows, settings)
    room = Room.of(problem.n_values, problem.n_classes)
    search = Search.of(problem, settings.binary_splits)
    growing = Growing.of(_FIRST_NODES + len(room.branches), len(rows), problem.n_classes)
    others = problem.cells, Options.of(settings), room, search
    growing = growing.after(build, rows, True, *others, weight=weight)
    if settings.pruning == "reduced-error":
        growing = growing.after(prune_by_held_out, held_out, False, problem.cells, room, weight=weight)
    return J48Tree(
        dataset.attributes, dataset.class_attribute, flat(growing), settings.binary_splits, settings.laplace
    )


def cross_validate(
    dataset: Dataset, settings: J48Settings | None = None, n_folds: int = 5, seed: int = 1
) -> Evaluation:
    """Build a tree on every training fold and classify the test folds."""
    return pooled(
        [
            evaluate(fit(dataset.take(train), settings), dataset.take(test))
            for train, test in stratified_folds(dataset.classes, n_folds, seed)
        ]
    )


def _hold_out(problem: J48Problem, rows: Ints, settings: J48Settings) -> tuple[Ints, Ints]:
    """Return the instances to grow on, and the last stratified fold of them, to prune with."""
    n_folds = settings.prune_folds
    check_n_folds(n_folds, len(rows), "reduced-error pruning")
    rows = rows[stratified_order(problem.cells.classes[rows], n_folds)]
    train, held_out = split_off(rows, n_folds, n_folds - 1)
    return JavaRandom(settings.prune_seed).shuffled(train), held_out


_BRIEF = 40_000
"""Cells of all trees' data: half a second's work on vote, more on bushy trees; to compile takes six."""


def briefly(dataset: Dataset, n_trees: int) -> AbstractContextManager[None]:
    """Return where to build and try out so many trees, if these are all there are to build.

    Numbers take long: all their thresholds are tried.
    """
    has_numbers = any(not attribute.is_nominal for attribute in dataset.attributes)
    n_cells = dataset.n_instances * len(dataset.attributes)
    is_brief = not has_numbers and n_trees * n_cells <= _BRIEF
    return interpreting() if is_brief else contextlib.nullcontext()
