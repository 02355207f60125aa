"""Other methods to build a tree, for comparison: the majority class or the mean, J48, and CART.

CART is scikit-learn's tree, pruned by cost-complexity; a cross-validation within the training data chooses
the price per leaf, and among prices that do equally well the highest: the smallest tree. A nominal attribute
is a column per value, of ones and zeros; a missing number stays missing, as in all trees of scikit-learn. A
tree is grown once and its prunings are read off it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.background import interruptible
from gatree.base.errors import DataError
from gatree.data.dataset import Dataset
from gatree.j48 import J48Settings, fit
from gatree.j48.growing import NO_LIMIT
from gatree.j48.settings import Pruning
from gatree.j48.tree import most_probable
from gatree.trees.export.sklearn_tree import one_hot
from gatree.weka.folds import stratified_folds

Floats = NDArray[np.float64]


class Hits(NamedTuple):
    """On how many instances a tree was tried, those without a class left out, and how many it got right."""

    n_instances: int
    n_correct: int


class Fitted(NamedTuple):
    """A tree that was built: its nodes, its leaves, and the class or number that it gives every row."""

    size: int
    leaves: int
    predict: Callable[[Dataset], NDArray[Any]]

    def judge(self, data: Dataset) -> Hits:
        """Return how many rows of the data the tree gets right."""
        known = data.classes >= 0
        right = self.predict(data)[known] == data.classes[known]
        return Hits(int(known.sum()), int(np.count_nonzero(right)))


def fit_constant(data: Dataset, target: Floats | None = None) -> Fitted:
    """Return the tree that gives every row the most frequent class, or the mean."""
    answer = int(np.argmax(data.class_counts)) if target is None else float(target.mean())
    return Fitted(1, 1, lambda data: np.full(data.n_instances, answer))


def fit_j48(data: Dataset, pruning: Pruning = "confidence", most_work: int = NO_LIMIT) -> Fitted:
    """Return J48's tree; its prediction is -1 where it cannot classify a row."""
    tree = fit(data, J48Settings(pruning=pruning), most_work=most_work)
    return Fitted(tree.size, tree.n_leaves, lambda data: most_probable(tree.distribution(data)))


_INNER_FOLDS = 5
_MOST_PRICES = 20
_SEED = 1
_MOST_CELLS = 3_000_000  # on larger data CART takes longer than everything else
_MANY_CELLS = 500_000  # from here on one inner fold chooses the price
_LARGEST = 1e30  # scikit-learn computes with numbers up to 1e38


def fit_cart(data: Dataset, target: Floats | None = None, limited: bool = False) -> Fitted:
    """Grow CART's tree on the rows that have a class, and prune it; ``limited``: large data are refused.

    Numbers are scaled, so that no square overflows.
    """
    X, is_many = _matrix(data, limited)
    y: NDArray[Any]
    unit = middle = 0.0
    if target is None:
        known = data.classes >= 0
        X, y = X[known], data.classes[known]
    else:
        unit = float(np.abs(target).max(initial=0.0)) or 1.0
        middle = float((target / unit).mean())
        y = target / unit - middle
    tree = _pruned(X, y, is_many and limited, is_number=target is not None)

    def predict(data: Dataset) -> NDArray[Any]:
        given = tree.predict(_matrix(data, limited=False)[0])
        return given if target is None else (given + middle) * unit

    return Fitted(2 * tree.n_leaves - 1, tree.n_leaves, predict)


def _matrix(data: Dataset, limited: bool) -> tuple[Floats, bool]:
    """Return the columns as numbers that scikit-learn accepts, and whether they are many."""
    n_columns = sum(len(each.values) if each.is_nominal else 1 for each in data.attributes)
    n_cells = data.n_instances * n_columns
    if limited and n_cells > _MOST_CELLS:
        raise DataError(f"CART would need {n_cells:,} cells, with a column per category")
    X = one_hot(data)
    largest = np.nanmax(np.abs(X), axis=0, initial=0.0)
    if float(largest.max(initial=0.0)) > _LARGEST:
        raise DataError(f"CART cannot compute with numbers above {_LARGEST:g}")
    return X, n_cells > _MANY_CELLS


class _Cart:
    """A grown tree, with the price at which each node becomes a leaf (weakest-link pruning)."""

    def __init__(self, X: Floats, y: NDArray[Any], is_number: bool) -> None:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # which takes a second

        kind = DecisionTreeRegressor if is_number else DecisionTreeClassifier
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that classes are many
            self._model = interruptible(lambda: kind(random_state=_SEED).fit(X, y))
        grown = self._model.tree_
        self._left, self._right = grown.children_left, grown.children_right
        values = grown.value[:, 0, :]
        self._answers = values[:, 0] if is_number else self._model.classes_[np.argmax(values, axis=1)]
        weight = grown.weighted_n_node_samples
        self.price_of = _prices_of_nodes(self._left, self._right, grown.impurity * weight / weight[0])
        self.price = 0.0

    @property
    def prices(self) -> Floats:
        """The prices at which the tree loses leaves."""
        inner = self.price_of[np.isfinite(self.price_of)]
        return np.unique(np.append(np.maximum(inner, 0.0), 0.0))

    def _tops(self) -> NDArray[np.intp]:
        """Return the leaf of the pruned tree in which every node ends."""
        tops = np.arange(len(self._left))
        for node in np.flatnonzero(self._left >= 0).tolist():  # a child comes after its parent
            ends = tops[node] != node or self.price_of[node] <= self.price
            for child in (self._left[node], self._right[node]):
                tops[child] = tops[node] if ends else child
        return tops

    @property
    def n_leaves(self) -> int:
        tops, is_leaf = self._tops(), self._left < 0
        return len(np.unique(tops[is_leaf]))

    def predict(self, X: Floats) -> NDArray[Any]:
        """Return the pruned tree's answers."""
        if not len(X):
            return np.zeros(0, dtype=self._answers.dtype)
        return np.asarray(self._answers[self._tops()[self._model.apply(X)]])


def _prices_of_nodes(left: NDArray[np.intp], right: NDArray[np.intp], risk: Floats) -> Floats:
    """Return the price per leaf at which every inner node becomes a leaf, the weakest link first."""
    n = len(left)
    inner = [node for node in range(n) if left[node] >= 0]
    parent = np.full(n, -1)
    for node in inner:
        parent[[left[node], right[node]]] = node
    below, n_leaves = risk.copy(), np.ones(n, dtype=np.int64)
    for node in reversed(inner):
        below[node] = below[left[node]] + below[right[node]]
        n_leaves[node] = n_leaves[left[node]] + n_leaves[right[node]]
    price, is_open = np.full(n, np.inf), np.zeros(n, dtype=np.bool_)
    is_open[inner] = True
    links = np.full(n, np.inf)
    links[inner] = (risk[inner] - below[inner]) / (n_leaves[inner] - 1)
    while is_open[0]:
        node = int(np.argmin(links))
        price[node] = links[node]
        stack = [node]
        while stack:  # what lies below goes with it
            at = stack.pop()
            if is_open[at]:
                is_open[at], links[at] = False, np.inf
                stack += [left[at], right[at]]
        saved, fewer = risk[node] - below[node], n_leaves[node] - 1
        below[node], n_leaves[node] = risk[node], 1
        at = parent[node]
        while at >= 0:
            below[at] += saved
            n_leaves[at] -= fewer
            links[at] = (risk[at] - below[at]) / (n_leaves[at] - 1)
            at = parent[at]
    return price


def _pruned(X: Floats, y: NDArray[Any], is_many: bool, is_number: bool) -> _Cart:
    """Return the tree at the price per leaf whose trees do best on rows that they have not seen."""
    tree = _Cart(X, y, is_number)
    steps = tree.prices
    between = np.sqrt(steps[:-1] * steps[1:])  # the geometric mean, as in rpart
    prices = np.unique(np.append(between, steps[-1]))
    some = np.linspace(0, len(prices) - 1, min(_MOST_PRICES, len(prices))).round()
    prices = prices[some.astype(int)]
    n_folds = min(_INNER_FOLDS, len(y))
    tree.price = float(prices[0])
    if len(prices) > 1 and n_folds > 1:
        classes = np.zeros(len(y), dtype=np.int32) if is_number else y
        worth = np.zeros(len(prices))
        for train, test in stratified_folds(classes, n_folds, _SEED)[: 1 if is_many else n_folds]:
            part = _Cart(X[train], y[train], is_number)
            for index, price in enumerate(prices):
                part.price = float(price)
                given = part.predict(X[test])
                worth[index] += _worth(given, y[test], is_number)
        tree.price = float(prices[np.flatnonzero(worth == worth.max())[-1]])
    return tree


def _worth(given: NDArray[Any], actual: NDArray[Any], is_number: bool) -> float:
    return -float(((given - actual) ** 2).sum()) if is_number else float(np.count_nonzero(given == actual))
