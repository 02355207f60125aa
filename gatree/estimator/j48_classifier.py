"""`J48Classifier`: WEKA's J48 as a scikit-learn classifier."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gatree.data.dataset import Dataset
from gatree.estimator.base import Floats, TreeClassifier
from gatree.estimator.inputs import Copies, as_value_error
from gatree.estimator.parameters import FLAG, Type, is_count, is_number, refuse_wrong_types
from gatree.j48 import J48Settings, fit
from gatree.j48.classifier import aligned
from gatree.trees.model import DecisionTree

_TYPES: dict[str, Type] = {
    "binary_splits": FLAG,
    "subtree_raising": FLAG,
    "laplace": FLAG,
    "min_samples_branch": ("a number of at least 1", lambda value: is_number(value) and value >= 1),
    "confidence": ("a number between 0 and 1", is_number),
    "prune_folds": ("an int of at least 2", lambda value: is_count(value, 2)),
    "random_state": ("an int", lambda value: isinstance(value, Integral)),
}


class J48Classifier(TreeClassifier):
    """C4.5 as WEKA builds it, number for number.

    A sample with a missing value is split over several leaves. `apply`, `decision_path` and `get_depth` are
    those of ``tree_.to_decision_tree()``, where it goes to the right, and a branch per value is one test per
    value.

    Parameters
    ----------
    pruning : {"confidence", "reduced-error", "none"}
    binary_splits : bool
        Whether a nominal feature is tested for one value, or has a branch for every value.
    min_samples_branch : int
        The minimum weight of samples in at least two branches of a test.
    confidence : float
        Smaller values prune more.
    subtree_raising : bool
        Whether pruning may replace a node by its largest branch.
    prune_folds : int
        The number of folds of which reduced-error pruning holds out one.
    laplace : bool
        Whether to smooth the class probabilities.
    random_state : int
        The seed of reduced-error pruning.

    Attributes
    ----------
    tree_ : J48Tree
        The tree, with ``to_text`` in WEKA's form.
    classes_, n_classes_, n_features_in_, feature_names_in_
        As in all classifiers of scikit-learn.
    feature_importances_ : ndarray
        The share of each feature in the decrease of the Gini impurity.
    """

    def __init__(
        self,
        *,
        pruning: str = "confidence",
        binary_splits: bool = True,
        min_samples_branch: int = 2,
        confidence: float = 0.25,
        subtree_raising: bool = True,
        prune_folds: int = 3,
        laplace: bool = False,
        random_state: int = 1,
    ) -> None:
        self._store(locals())

    def _fit(self, dataset: Dataset, copies: Copies) -> None:
        refuse_wrong_types(self, _TYPES)
        settings = J48Settings(
            pruning=self.pruning,
            binary_splits=self.binary_splits,
            min_instances=self.min_samples_branch,
            confidence=self.confidence,
            subtree_raising=self.subtree_raising,
            prune_folds=self.prune_folds,
            prune_seed=self.random_state,
            laplace=self.laplace,
        )
        dataset = copies.repeated(dataset)
        if dataset.n_classes < 2:
            raise ValueError("J48Classifier needs samples of two classes or more, but y has 1 class")
        self.tree_ = fit(dataset, settings, weight=1 / copies.per_weight)
        self._prior = dataset.class_counts / dataset.n_instances

    def _distribution(self, X: Any) -> Floats:
        dataset = self._dataset(X)
        with as_value_error():
            shares = self.tree_.distribution(aligned(self.tree_, dataset))
        unknown = shares.sum(axis=1) == 0  # a leaf that pruning left without samples
        shares[unknown] = self._prior
        return np.asarray(shares)

    @property
    def _model(self) -> DecisionTree:
        check_is_fitted(self)
        return self.tree_.to_decision_tree()

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def export_text(self) -> str:
        """Return the tree as WEKA prints it."""
        check_is_fitted(self)
        return self.tree_.to_text()
