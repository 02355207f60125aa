"""Baselines that experiments run on the same data and folds: J48, CART, the majority class, and front.

``front`` is the default tree of `gatree evolve` and `GATreeClassifier`: the best trees of all sizes, and the
size that the data support.

CART is scikit-learn's tree, pruned by cost-complexity; an inner cross-validation chooses the price per leaf.
A nominal attribute is a column per value, of ones and zeros; a missing number stays missing, as in all trees
of scikit-learn. Among prices that do equally well the highest wins: the smallest tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.j48 import J48Settings, evaluate, fit
from gatree.j48.settings import Pruning
from gatree.trees.export.sklearn_tree import one_hot
from gatree.weka.folds import stratified_folds


class Judged(NamedTuple):
    """On how many instances a tree was tried, those without a class left out, and how many it got right."""

    n_instances: int
    n_correct: int


class Fitted(NamedTuple):
    """A tree that was built: its nodes, its leaves, and how it does on data."""

    size: int
    leaves: int
    judge: Callable[[Dataset], Judged]


_INNER_FOLDS = 5
_MOST_PRICES = 20
_SEED = 1


def _fit_cart(data: Dataset) -> Fitted:
    """Grow a tree and prune it."""
    X, classes = _matrix(data)
    tree = _cart(_chosen_price(X, classes)).fit(X, classes)

    def judge(data: Dataset) -> Judged:
        X, classes = _matrix(data)
        return _judged(tree.predict(X) if len(X) else classes, classes)

    return Fitted(int(tree.tree_.node_count), int(tree.get_n_leaves()), judge)


def _judged(given: NDArray[Any], classes: NDArray[np.int32]) -> Judged:
    return Judged(len(classes), int(np.count_nonzero(given == classes)))


def _matrix(data: Dataset) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the instances that have a class, as numbers, and their classes."""
    known = data.classes >= 0
    return one_hot(data)[known], data.classes[known]


def _cart(price: float) -> Any:
    from sklearn.tree import DecisionTreeClassifier  # which takes a second

    return DecisionTreeClassifier(random_state=_SEED, ccp_alpha=price)


def _chosen_price(X: NDArray[np.float64], classes: NDArray[np.int32]) -> float:
    """Return the price per leaf whose trees do best on instances they have not seen."""
    prices = _prices(X, classes)
    n_folds = min(_INNER_FOLDS, len(classes))
    if len(prices) == 1 or n_folds < 2:
        return float(prices[0])
    n_correct = np.zeros(len(prices))
    for train, test in stratified_folds(classes, n_folds, _SEED):
        for index, price in enumerate(prices):
            tree = _cart(price).fit(X[train], classes[train])
            n_correct[index] += np.count_nonzero(tree.predict(X[test]) == classes[test])
    return float(prices[np.flatnonzero(n_correct == n_correct.max())[-1]])


def _prices(X: NDArray[np.float64], classes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return prices between those at which the tree on all instances loses leaves, some of them if many."""
    path = _cart(0.0).cost_complexity_pruning_path(X, classes)
    steps = np.unique(np.maximum(path.ccp_alphas, 0.0))
    between = np.sqrt(steps[:-1] * steps[1:])  # the geometric mean, as in rpart
    prices = np.unique(np.append(between, steps[-1]))
    some = np.linspace(0, len(prices) - 1, min(_MOST_PRICES, len(prices))).round()
    return np.asarray(prices[some.astype(int)])


@dataclass(frozen=True)
class Learner:
    """A way to build a tree."""

    learn: Callable[[Dataset], Fitted]
    seconds_per_instance: float  # to build and cross-validate, as `gatree.experiments.estimate` has it
    kernels: str | None = None  # the package whose kernels are compiled at a first run


def _j48(data: Dataset, pruning: Pruning = "confidence") -> Fitted:
    tree = fit(data, J48Settings(pruning=pruning))

    def judge(data: Dataset) -> Judged:
        found = evaluate(tree, data)
        return Judged(found.n_instances, found.n_correct)

    return Fitted(tree.size, tree.n_leaves, judge)


def _front(data: Dataset) -> Fitted:
    from gatree.front.fit import fit_front  # few experiments want its kernels
    from gatree.front.settings import FRONT_PRESETS

    tree = fit_front(data, FRONT_PRESETS["default"]).tree

    def judge(data: Dataset) -> Judged:
        known = data.classes >= 0
        return _judged(tree.predict(data)[known], data.classes[known])

    return Fitted(tree.n_nodes, tree.n_leaves, judge)


def _majority(data: Dataset) -> Fitted:
    answer = int(np.argmax(data.class_counts))
    return Fitted(1, 1, lambda data: Judged(int(data.class_counts.sum()), int(data.class_counts[answer])))


BASELINES = {
    "j48": Learner(_j48, 1.2e-4, kernels="j48"),
    "j48-reduced-error": Learner(partial(_j48, pruning="reduced-error"), 1.2e-4, kernels="j48"),
    "cart": Learner(_fit_cart, 5e-3),
    "front": Learner(_front, 1e-2, kernels="front"),
    "majority": Learner(_majority, 1e-7),
}
"""All baselines that a study may name."""
