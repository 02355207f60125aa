"""`J48Classifier`: WEKA's J48 as a scikit-learn classifier."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from sklearn.utils.validation import check_is_fitted

from gatree.data.dataset import Dataset
from gatree.data.goal import SampleWeights
from gatree.estimator.base import Floats, TreeClassifier, WeightedEstimator
from gatree.estimator.inputs import Matrix, as_value_error
from gatree.estimator.parameters import checked, with_parameters
from gatree.j48 import J48Settings, fit
from gatree.j48.classifier import aligned
from gatree.j48.settings import Pruning
from gatree.trees.model import DecisionTree

Flag = Annotated[bool, Field(strict=False)]


class _Parameters(BaseModel):
    model_config = ConfigDict(strict=True)

    pruning: Pruning = Field("confidence", description="how the tree is pruned")
    binary_splits: Flag = Field(
        True,
        description="whether a nominal feature is tested for one value, or has a branch for every value",
    )
    min_samples_branch: Annotated[int, Field(ge=1)] = Field(
        2, description="minimum weight of samples in at least two branches of a test"
    )
    confidence: float = Field(0.25, description="smaller values prune more")
    subtree_raising: Flag = Field(
        True, description="whether pruning may replace a node by its largest branch"
    )
    prune_folds: Annotated[int, Field(ge=2)] = Field(
        3, description="folds of which reduced-error pruning holds out one"
    )
    laplace: Flag = Field(False, description="whether to smooth the class probabilities")
    random_state: int = Field(1, description="the seed of reduced-error pruning")


@with_parameters(_Parameters)
class J48Classifier(WeightedEstimator, TreeClassifier):
    """C4.5 as WEKA builds it, number for number.

    A sample with a missing value is split over several leaves. `apply`, `decision_path` and `get_depth` are
    those of ``tree_.to_decision_tree()``, where it goes to the right, and a branch per value is one test per
    value.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : J48Tree
        The tree, with ``to_text`` in WEKA's form.
    classes_, n_classes_, n_features_in_, feature_names_in_
        As in all classifiers of scikit-learn.
    feature_importances_ : ndarray
        The share of each feature in the decrease of the Gini impurity.
    """

    def _fit(self, dataset: Dataset, weights: SampleWeights) -> None:
        given = checked(self, _Parameters)
        settings = J48Settings(
            pruning=given.pruning,
            binary_splits=given.binary_splits,
            min_instances=given.min_samples_branch,
            confidence=given.confidence,
            subtree_raising=given.subtree_raising,
            prune_folds=given.prune_folds,
            prune_seed=given.random_state,
            laplace=given.laplace,
        )
        dataset = weights.repeated(dataset)
        if dataset.n_classes < 2:
            raise ValueError("J48Classifier needs samples of two classes or more, but y has 1 class")
        self.tree_ = fit(dataset, settings, weight=1 / weights.per_sample)
        self._prior = dataset.class_counts / dataset.n_instances

    def _distribution(self, X: Matrix) -> Floats:
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
