"""The base of the estimators: read X and y, predict, report the tree, and set scikit-learn's tags."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, issparse  # type: ignore[import-untyped]
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names,
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from gatree.data.answer import Answer, Classes
from gatree.data.attribute import MISSING, Attribute
from gatree.data.dataset import Dataset
from gatree.data.goal import SampleWeights
from gatree.estimator.inputs import (
    Matrix,
    SparseMatrix,
    as_dataset,
    as_frame,
    as_value_error,
    class_name,
    sample_weights,
)
from gatree.trees.model import DecisionTree
from gatree.trees.probabilities import importances, node_weights

if TYPE_CHECKING:
    from gatree.learners.small_trees import FoundTrees
    from gatree.study.page import NotebookPage

Floats = NDArray[np.float64]


class TreeEstimator(BaseEstimator, ABC):  # type: ignore[misc]  # sklearn has no types
    """An estimator with a fitted tree."""

    _name_of_y = "class"  # unless y has a name

    @property
    def _model(self) -> DecisionTree:
        check_is_fitted(self)
        tree: DecisionTree = self.tree_
        return tree

    def _learn(self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Read the data and learn a tree."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        frame, name = as_frame(self, dense(X, warns=True), reset=True), class_name(y, self._name_of_y)
        with as_value_error():
            answer = self._checked(y, name)
            check_consistent_length(frame, answer.column)
            dataset = as_dataset(frame, answer)
            weights = SampleWeights.ones(dataset.n_instances)
            if sample_weight is not None:
                weights = sample_weights(_check_sample_weight(sample_weight, frame))
            self._fit(dataset, weights)
        return self

    @abstractmethod
    def _checked(self, y: ArrayLike, name: str) -> Answer:
        """Return y, checked, as the classes or numbers of a name."""

    @abstractmethod
    def _fit(self, dataset: Dataset, weights: SampleWeights) -> None:
        """Learn a tree from a data set whose samples have weights."""

    def _dataset(self, X: Matrix) -> Dataset:
        """Return X as a data set with the columns of the training data."""
        check_is_fitted(self)
        frame = as_frame(self, dense(X), reset=False)
        with as_value_error():
            return as_dataset(frame, like=self._model.attributes)

    def _numbers(self, X: Matrix) -> Floats | None:
        """Return an array or a frame of finite numbers as an array, or None if X is something else.

        It needs no further checks, which take most of the time for a few samples.
        """
        if not hasattr(self, "tree_") or not isinstance(X, np.ndarray | pd.DataFrame):
            return None
        if X.ndim != 2 or len(X) == 0 or X.shape[1] != self.n_features_in_:
            return None
        types = {X.dtype} if isinstance(X, np.ndarray) else set(X.dtypes)
        if not all(isinstance(dtype, np.dtype) and dtype.kind in "fiu" for dtype in types):
            return None
        if any(each.is_nominal or each.date_format is not None for each in self._model.attributes):
            return None
        _check_feature_names(self, X, reset=False)
        rows = np.asarray(X, dtype=np.float64)
        if not (rows.flags.c_contiguous or rows.flags.f_contiguous):
            rows = np.ascontiguousarray(rows)
        with np.errstate(all="ignore"):
            is_finite = np.isfinite(rows.sum())  # unless there are missing values, or the sum is too large
        return rows if is_finite or not np.isinf(rows).any() else None

    def apply(self, X: Matrix) -> NDArray[np.int64]:
        """Return the leaf that every sample reaches, as a node number."""
        rows = self._numbers(X)
        if rows is not None:
            return self._model.leaves_of_numbers(rows).astype(np.int64)
        dataset = self._dataset(X)
        with as_value_error():
            return self._model.apply(dataset).astype(np.int64)

    def decision_path(self, X: Matrix) -> csr_matrix:
        """Return an indicator matrix of the nodes that every sample passes."""
        reached, tree = self.apply(X), self._model.tree
        above = [[0]]  # the nodes on the path to each node, itself included
        for node, parent in enumerate(tree.parents().tolist()[1:], 1):
            above.append([*above[parent], node])
        ends = np.cumsum([0, *(len(above[leaf]) for leaf in reached)])
        nodes = np.concatenate([above[leaf] for leaf in reached])
        shape = (len(reached), tree.n_nodes)
        return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, ends), shape=shape)

    def explore(self, X: Matrix, y: ArrayLike) -> NotebookPage:
        """Return a page to explore the trees of all sizes, with data.

        A notebook shows it in a frame; ``save(path)`` writes it to a file. Trees are cross-validated on the
        data, without sample weights, which takes longer than `fit`. After one evolution, with J48, and with
        ``cost_matrix`` or ``monotonic_cst``, the page shows only the tree.

        Parameters
        ----------
        X, y
            The data that the estimator was fitted on, or other data with the same columns.
        """
        from gatree.study.finding import Request, compare, find, of_one_tree, validate  # slow to import
        from gatree.study.page import NotebookPage, page

        tree = self._model
        frame, name = as_frame(self, dense(X), reset=False), class_name(y, tree.class_attribute.name)
        answer = self._checked(y, name) if tree.is_regression else self._known_classes(y, name)
        with as_value_error():
            dataset = replace(as_dataset(frame, answer), name="data")
            searched = self._searched(dataset)
            if searched is None:
                return NotebookPage(page(of_one_tree(tree, dataset)))
            finding = find(dataset, Request(self.settings_), searched=searched)
            return NotebookPage(page(compare(validate(finding))))

    def _searched(self, dataset: Dataset) -> FoundTrees | None:
        """Return the trees of all sizes for a page, or None if there is one tree only."""

    def get_depth(self) -> int:
        """Return the number of tests on the longest path."""
        return self._model.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._model.n_leaves

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class WeightedEstimator(TreeEstimator):
    """An estimator whose samples may have weights."""

    def fit(self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn a tree.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Numbers, or a frame that may also hold categories, text, booleans and dates. Missing values are
            NaN, None or pandas' NA.
        y : array of shape (n_samples,)
            The class of every sample, numbers or text; or the numbers to predict. The name of a Series is the
            class's name in the tree.
        sample_weight : array of shape (n_samples,), optional
            How often every sample counts. If all weights are integers, 3 counts exactly like three samples
            and 0 like none. Otherwise weights are scaled to a mean of one and rounded: see
            `gatree.estimator.inputs.sample_weights`.

        Returns
        -------
        self
        """
        return self._learn(X, y, sample_weight)


_MOST_BYTES = 2**30  # of a sparse matrix as an array
_LARGE = 2**20  # bytes, from which an array is worth a warning


def dense(X: Matrix, warns: bool = False) -> ArrayLike:
    """Return a sparse matrix as an array, with a warning if that is large, and anything else as it is."""
    if not issparse(X):
        return cast("ArrayLike", X)
    sparse = cast("SparseMatrix", X)
    n_bytes = int(np.prod(sparse.shape)) * 8
    if n_bytes > _MOST_BYTES:
        raise ValueError(
            f"X is sparse and would be an array of {n_bytes / 2**30:.1f} GiB; the limit is 1 GiB: "
            "choose fewer columns or rows"
        )
    if warns and n_bytes >= _LARGE:
        warnings.warn(f"X is sparse and becomes an array of {n_bytes / 2**20:.1f} MiB", stacklevel=3)
    return sparse.toarray()


class TreeClassifier(ClassifierMixin, TreeEstimator):  # type: ignore[misc]  # sklearn has no types
    """A classifier that learns a tree from a `Dataset`."""

    classes_: NDArray[np.generic]
    n_classes_: int

    def _checked(self, y: ArrayLike, name: str) -> Classes:
        labels: NDArray[np.generic] = column_or_1d(y, warn=True)
        if np.any(pd.isna(labels)):
            raise ValueError("Input y contains NaN.")
        check_classification_targets(labels)
        self.classes_, classes = np.unique(labels, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        return Classes(self._class_attribute(name), classes.astype(np.int32))

    def _known_classes(self, y: ArrayLike, name: str) -> Classes:
        """Return the classes that the estimator was fitted on; others are missing."""
        place = {label: index for index, label in enumerate(self.classes_.tolist())}
        codes = [place.get(label, MISSING) for label in np.asarray(y).tolist()]
        return Classes(self._class_attribute(name), np.array(codes, dtype=np.int32))

    def _class_attribute(self, name: str) -> Attribute:
        return Attribute(name, "nominal", tuple(map(str, self.classes_)))

    @abstractmethod
    def _distribution(self, X: Matrix) -> Floats:
        """Return the probabilities of the classes, a row per sample."""

    def _labels(self, X: Matrix) -> NDArray[np.integer]:
        """Return the class to predict for every sample, as an index into ``classes_``."""
        return np.asarray(self._distribution(X).argmax(axis=1))

    def predict(self, X: Matrix) -> NDArray[np.generic]:
        """Return the class of every sample; missing and unknown values take the right branch of a test."""
        labels = self._labels(X)  # raises if there is no tree yet
        return np.asarray(self.classes_[labels])

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature in the decrease of the Gini impurity."""
        tree = self._model
        return importances(tree, node_weights(tree))

    def predict_proba(self, X: Matrix) -> Floats:
        """Return the probability of every class, in the order of ``classes_``, for every sample.

        These are the frequencies of the training samples in the leaf, weighted by sample and class weights;
        those of a `SmallTreeClassifier` are shrunk towards the nodes above (``shrinkage``). `predict` returns
        the class of the leaf. Its probability is the largest, except with ``cost_matrix``, and in
        `GATreeClassifier`, whose leaves have random classes.
        """
        return self._distribution(X)

    def predict_log_proba(self, X: Matrix) -> Floats:
        """Return the logarithm of the probability of every class; minus infinity where it is zero."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))
