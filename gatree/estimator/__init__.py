"""Classifiers for scikit-learn: adapters only, no algorithm. The one place that imports scikit-learn."""

try:
    import sklearn
except ImportError as error:
    raise ImportError(
        "gatree's classifiers need scikit-learn 1.6 or later; install it with: pip install 'gatree[sklearn]'"
    ) from error

from gatree.estimator.gatree_classifier import GATreeClassifier
from gatree.estimator.j48_classifier import J48Classifier

__all__ = ["GATreeClassifier", "J48Classifier"]

del sklearn
