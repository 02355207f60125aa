"""Split instances into training and test rows, in one of several ways.

WEKA's folds are the default. The others keep the order of the file, as programs without shuffling do
(docs/original.md has the evidence that the original GATree did), draw bootstrap samples, or, where the size
of a small tree is chosen, spread classes or numbers evenly over the folds.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.weka.folds import Rows, check_n_folds, split_off, stratified_folds, stratified_order

FoldKind = Literal["weka", "every-nth", "stratified-unshuffled", "out-of-bag"]

SEEDED: tuple[FoldKind, ...] = ("weka", "out-of-bag")
"""The kinds of folds that depend on a seed."""


def fold_rows(
    classes: NDArray[np.int32],
    n_folds: int,
    seed: int = 1,
    kind: FoldKind = "weka",
    drop_remainder: bool = False,
) -> list[tuple[Rows, Rows]]:
    """Return the training rows and the test rows of every fold.

    Parameters
    ----------
    classes : ndarray of int32
        The class of every instance.
    n_folds : int
        At least 2, and at most the number of instances unless the folds are bootstrap samples.
    seed : int
        The seed of the folds; WEKA's ``-s``.
    kind : str
        ``weka``: shuffled and stratified, in WEKA's order. ``every-nth``: row ``i`` is tested in fold
        ``i % n_folds``. ``stratified-unshuffled``: assigned class by class as in WEKA, in the order of
        the file. ``out-of-bag``: train on a bootstrap sample, test on the rows that are not in it.
    drop_remainder : bool
        Drop the last ``n % n_folds`` rows of the file, so that all folds have the same size.
    """
    check_folds(n_folds, len(classes), kind)
    if kind == "out-of-bag":
        return [_out_of_bag(len(classes), seed, fold) for fold in range(n_folds)]
    if drop_remainder:
        classes = classes[: len(classes) - len(classes) % n_folds]
    if kind == "weka":
        return stratified_folds(classes, n_folds, seed)
    rows = np.arange(len(classes))
    if kind == "every-nth":
        return [(rows[rows % n_folds != fold], rows[rows % n_folds == fold]) for fold in range(n_folds)]
    dealt = stratified_order(classes, n_folds)
    splits = [split_off(dealt, n_folds, fold) for fold in range(n_folds)]
    return [(np.sort(train), np.sort(test)) for train, test in splits]


def check_folds(n_folds: int, n_instances: int, kind: FoldKind) -> None:
    """Raise an error if a training or test set would be empty."""
    if kind != "out-of-bag":
        check_n_folds(n_folds, n_instances)
    elif n_instances < 2:
        raise DataError(f"out-of-bag: a bootstrap sample needs at least 2 instances, got {n_instances}")


def _out_of_bag(n_instances: int, seed: int, fold: int) -> tuple[Rows, Rows]:
    """Return a bootstrap sample in the order of the file, and the rows that are not in it."""
    rng = np.random.default_rng([seed, fold])
    test = np.arange(0)
    while len(test) == 0:  # a sample of very few instances may contain all of them
        train = np.sort((rng.random(n_instances) * n_instances).astype(np.intp))
        test = np.setdiff1d(np.arange(n_instances), train)
    return train, test


def fold_of_classes(
    classes: NDArray[np.integer], n_folds: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the fold of every instance, with every class spread evenly over the folds."""
    shuffled = rng.permutation(len(classes))
    by_class = shuffled[np.argsort(classes[shuffled], kind="stable")]
    fold_of = np.empty(len(classes), dtype=np.int64)
    fold_of[by_class] = np.arange(len(classes)) % n_folds
    return fold_of


def fold_of_numbers(
    numbers: NDArray[np.integer] | NDArray[np.float64], n_folds: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the fold of every instance, with similar numbers spread evenly over the folds."""
    blocks = [rng.permutation(n_folds) for _ in range(-(-len(numbers) // n_folds))]
    fold_of = np.empty(len(numbers), dtype=np.int64)
    fold_of[np.argsort(numbers, kind="stable")] = np.concatenate(blocks)[: len(numbers)]
    return fold_of
