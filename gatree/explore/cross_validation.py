"""Cross-validate trees of all sizes: predict every row by trees found without its fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.explore.found import Floats, Found
from gatree.weka.folds import Rows, stratified_folds

_SMALL = 500  # up to this number of rows, ten folds instead of five
_SEED = 1


class Finder(Protocol):
    """A search for trees of all sizes on some of the rows."""

    def find_again(self, training: Dataset, rows: NDArray[np.intp], n_samples: int, /) -> Found:
        """Return the trees found on the given rows."""


@dataclass(frozen=True)
class CrossValidation:
    """The predictions of trees of every size for held-out rows."""

    n_folds: int
    given: NDArray[np.int32]  # [size, row]: the class
    values: Floats  # [size, row]: the confidence in the class, or the number


def n_folds_for(dataset: Dataset) -> int:
    """Return the number of folds for a data set, or zero if it is too small to hold rows out."""
    n_folds = min(10 if dataset.n_instances <= _SMALL else 5, dataset.n_instances)
    return n_folds if n_folds > 1 and dataset.n_instances >= 4 else 0


def folds_of(dataset: Dataset, n_folds: int) -> list[tuple[Rows, Rows]]:
    """Return the training and test rows of every fold."""
    return stratified_folds(dataset.classes, n_folds, _SEED)


def cross_validated(
    dataset: Dataset, finder: Finder, sizes: list[int], on_fold: Callable[[int, int], Any]
) -> CrossValidation | None:
    """Return the predictions of trees of every size for held-out rows, or None if there are too few rows.

    Parameters
    ----------
    dataset : Dataset
    finder : Finder
    sizes : list of int
        The maximum numbers of leaves.
    on_fold : callable
        Called after every fold with the number of finished folds and the number of folds.
    """
    n_folds = n_folds_for(dataset)
    if n_folds == 0:
        return None
    shape = (len(sizes), dataset.n_instances)
    given, values = np.zeros(shape, dtype=np.int32), np.zeros(shape)
    for done, (train, test) in enumerate(folds_of(dataset, n_folds), 1):
        found = finder.find_again(dataset.take(train), train, dataset.n_instances)
        held_out = dataset.take(test)
        for place, size in enumerate(sizes):
            index = found.at_most(size)
            given[place, test], values[place, test] = found.predicted(index, held_out)
        on_fold(done, n_folds)
    return CrossValidation(n_folds, given, values)
