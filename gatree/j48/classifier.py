"""J48, start to end: data in, a tree out; and its cross-validation, as WEKA does it.

`fit` grows and prunes one tree. `cross_validate` does so on every training fold and counts how the
test folds are classified.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.errors import DataError
from gatree.j48.evaluation import Evaluation, evaluate, pooled
from gatree.j48.flatten import flat
from gatree.j48.grow import Node, grow
from gatree.j48.problem import J48Problem, Sample
from gatree.j48.prune import collapse, prune_by_confidence, prune_by_held_out
from gatree.j48.settings import J48Settings
from gatree.j48.tree import J48Tree
from gatree.weka.folds import check_n_folds, split_off, stratified_folds, stratified_order
from gatree.weka.java_random import JavaRandom


def fit(dataset: Dataset, settings: J48Settings | None = None) -> J48Tree:
    """Build a tree on a data set; instances without a class are left out."""
    settings = settings or J48Settings()
    if dataset.n_classes < 2:
        raise DataError(
            f"{dataset.name}: J48 needs a class with two values or more, "
            f"but {dataset.class_attribute.name!r} has {dataset.n_classes}"
        )
    problem = J48Problem.of(dataset)
    rows = np.flatnonzero(dataset.classes >= 0)
    if settings.pruning == "reduced-error":
        root = _grow_and_prune_on_held_out(problem, rows, settings)
    else:
        root = grow(problem, Sample.of(rows), None, settings)
        collapse(root)
        if settings.pruning == "confidence":
            prune_by_confidence(root, problem, settings)
    return J48Tree(
        dataset.attributes, dataset.class_attribute, flat(root), settings.binary_splits, settings.laplace
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


def _grow_and_prune_on_held_out(problem: J48Problem, rows: NDArray[np.intp], settings: J48Settings) -> Node:
    """Hold out the last stratified fold, grow on the others, prune with it."""
    n_folds = settings.prune_folds
    check_n_folds(n_folds, len(rows), "reduced-error pruning")
    rows = rows[stratified_order(problem.classes[rows], n_folds)]
    train, held_out = split_off(rows, n_folds, n_folds - 1)
    shuffled = JavaRandom(settings.prune_seed).shuffled(train)
    root = grow(problem, Sample.of(shuffled), Sample.of(held_out), settings)
    prune_by_held_out(root, problem)
    return root
