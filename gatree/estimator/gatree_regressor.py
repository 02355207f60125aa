"""`GATreeRegressor`: regression trees as a scikit-learn regressor."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import _check_sample_weight, _check_y, check_consistent_length

from gatree.data.dataset import Dataset
from gatree.estimator.base import Floats, TreeEstimator, dense
from gatree.estimator.inputs import Copies, as_dataset, as_frame, as_value_error, class_name, copies
from gatree.estimator.parameters import (
    check_numbers,
    effort_of,
    first_of,
    least_samples,
    seed_of,
    standard_errors_of,
    threads_of,
)
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.front.regression.fit import fit_regression
from gatree.front.settings import REGRESSION_PRESETS, Criterion, RegressionSettings
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import PRESETS, Preset, settings_of
from gatree.trees.model import DecisionTree
from gatree.trees.named_tree import with_numbers
from gatree.trees.numbers import NodeNumbers, node_numbers
from gatree.trees.probabilities import shares_of_decrease

_CRITERIA = ("squared_error", "absolute_error")
_OF_THE_PENALTY = ("population_size", "n_generations", "x_factor", "evaluator")
_EVALUATOR, _FEW_THRESHOLDS, _MIN_LEAF = "new", 31, 5  # of the genetic algorithm


class GATreeRegressor(RegressorMixin, TreeEstimator):  # type: ignore[misc]  # sklearn has no types
    """A regression tree found by evolution, of the size that the data support.

    By default, evolution starts from a greedy tree and finds the best tree of every size; cross-validation on
    the training data chooses the size. With ``size="penalty"``, ``preset="paper"`` or any setting of the
    genetic algorithm, a single evolution finds the tree by the payoff of Eq. 1, with the explained share of
    the variance (R2) in place of the accuracy.

    Parameters
    ----------
    preset : {"default", "fast", "paper"}
        The source of settings that are None.
    criterion : {"squared_error", "absolute_error"}
        The error that the tree minimises: its leaves predict means, or medians.
    size : {"auto", "penalty"} or int, optional
        ``"auto"``: chosen from the data. An int: the best tree of at most ``size`` leaves. ``"penalty"``: by
        Eq. 1. None is ``"auto"``, unless ``population_size``, ``n_generations``, ``x_factor`` or
        ``evaluator`` is given.
    size_rule : {"min", "1-se"} or float, optional
        With ``size="auto"``: the size with the best cross-validation, or the smallest size within one
        standard error of it, or within the given number of standard errors.
    first : str or int, optional
        The feature that the root tests, by name or position; it needs a size that is chosen or given.
    effort : float
        A factor of the work of the search for the best tree of every size.
    shrinkage : float or "auto"
        How much leaves are shrunk towards the nodes above them: the difference between a node and its parent,
        of n samples, is multiplied by n / (n + shrinkage). 0: leaves predict their own means or medians.
        ``"auto"``: chosen with the size, or 0 if the size is not chosen from the data.
    population_size, n_generations : int, optional
    x_factor : float or str, optional
        x of Eq. 1: a larger x allows larger trees.
    min_samples_leaf : int or float, optional
        The minimum number of samples in a leaf, or their share; other trees are not selected. By default 5,
        or 1, 2, 10 or 20 if greedy trees do clearly better with that in cross-validation; 5 with
        ``size="penalty"``.
    max_depth, max_leaf_nodes : int, optional
        Deeper and larger trees are rejected.
    max_thresholds : int or None, optional
        The maximum number of thresholds of a feature; a thinned choice is even over the samples. None keeps
        all. By default all are kept, or 31 with ``size="penalty"``.
    evaluator : {"new", "old", "new-all-nodes"}, optional
        How the genetic algorithm computes fitness; all give the same tree.
    n_jobs : int, optional
        Threads, -1 for one per core; the tree is the same for any number.
    random_state : int, RandomState or None

    Attributes
    ----------
    tree_ : DecisionTree
        The best tree found, with the means or medians of its leaves.
    node_means_ : ndarray
        The prediction of every node: its mean or median, shrunk.
    feature_importances_ : ndarray
        The share of each feature in the decrease of the error.
    fronts_ : dict of RegressionFront
        The best trees of every size, ``"greedy"`` and ``"evolved"``, if the size was chosen or given.
    settings_ : RegressionSettings or EvolutionSettings
        All settings that were used.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> GATreeRegressor("fast", random_state=0).fit(X, y).score(X, y) > 0.4
    True
    """

    settings_: RegressionSettings | EvolutionSettings

    tree_: DecisionTree

    def __init__(
        self,
        preset: Preset = "default",
        *,
        criterion: Criterion = "squared_error",
        size: str | int | None = None,
        size_rule: str | float | None = None,
        first: str | int | None = None,
        effort: float = 1.0,
        shrinkage: float | str = "auto",
        population_size: int | None = None,
        n_generations: int | None = None,
        x_factor: float | str | None = None,
        min_samples_leaf: float | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_thresholds: int | str | None = "auto",
        evaluator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.preset = preset
        self.criterion = criterion
        self.size = size
        self.size_rule = size_rule
        self.first = first
        self.effort = effort
        self.shrinkage = shrinkage
        self.population_size = population_size
        self.n_generations = n_generations
        self.x_factor = x_factor
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_thresholds = max_thresholds
        self.evaluator = evaluator
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a tree.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Numbers, or a frame that may also hold categories, text, booleans and dates.
        y : array of shape (n_samples,)
            The numbers to predict. The name of a Series is the name of the target in the tree.
        sample_weight : array of shape (n_samples,), optional
            How often every sample counts; see `gatree.estimator.inputs.copies`.
        """
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        frame, name = as_frame(self, dense(X), reset=True), class_name(y, "mean")
        self._n_samples = len(frame)
        with as_value_error():
            numbers = _checked_target(_check_y(y, multi_output=False, y_numeric=True, estimator=self))
            check_consistent_length(frame, numbers)
            dataset = as_dataset(frame, np.zeros(len(frame), dtype=np.int32), self._labels_of_classes, name)
            made = Copies(np.arange(len(frame)))
            if sample_weight is not None:
                made = copies(_check_sample_weight(sample_weight, frame))
                dataset, numbers = dataset.take(made.sample_of), numbers[made.sample_of]
            self._fit(dataset, numbers, made)
        return self

    def _fit(self, dataset: Dataset, target: Floats, copies: Copies) -> None:
        self.__dict__.pop("fronts_", None)
        settings = self._settings()
        settings = settings.model_copy(update={"min_leaf": copies.rows_for(settings.min_leaf)})
        if self._chooses_size():
            self._fit_front(dataset, target, settings, copies)
        else:
            self._fit_evolution(dataset, target, settings)
        tree = self.tree_
        numbers = NodeNumbers.of(tree.tree, tree.apply(dataset), target)
        named = replace(tree.class_attribute, name=dataset.class_attribute.name)
        self.tree_ = replace(tree, class_attribute=named, numbers=numbers)

    def _fit_front(
        self, dataset: Dataset, target: Floats, settings: EvolutionSettings, copies: Copies
    ) -> None:
        """Choose the tree from the fronts of the data."""
        self.settings_ = self._front_settings(settings, copies, dataset)
        found = fit_regression(dataset, target, self.settings_)
        front = found.fronts["evolved"]
        self.fronts_, self.tree_ = found.fronts, front.tree(found.n_leaves)
        _, self.node_means_ = front.unlabelled(found.n_leaves, dataset.class_attribute)
        absolute = self.criterion == "absolute_error"
        _, self._node_errors = node_numbers(self.tree_.tree, self.tree_.apply(dataset), target, absolute)

    def _front_settings(
        self, settings: EvolutionSettings, copies: Copies, dataset: Dataset
    ) -> RegressionSettings:
        chosen = REGRESSION_PRESETS[self.preset]
        most = chosen.max_leaves if settings.max_nodes is None else (settings.max_nodes + 1) // 2
        return replace(
            chosen,
            criterion=self.criterion,
            size=int(self.size) if isinstance(self.size, Integral) else "auto",
            shrinkages=chosen.shrinkages if self.shrinkage == "auto" else (float(self.shrinkage),),
            standard_errors=standard_errors_of(self.size_rule, chosen.standard_errors),
            most_lost=chosen.most_lost if self.size_rule is None else math.inf,
            max_leaves=min(chosen.max_leaves, most),
            max_depth=chosen.max_depth if settings.max_depth is None else settings.max_depth,
            min_leaves=self._min_leaves(chosen, settings, copies),
            first=first_of(self, [attribute.name for attribute in dataset.attributes]),
            max_thresholds=self._most_thresholds(None),
            effort=effort_of(self),
            n_jobs=settings.n_jobs,
            seed=settings.seed,
        )

    def _min_leaves(
        self, chosen: RegressionSettings, settings: EvolutionSettings, copies: Copies
    ) -> tuple[int, ...]:
        """Return the candidates for the minimum number of rows in a leaf: one if it is given."""
        if self.min_samples_leaf is not None:
            return (max(1, settings.min_leaf),)
        return tuple(copies.rows_for(min_leaf) for min_leaf in chosen.min_leaves)

    def _fit_evolution(self, dataset: Dataset, target: Floats, settings: EvolutionSettings) -> None:
        """Evolve a population, and keep the tree with the best payoff."""
        self.settings_ = settings
        most_thresholds = self._most_thresholds(_FEW_THRESHOLDS)
        problem = Problem.of(dataset, settings.numeric_tests, most_thresholds).with_target(target)
        evolution = Evolution(problem, settings)
        evolution.advance(settings.n_generations)
        found = DecisionTree.of(evolution.best, problem.coding, dataset)
        self.node_means_, self._node_errors = node_numbers(found.tree, found.apply(dataset), target)
        self.tree_ = with_numbers(found, self.node_means_)

    def _chooses_size(self) -> bool:
        """Return whether the size is chosen from the data, or given, rather than traded for R2."""
        if self.criterion not in _CRITERIA:
            raise ValueError(f"criterion must be one of {', '.join(_CRITERIA)}, got {self.criterion!r}")
        if not (self.size in (None, "auto", "penalty") or _is_count(self.size)):
            raise ValueError(
                "size must be 'auto', a maximum number of leaves (an int of at least 1) or 'penalty', "
                f"got {self.size!r}"
            )
        if not (self.shrinkage == "auto" or _is_finite(self.shrinkage)):
            raise ValueError(f"shrinkage must be 'auto' or a number of at least 0, got {self.shrinkage!r}")
        standard_errors_of(self.size_rule, default=0.0)  # reject an invalid rule even if it is not used
        penalised = [name for name in _OF_THE_PENALTY if getattr(self, name) is not None]
        penalised += [] if self.preset in REGRESSION_PRESETS else [f"preset {self.preset!r}"]
        if self.size == "penalty" or (self.size is None and penalised):
            if self.criterion != "squared_error":
                what = penalised[0] if penalised else "size='penalty'"
                raise ValueError(f"{what} requires criterion='squared_error', got {self.criterion!r}")
            return False
        if penalised:
            raise ValueError(f"{penalised[0]} requires size='penalty', got size={self.size!r}")
        return True

    def _most_thresholds(self, default: int | None) -> int | None:
        most = self.max_thresholds
        if most == "auto":
            return default
        if most is None or _is_count(most):
            return None if most is None else int(most)
        raise ValueError(f"max_thresholds must be 'auto', an int of at least 1 or None, got {most!r}")

    def _settings(self) -> EvolutionSettings:
        check_numbers(self, ("population_size", "n_generations", "max_depth", "max_leaf_nodes", "n_jobs"))
        min_leaf = least_samples(self, "min_samples_leaf", 1)
        given = {
            "population_size": self.population_size,
            "n_generations": self.n_generations,
            "x_factor": self.x_factor,
            "min_leaf": _MIN_LEAF if min_leaf is None else min_leaf,
            "max_depth": self.max_depth,
            "max_nodes": None if self.max_leaf_nodes is None else 2 * self.max_leaf_nodes - 1,
            "evaluator": _EVALUATOR if self.evaluator is None else self.evaluator,
            "n_jobs": threads_of(self.n_jobs),
        }
        values = {name: value for name, value in given.items() if value is not None}
        values["seed"] = seed_of(self.random_state)
        if self.preset not in PRESETS:
            raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {self.preset!r}")
        return settings_of(self.preset, values)

    def predict(self, X: Any) -> Floats:
        """Return the mean, or the median, of the leaf that every sample reaches."""
        reached = self.apply(X)  # raises if there is no tree yet
        return np.asarray(self.node_means_[reached])

    def to_sklearn(self) -> Any:
        """Return the tree as scikit-learn's own: a DecisionTreeRegressor, or one behind a one-hot encoder.

        It predicts the same numbers; see `gatree.trees.export.sklearn_tree`.
        """
        return self._as_sklearn()

    @property
    def _labels_of_classes(self) -> list[str]:
        return ["mean"]

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature in the decrease of the squared error."""
        return shares_of_decrease(self._model, self._node_errors)


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 <= float(value) < float("inf")


def _checked_target(y: NDArray[Any]) -> Floats:
    """Return a target as floats; reject one without a finite mean."""
    with np.errstate(over="ignore"):
        numbers = y.astype(np.float64)
        total = np.abs(numbers).sum()
    if not np.isfinite(total):
        raise ValueError(
            "Input y contains NaN, infinity, or values whose sum is too large for dtype('float64')."
        )
    return numbers
