"""Estimators for scikit-learn: adapters without algorithms."""

from gatree.estimator.gatree_classifier import GATreeClassifier
from gatree.estimator.j48_classifier import J48Classifier
from gatree.estimator.small_tree import SmallTreeClassifier, SmallTreeRegressor

__all__ = ["GATreeClassifier", "J48Classifier", "SmallTreeClassifier", "SmallTreeRegressor"]
