"""`SmallTreeClassifier` and `SmallTreeRegressor`: a tree of the size that the data support."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_y

from gatree.base.errors import GatreeError, SettingError, did_you_mean
from gatree.base.progress import Progress
from gatree.data.answer import Numbers
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal, SampleWeights, check_directions
from gatree.estimator.base import Floats, TreeClassifier, WeightedEstimator
from gatree.estimator.inputs import Matrix
from gatree.estimator.parameters import checked, with_parameters
from gatree.learners.small_trees import FoundTrees
from gatree.settings.small_tree import SmallTreeSettings
from gatree.smalltree.fit import FrontFit, fit_front
from gatree.smalltree.front import Front
from gatree.smalltree.prepare import Demands
from gatree.smalltree.settings import search_settings
from gatree.trees.model import DecisionTree, as_decision_tree
from gatree.trees.numbers import NodeNumbers
from gatree.trees.probabilities import shares_of_decrease


class _Parameters(SmallTreeSettings):
    verbose: Annotated[int, Field(ge=0, strict=False)] = Field(0, description="1 prints progress")


class _ClassifierParameters(_Parameters):
    costs: Any = Field(
        None,
        description="the cost of predicting a class (column) for a sample of a class (row), in the order of "
        "``classes_``; leaves then predict the cheapest class",
    )
    monotonic: Any = Field(
        None,
        description="for two classes: for every feature 1 if the second class may only become more likely as "
        "the feature grows, -1 if only less likely, 0 for no constraint; or a dict of these by name",
    )
    initial_trees: Any = Field(
        None,
        description="trees to start from: fitted classifiers of gatree or scikit-learn's, or their trees; "
        "the cross-validation that chooses the size starts without them",
    )


class _SmallTree(WeightedEstimator):
    """An estimator that searches the best tree of every size."""

    first: Any
    settings_: SmallTreeSettings
    fronts_: dict[str, Front]
    tree_: DecisionTree

    def _search(
        self, dataset: Dataset, parameters: _Parameters, goal: Goal, demands: Demands | None = None
    ) -> FrontFit:
        """Return the trees of all sizes, and keep them."""
        names = SmallTreeSettings.model_fields.keys()
        self.settings_ = SmallTreeSettings(**parameters.model_dump(include=set(names)))
        settings = search_settings(self.settings_, dataset)
        with Progress("search", quiet=not parameters.verbose, always=True) as progress:
            found = fit_front(dataset, settings, goal, demands=demands, listener=progress)
        for note in found.notes if self.settings_.max_seconds else ():
            warnings.warn(note, ConvergenceWarning, stacklevel=5)
        self.fronts_, self.tree_ = found.fronts, found.tree
        self._shrinkage = found.shrinkage
        return found

    def _first_of(self, dataset: Dataset) -> Any:
        """Return the name of the feature that the root is to test."""
        first, names = self.first, [each.name for each in dataset.attributes]
        if isinstance(first, Integral) and not isinstance(first, bool):
            if not 0 <= int(first) < len(names):
                raise SettingError.of(
                    "first", f"should be a feature's name or position below {len(names)}, got {first!r}"
                )
            return names[int(first)]
        if isinstance(first, str) and first not in names:
            raise SettingError.of("first", f"no feature {first!r}{did_you_mean(first, names)}")
        return first

    def _searched(self, dataset: Dataset) -> FoundTrees | None:
        from gatree.learners.small_trees import found_in

        return found_in(FrontFit(self.tree_, self.fronts_, shrinkage=self._shrinkage), dataset)

    def to_sklearn(self) -> Any:
        """Return the tree as scikit-learn's own, a classifier or regressor, or one behind a one-hot encoder.

        It predicts the same; see `gatree.trees.export.sklearn_tree`.
        """
        made = self._model.to_sklearn(getattr(self, "classes_", None))
        if not hasattr(self, "feature_names_in_") and hasattr(made, "feature_names_in_"):
            del made.feature_names_in_  # trained on an array, so it accepts arrays without a warning
        return made


@with_parameters(_ClassifierParameters)
class SmallTreeClassifier(_SmallTree, TreeClassifier):
    """A small decision tree, as accurate as its size allows, of the size that the data support.

    The search finds the best tree of every size; cross-validation on the training data chooses the size.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : DecisionTree
        The tree, with ``to_text``, ``to_json``, ``to_dot``; `gatree.plot_tree` draws it.
    classes_, n_classes_, n_features_in_, feature_names_in_
        As in all classifiers of scikit-learn.
    feature_importances_ : ndarray
        The share of each feature in the decrease of the Gini impurity.
    fronts_ : dict of Front
        The best trees of every size, ``"greedy"`` and ``"evolved"``; `gatree.plot_fronts` draws them, and
        ``fronts_["evolved"].tree(8)`` is the best tree of at most 8 leaves.
    settings_ : SmallTreeSettings
        All settings that were used.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> SmallTreeClassifier(effort=0.1, random_state=0).fit(X, y).get_n_leaves()
    4
    """

    class_weight: Any
    cost_matrix: Any
    monotonic_cst: Any

    def _fit(self, dataset: Dataset, weights: SampleWeights) -> None:
        given = self.class_weight
        if isinstance(given, Mapping):
            given = _by_name(given, self.classes_.tolist())
        parameters = checked(self, _ClassifierParameters, first=self._first_of(dataset), class_weight=given)
        costs = None if parameters.costs is None else _array("costs", parameters.costs, np.float64)
        goal = Goal.of(dataset, parameters.class_weight, costs, weights)
        self._search(dataset, parameters, goal, _demands(parameters, dataset))

    def _distribution(self, X: Matrix) -> Floats:
        reached = self.apply(X)  # raises if there is no tree yet
        return np.asarray(self.tree_.probabilities[reached])

    def _labels(self, X: Matrix) -> NDArray[np.integer]:
        reached = self.apply(X)
        return self.tree_.tree.value[reached]

    def _searched(self, dataset: Dataset) -> FoundTrees | None:
        if self.cost_matrix is not None or self.monotonic_cst is not None:
            return None  # the page's cross-validation cannot repeat these
        return super()._searched(dataset)


def _by_name(weights: Mapping[object, object], classes: Sequence[object]) -> dict[str, object]:
    """Return the weights by class name; the keys 1.0 and True match a class 1, as in a dictionary.

    As in scikit-learn, weights of other classes are allowed if every class in the data has one.
    """
    by_name = {str(key): weight for key, weight in weights.items()}
    looked_up = {str(label): weights.get(label, by_name.get(str(label))) for label in classes}
    found = {name: weight for name, weight in looked_up.items() if weight is not None}
    if len(found) == len(classes):
        return found
    return {str(key): weight for key, weight in weights.items() if key not in classes} | found


def _demands(parameters: _ClassifierParameters, dataset: Dataset) -> Demands:
    """Return the checked directions and initial trees."""
    directions = None
    if parameters.monotonic is not None:
        directions = _array("monotonic", _in_order(parameters.monotonic, dataset), np.int8)
        check_directions(directions, dataset)
    try:
        initial = [as_decision_tree(tree) for tree in parameters.initial_trees or ()]
    except (TypeError, ValueError, GatreeError) as error:
        raise SettingError.of("initial_trees", str(error)) from None
    return Demands(directions if directions is not None and directions.any() else None, initial)


def _in_order(given: object, dataset: Dataset) -> object:
    """Return the directions in the order of the features."""
    if not isinstance(given, Mapping):
        return given
    names = [each.name for each in dataset.attributes]
    if unknown := [name for name in given if name not in names]:
        near = did_you_mean(str(unknown[0]), names)
        raise SettingError.of("monotonic", f"no feature {unknown[0]!r}{near}")
    return [given.get(name, 0) for name in names]


def _array(setting: str, given: Any, dtype: Any) -> NDArray[Any]:
    try:
        return np.array(given, dtype=dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise SettingError.of(setting, str(error)) from None


@with_parameters(_Parameters, left_out=["class_weight", "scoring"])
class SmallTreeRegressor(RegressorMixin, _SmallTree):  # type: ignore[misc]  # sklearn has no types
    """A small regression tree, as good as its size allows, of the size that the data support.

    The search finds the best tree of every size; cross-validation on the training data chooses the size.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : DecisionTree
        The tree, with the numbers that its leaves predict.
    node_means_ : ndarray
        The prediction of every node: its mean, shrunk.
    feature_importances_ : ndarray
        The share of each feature in the decrease of the error.
    fronts_ : dict of Front
        The best trees of every size, ``"greedy"`` and ``"evolved"``.
    settings_ : SmallTreeSettings
        All settings that were used.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> SmallTreeRegressor(effort=0.1, random_state=0).fit(X, y).score(X, y) > 0.4
    True
    """

    _name_of_y = "mean"

    def _checked(self, y: ArrayLike, name: str) -> Numbers:
        try:
            numbers = _check_y(y, multi_output=False, y_numeric=True, estimator=self).astype(np.float64)
        except ValueError as error:
            text = re.fullmatch(r"could not convert string to float: (?:np\.str_\()?(.*?)\)?", str(error))
            if text is None:
                raise
            raise ValueError(
                f"y must be numbers, got {text[1]}; SmallTreeClassifier predicts classes"
            ) from None
        with np.errstate(over="ignore"):
            total = np.abs(numbers).sum()
        if not np.isfinite(total):
            raise ValueError(
                "Input y contains NaN, infinity, or values whose sum is too large for dtype('float64')."
            )
        return Numbers(Attribute(name, "numeric"), numbers)

    def _fit(self, dataset: Dataset, weights: SampleWeights) -> None:
        parameters = checked(self, _Parameters, first=self._first_of(dataset))
        found = self._search(dataset, parameters, Goal.of(dataset, sample_weights=weights))
        _, means = found.fronts["evolved"].tree_and_numbers(found.n_leaves)
        assert means is not None
        self.node_means_ = means
        rows = weights.repeated(dataset)
        assert isinstance(rows.answer, Numbers)
        numbers = NodeNumbers.of(found.tree.tree, found.tree.apply(rows), rows.answer.values)
        self._node_errors = numbers.errors
        self.tree_ = replace(found.tree, numbers=numbers, spreads=rows.spreads)

    def predict(self, X: Matrix) -> Floats:
        """Return the mean of the leaf that every sample reaches."""
        reached = self.apply(X)  # raises if there is no tree yet
        return np.asarray(self.node_means_[reached])

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature in the decrease of the squared error."""
        return shares_of_decrease(self._model, self._node_errors)
