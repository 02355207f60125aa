"""Cross-validate trees of all sizes, and baselines on the same folds: J48, CART and a single leaf."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.dataset import Dataset
from gatree.explore.find import Floats, Found
from gatree.j48 import evaluate, fit
from gatree.j48.classifier import interpreted_if_small
from gatree.trees.export.sklearn_tree import one_hot
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

    ``sizes`` are maximum numbers of leaves; ``on_fold`` is called with the finished folds and all folds.
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


_CART_SIZES = 8
_MOST_CART_CELLS = 3_000_000  # on larger data CART would take longer than everything else


@dataclass(frozen=True)
class Baseline:
    """The cross-validation of another method, at one or more sizes."""

    name: str
    points: tuple[tuple[float, float], ...] = ()  # mean number of leaves, and accuracy or R2
    hint: str = ""  # why there are no points


def baselines_of(dataset: Dataset, target: Floats | None, n_folds: int) -> Iterator[Baseline]:
    """Yield the baselines, evaluated on the same folds."""
    folds = folds_of(dataset, n_folds)
    if target is None:
        yield _majority(dataset, folds)
        yield _j48(dataset, folds)
    else:
        yield Baseline("mean", ((1.0, r2(target, _means(target, folds))),))
    yield _cart(dataset, target, folds)


def _majority(dataset: Dataset, folds: Any) -> Baseline:
    right = 0
    for train, test in folds:
        answer = np.argmax(np.bincount(dataset.classes[train], minlength=dataset.n_classes))
        right += int(np.count_nonzero(dataset.classes[test] == answer))
    return Baseline("majority class", ((1.0, right / dataset.n_instances),))


def _means(target: Floats, folds: Any) -> Floats:
    predicted = np.zeros(len(target))
    for train, test in folds:
        predicted[test] = target[train].mean()
    return predicted


def r2(target: Floats, predicted: Floats) -> float:
    """Return the explained share of the variance, 0 if there is none."""
    total = float(((target - target.mean()) ** 2).sum())
    return 1 - float(((target - predicted) ** 2).sum()) / total if total else 0.0


def _j48(dataset: Dataset, folds: Any) -> Baseline:
    if np.count_nonzero(dataset.class_counts) < 2:
        return Baseline("J48", hint="J48 needs two classes.")
    try:
        with interpreted_if_small(dataset, len(folds)):
            trees = [fit(dataset.take(train)) for train, _ in folds]
            judged = [
                evaluate(tree, dataset.take(test)) for tree, (_, test) in zip(trees, folds, strict=True)
            ]
    except DataError as error:
        return Baseline("J48", hint=f"J48 is left out: {error}")
    leaves = float(np.mean([tree.n_leaves for tree in trees]))
    return Baseline("J48", ((leaves, sum(each.n_correct for each in judged) / dataset.n_instances),))


def _cart(dataset: Dataset, target: Floats | None, folds: Any) -> Baseline:
    """Return CART, fully grown and pruned at several prices per leaf."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # imported here: it takes a second

    X = one_hot(dataset)
    if X.size > _MOST_CART_CELLS:
        return Baseline("CART", hint=f"CART is left out: {X.size:,} cells would take too long.")
    y: NDArray[Any] = dataset.classes if target is None else target
    kind = DecisionTreeClassifier if target is None else DecisionTreeRegressor
    grown = kind(random_state=_SEED).fit(X, y)
    prices = _prices(grown.cost_complexity_pruning_path(X, y), grown.get_n_leaves())
    points = []
    for price in prices:
        predicted, leaves = np.zeros(len(y)), []
        for train, test in folds:
            tree = kind(random_state=_SEED, ccp_alpha=price).fit(X[train], y[train])
            predicted[test] = tree.predict(X[test])
            leaves.append(tree.get_n_leaves())
        worth = float((predicted == y).mean()) if target is None else r2(target, predicted)
        points.append((float(np.mean(leaves)), worth))
    return Baseline("CART", tuple(sorted(points)))


def _prices(path: Any, n_leaves: int) -> list[float]:
    """Return prices that leave trees of about 2, 3, 5, 8, ... leaves."""
    steps = np.unique(np.maximum(path.ccp_alphas, 0.0))
    between = np.append(np.sqrt(steps[:-1] * steps[1:]), steps[-1])
    most = min(len(between), max(2, n_leaves))
    places = np.unique(np.geomspace(2, most, _CART_SIZES).round().astype(int)) if most >= 2 else [1]
    return [float(between[-place]) for place in places if place <= len(between)]
