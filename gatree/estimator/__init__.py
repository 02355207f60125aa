"""Estimators for scikit-learn: adapters without algorithms, the only package that imports scikit-learn."""

from gatree.estimator.gatree_classifier import GATreeClassifier
from gatree.estimator.gatree_regressor import GATreeRegressor
from gatree.estimator.j48_classifier import J48Classifier

__all__ = ["GATreeClassifier", "GATreeRegressor", "J48Classifier"]
