"""Evaluate baselines on the same folds: J48, CART pruned to several sizes, and a single leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, MissingLibraryError
from gatree.base.extras import extras
from gatree.data.dataset import Dataset
from gatree.explore.cross_validation import folds_of
from gatree.explore.found import Floats
from gatree.j48 import evaluate, fit
from gatree.j48.classifier import interpreted_if_small

_CART_SIZES = 8
_MOST_CART_CELLS = 3_000_000  # on larger data CART would take longer than everything else
_SEED = 1


@dataclass(frozen=True)
class Baseline:
    """The cross-validation of another method, at one or more sizes.

    Parameters
    ----------
    name : str
    points : tuple of (float, float)
        Mean number of leaves, and accuracy or R2.
    hint : str
        The reason if there are no points.
    """

    name: str
    points: tuple[tuple[float, float], ...] = ()
    hint: str = ""


def baselines_of(dataset: Dataset, target: Floats | None, n_folds: int) -> Iterator[Baseline]:
    """Yield the baselines, evaluated on the same folds."""
    folds = folds_of(dataset, n_folds)
    if target is None:
        yield _majority(dataset, folds)
        yield _j48(dataset, folds)
    else:
        yield Baseline("mean", ((1.0, _r2(target, _means(target, folds))),))
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


def _r2(target: Floats, predicted: Floats) -> float:
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
    try:
        with extras():
            from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    except MissingLibraryError as error:
        return Baseline("CART", hint=f"CART is left out: {error}.")
    X = _matrix(dataset)
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
        worth = float((predicted == y).mean()) if target is None else _r2(target, predicted)
        points.append((float(np.mean(leaves)), worth))
    return Baseline("CART", tuple(sorted(points)))


def _prices(path: Any, n_leaves: int) -> list[float]:
    """Return prices that leave trees of about 2, 3, 5, 8, ... leaves."""
    steps = np.unique(np.maximum(path.ccp_alphas, 0.0))
    between = np.append(np.sqrt(steps[:-1] * steps[1:]), steps[-1])
    most = min(len(between), max(2, n_leaves))
    places = np.unique(np.geomspace(2, most, _CART_SIZES).round().astype(int)) if most >= 2 else [1]
    return [float(between[-place]) for place in places if place <= len(between)]


def _matrix(dataset: Dataset) -> Floats:
    """Return the columns as numbers, with nominal ones one-hot encoded."""
    columns: list[NDArray[Any]] = [np.zeros(dataset.n_instances)]
    for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
        if attribute.is_nominal:
            columns += [column == value for value in range(len(attribute.values))]
        else:
            columns.append(np.where(np.isinf(column), np.nan, column))
    return np.column_stack(columns).astype(np.float64)
