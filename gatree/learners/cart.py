"""CART: scikit-learn's tree, pruned by cost-complexity.

A cross-validation within the training data chooses the price per leaf, and among prices that do equally well
the highest: the smallest tree. A nominal attribute is a column per value, of ones and zeros; a missing number
stays missing, as in all trees of scikit-learn. A tree is grown once and its prunings are read off it.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.background import interruptible
from gatree.base.errors import DataError
from gatree.data.answer import Numbers
from gatree.data.dataset import Dataset
from gatree.learners.fitted import Fitted
from gatree.trees.export.sklearn_tree import one_hot
from gatree.weka.folds import stratified_folds

Floats = NDArray[np.float64]
Answers = NDArray[Any]  # classes, or numbers


_INNER_FOLDS = 5
_SEED = 1
_MANY_CELLS = 500_000  # from here on one inner fold chooses the price
_NARROW = 2.0**-10  # the spread of a column, as a share of its largest number
_LARGEST = 1e30  # scikit-learn computes with numbers up to 1e38


def cells_of_cart(data: Dataset, n_rows: int) -> int:
    """Estimate the cells that are read to build a tree on some rows of the data.

    Those are all at every level of a tree of balanced branches. There is a column per category or class, so
    that it may part one category per level, and a tree is grown for each inner fold, too.
    """
    levels = np.log2(n_rows + 1)
    columns, most_values = _n_columns(data), max(len(each.values) for each in data.attributes)
    n_inner = 1 if n_rows * columns > _MANY_CELLS else _INNER_FOLDS
    return int(n_rows * columns * (levels + most_values) * (1 + n_inner * (1 - 1 / _INNER_FOLDS)))


def _n_columns(data: Dataset) -> int:
    n_columns = sum(len(each.values) if each.is_nominal else 1 for each in data.attributes)
    return max(n_columns, data.answer.n_strata)


def fit_cart(data: Dataset, is_quick: bool = False) -> Fitted:
    """Grow CART's tree on the rows that have an answer, and prune it; ``is_quick``: large data by one fold.

    Numbers are scaled, so that no square overflows.
    """
    answer, known = data.answer, data.answer.known
    X = _matrix(data)
    center = _centers(X)
    X, y = X[known] - center, answer.column[known]
    unit = middle = 0.0
    is_number = isinstance(answer, Numbers)
    if is_number:
        unit = float(np.abs(y).max(initial=0.0)) or 1.0
        middle = float((y / unit).mean())
        y = y / unit - middle
    is_many = data.n_instances * _n_columns(data) > _MANY_CELLS
    tree = _pruned(X, y, is_many and is_quick, is_number)

    def predict(data: Dataset) -> Answers:
        given = tree.predict(_matrix(data) - center)
        return (given + middle) * unit if is_number else given

    return Fitted(2 * tree.n_leaves - 1, tree.n_leaves, predict)


def _matrix(data: Dataset) -> Floats:
    """Return the columns as numbers that scikit-learn accepts."""
    X = one_hot(data)
    largest = np.nanmax(np.abs(X), axis=0, initial=0.0)
    if float(largest.max(initial=0.0)) > _LARGEST:
        raise DataError(f"CART cannot compute with numbers above {_LARGEST:g}")
    return X


def _centers(X: Floats) -> Floats:
    """Return what to subtract from columns whose numbers differ little: scikit-learn computes in float32."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a column has no known number
        low, high = np.nanmin(X, axis=0, initial=np.inf), np.nanmax(X, axis=0, initial=-np.inf)
    is_narrow = (high > low) & (high - low < _NARROW * np.maximum(np.abs(low), np.abs(high)))
    return np.where(is_narrow, low, 0.0)


class _Cart:
    """A grown tree, with the price at which each node becomes a leaf (weakest-link pruning)."""

    def __init__(self, X: Floats, y: Answers, is_number: bool) -> None:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # which takes a second

        kind = DecisionTreeRegressor if is_number else DecisionTreeClassifier
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that classes are many
            self._model = interruptible(lambda: kind(random_state=_SEED).fit(X, y))
        grown = self._model.tree_
        self._left, self._right, self._is_number = grown.children_left, grown.children_right, is_number
        self._parent = _parents(self._left, self._right)
        values = grown.value[:, 0, :]
        self._answers = values[:, 0] if is_number else self._model.classes_[np.argmax(values, axis=1)]
        weight = grown.weighted_n_node_samples
        risk = grown.impurity * weight / weight[0]
        self.price_of = _prices_of_nodes(self._left, self._right, self._parent, risk)
        self.price = 0.0

    @property
    def prices(self) -> Floats:
        """The prices to choose from: one for every pruning, down to a single leaf in any tree."""
        inner = self.price_of[np.isfinite(self.price_of)]
        steps = np.unique(np.append(np.maximum(inner, 0.0), 0.0))
        return np.append(np.unique(np.sqrt(steps[:-1] * steps[1:])), np.inf)  # geometric means, as in rpart

    def _ends(self, prices: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return where in rising prices each node becomes a leaf, and where one above it does."""
        is_leaf = self._left < 0
        first = np.where(is_leaf, 0, np.searchsorted(prices, self.price_of))
        gone = np.full(len(first), len(prices))
        for node in np.flatnonzero(~is_leaf).tolist():  # a child comes after its parent
            gone[[self._left[node], self._right[node]]] = min(first[node], gone[node])
        return first, gone

    def worths(self, X: Floats, y: Answers, prices: Floats) -> Floats:
        """Return what the tree is worth on rows at each of rising prices: right ones, or minus squares."""
        paths = self._model.decision_path(X)
        given, actual = self._answers[paths.indices], np.repeat(y, np.diff(paths.indptr))
        worth = -((given - actual) ** 2) if self._is_number else given == actual
        of_node = np.bincount(paths.indices, weights=worth, minlength=len(self._left))
        total = np.zeros(len(prices))
        for node, (first, gone) in enumerate(zip(*self._ends(prices), strict=True)):
            total[first:gone] += of_node[node]
        return total

    @property
    def n_leaves(self) -> int:
        first, gone = self._ends(np.array([self.price]))
        return int(np.count_nonzero(first < gone))

    def predict(self, X: Floats) -> Answers:
        """Return the pruned tree's answers."""
        if not len(X):
            return np.zeros(0, dtype=self._answers.dtype)
        first, gone = self._ends(np.array([self.price]))
        tops = np.arange(len(first))
        for node in np.flatnonzero(gone == 0).tolist():  # a child comes after its parent
            tops[node] = tops[self._parent[node]]
        return np.asarray(self._answers[tops[self._model.apply(X)]])


def _parents(left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.intp]:
    parent, inner = np.full(len(left), -1), np.flatnonzero(left >= 0)
    parent[left[inner]] = parent[right[inner]] = inner
    return parent


def _prices_of_nodes(
    left: NDArray[np.intp], right: NDArray[np.intp], parent: NDArray[np.intp], risk: Floats
) -> Floats:
    """Return the price per leaf at which every inner node becomes a leaf, the weakest link first."""
    n = len(left)
    inner = [node for node in range(n) if left[node] >= 0]
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


def _pruned(X: Floats, y: Answers, is_many: bool, is_number: bool) -> _Cart:
    """Return the tree at the price per leaf whose trees do best on rows that they have not seen."""
    tree = _Cart(X, y, is_number)
    prices, n_folds = tree.prices, min(_INNER_FOLDS, len(y))
    if len(prices) > 1 and n_folds > 1:
        classes = np.zeros(len(y), dtype=np.int32) if is_number else y
        worth = np.zeros(len(prices))
        for train, test in stratified_folds(classes, n_folds, _SEED)[: 1 if is_many else n_folds]:
            worth += _Cart(X[train], y[train], is_number).worths(X[test], y[test], prices)
        tree.price = float(prices[np.flatnonzero(worth == worth.max())[-1]])
    return tree
