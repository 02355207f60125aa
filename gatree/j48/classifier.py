"""Fit and cross-validate J48 trees.

`fit` grows and prunes one tree. `cross_validate` does so on every training fold and evaluates the test folds,
as WEKA does.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from gatree.base.errors import DataError
from gatree.data.answer import Classes
from gatree.data.attribute import MISSING
from gatree.data.dataset import Dataset
from gatree.j48.build import build, flat, prune_by_held_out
from gatree.j48.evaluation import Evaluation, evaluate, pooled
from gatree.j48.growing import NO_LIMIT, Growing
from gatree.j48.problem import J48Problem, NodeScratch, SplitSearch
from gatree.j48.settings import J48Settings, Options
from gatree.j48.tables import Ints
from gatree.j48.tree import J48Tree
from gatree.trees.align import aligned_columns, positions
from gatree.weka.folds import (
    JavaRandom,
    check_n_folds,
    dealt_out,
    group_by_class,
    split_off,
    stratified_folds,
)

_FIRST_NODES = 64  # allocated initially


def fit(
    dataset: Dataset, settings: J48Settings | None = None, weight: float = 1.0, most_work: int = NO_LIMIT
) -> J48Tree:
    """Build a tree on a data set. Instances without a class are ignored.

    Parameters
    ----------
    dataset : Dataset
    settings : J48Settings, optional
    weight : float
        The weight of every instance.
    most_work : int
        The number of steps, of some nanoseconds each, after which a `DataError` ends the work.
    """
    settings = settings or J48Settings()
    if dataset.n_classes < 2:
        raise DataError(
            f"{dataset.name}: J48 needs a class with two values or more, "
            f"but {dataset.class_attribute.name!r} has {dataset.n_classes}"
        )
    problem, rows = J48Problem.of(dataset), np.flatnonzero(dataset.classes >= 0)
    held_out = rows[:0]
    if settings.pruning == "reduced-error":
        # The tree grows on all stratified folds but the last, which prunes it.
        check_n_folds(settings.prune_folds, len(rows), "reduced-error pruning")
        split = _split if len(rows) <= _MAX_CACHED_ROWS else _split.__wrapped__
        train, last = split(len(rows), settings.prune_folds, settings.prune_seed)
        group_by_class(rows, problem.cells.classes)
        rows, held_out = rows[train], rows[last]
    scratch = NodeScratch.of(problem.n_values, problem.n_classes)
    search = SplitSearch.of(problem, settings.binary_splits)
    growing = Growing.of(_FIRST_NODES + len(scratch.branches), len(rows), problem.n_classes)
    growing.done["most_work"] = most_work
    others = problem.cells, Options.of(settings), scratch, search
    growing = growing.run(build, rows, True, *others, weight=weight)
    if settings.pruning == "reduced-error":
        growing = growing.run(prune_by_held_out, held_out, False, problem.cells, scratch, weight=weight)
    return J48Tree(
        dataset.attributes, dataset.class_attribute, flat(growing), settings.binary_splits, settings.laplace
    )


def cross_validate(
    dataset: Dataset, settings: J48Settings | None = None, n_folds: int = 5, seed: int = 1
) -> Evaluation:
    """Build a tree on every training fold and classify the test folds.

    Parameters
    ----------
    dataset : Dataset
    settings : J48Settings, optional
    n_folds : int
    seed : int
        The seed of the stratified folds (WEKA's ``-s``).
    """
    return pooled(
        [
            evaluate(fit(dataset.take(train), settings), dataset.take(test))
            for train, test in stratified_folds(dataset.classes, n_folds, seed)
        ]
    )


def split(dataset: Dataset, percent: float, seed: int = 1) -> tuple[Dataset, Dataset]:
    """Return a random share of the instances to learn from, and the rest, as WEKA's ``-split-percentage``."""
    n_train = math.floor(dataset.n_instances * percent / 100 + 0.5)
    rows = JavaRandom(seed).shuffled(np.arange(dataset.n_instances))
    return dataset.take(rows[:n_train]), dataset.take(rows[n_train:])


def aligned(tree: J48Tree, dataset: Dataset) -> Dataset:
    """Return other data in the attributes and classes of a tree; see `gatree.trees.align`."""
    columns = aligned_columns(tree.attributes, np.arange(len(tree.attributes), dtype=np.int32), dataset)
    labels = np.array([*positions(dataset.class_values, tree.class_attribute), MISSING], dtype=np.int32)
    classes = Classes(tree.class_attribute, labels[dataset.classes])  # MISSING is -1: the last entry
    return Dataset(dataset.name, tree.attributes, columns, classes, len(columns))


_MAX_CACHED_ROWS = 10_000


@lru_cache(maxsize=32)
def _split(n_rows: int, n_folds: int, seed: int) -> tuple[Ints, Ints]:
    """Return the positions of both parts among rows that are grouped by class."""
    train, held_out = split_off(dealt_out(np.arange(n_rows), n_folds), n_folds, n_folds - 1)
    return JavaRandom(seed).shuffled(train), held_out
