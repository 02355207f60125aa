"""`GATreeRegressor`: regression trees as a scikit-learn regressor."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import _check_y

from gatree.data.dataset import Dataset
from gatree.estimator.base import Floats
from gatree.estimator.inputs import Copies
from gatree.estimator.parameters import front_settings, is_number
from gatree.estimator.single_evolution import EvolvedTree
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import Preset
from gatree.smalltree.fit import fit_front
from gatree.smalltree.prepare import Weights
from gatree.smalltree.settings import REGRESSION_PRESETS, RegressionSettings
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import NodeNumbers, Reduced, node_numbers
from gatree.trees.probabilities import shares_of_decrease

_FEW_THRESHOLDS = 31  # of the genetic algorithm


class GATreeRegressor(RegressorMixin, EvolvedTree):  # type: ignore[misc]  # sklearn has no types
    """A regression tree found by evolution, of the size that the data support.

    By default, evolution starts from a greedy tree and finds the best tree of every size; cross-validation on
    the training data chooses the size. With ``size="penalty"``, ``preset="paper"`` or any setting of the
    genetic algorithm, a single evolution finds the tree by the payoff of Eq. 1, with the explained share of
    the variance (R2) in place of the accuracy.

    Parameters
    ----------
    preset : {"default", "fast", "paper"}
        The source of settings that are None.
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
        of n samples, is multiplied by n / (n + shrinkage). 0: leaves predict their own means.
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
        The best tree found, with the means of its leaves.
    node_means_ : ndarray
        The prediction of every node: its mean, shrunk.
    feature_importances_ : ndarray
        The share of each feature in the decrease of the error.
    fronts_ : dict of Front
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
    _name_of_y = "mean"
    _defaults = MappingProxyType({"min_leaf": 5, "evaluator": "new"})  # of the genetic algorithm

    def __init__(
        self,
        preset: Preset = "default",
        *,
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
        self._store(locals())

    def _checked(self, y: Any) -> tuple[NDArray[np.int32], Floats | None]:
        try:
            y = _check_y(y, multi_output=False, y_numeric=True, estimator=self)
            numbers = y.astype(np.float64)
        except ValueError as error:
            text = re.fullmatch(r"could not convert string to float: (?:np\.str_\()?(.*?)\)?", str(error))
            if text is None:
                raise
            raise ValueError(f"y must be numbers, got {text[1]}; GATreeClassifier predicts classes") from None
        with np.errstate(over="ignore"):
            total = np.abs(numbers).sum()
        if not np.isfinite(total):
            raise ValueError(
                "Input y contains NaN, infinity, or values whose sum is too large for dtype('float64')."
            )
        return np.zeros(len(numbers), dtype=np.int32), numbers

    def _fit(self, dataset: Dataset, copies: Copies) -> None:
        if not (self.shrinkage == "auto" or (is_number(self.shrinkage) and 0 <= self.shrinkage < math.inf)):
            raise ValueError(f"shrinkage must be 'auto' or a number of at least 0, got {self.shrinkage!r}")
        super()._fit(dataset, copies)
        tree, rows = self.tree_, copies.repeated(dataset)
        assert rows.target is not None
        numbers = NodeNumbers.of(tree.tree, tree.apply(rows), rows.target)
        self._node_errors = numbers.errors
        named = replace(tree.class_attribute, name=dataset.class_attribute.name)
        self.tree_ = replace(tree, class_attribute=named, numbers=numbers)

    def _fit_front(self, dataset: Dataset, settings: EvolutionSettings, copies: Copies) -> None:
        assert dataset.target is not None
        preset = REGRESSION_PRESETS[self.preset]
        self.settings_ = replace(
            front_settings(self, preset, settings, dataset),
            shrinkages=preset.shrinkages if self.shrinkage == "auto" else (float(self.shrinkage),),
            min_leaves=preset.min_leaves if self.min_samples_leaf is None else (max(1, settings.min_leaf),),
            max_thresholds=None if self.max_thresholds == "auto" else self.max_thresholds,
        )
        weights = Weights(copies.counts, copies.per_weight)
        self._found = found = fit_front(dataset, self.settings_, target=dataset.target, weights=weights)
        self.fronts_, self.tree_ = found.fronts, found.tree
        _, numbers = found.fronts["evolved"].tree_and_numbers(found.n_leaves)
        assert numbers is not None
        self.node_means_ = numbers

    def _fit_evolution(self, dataset: Dataset, settings: EvolutionSettings) -> None:
        assert dataset.target is not None
        self.settings_ = settings
        most: Any = _FEW_THRESHOLDS if self.max_thresholds == "auto" else self.max_thresholds
        problem = Problem.of(dataset, settings.numeric_tests, most).with_target(dataset.target)
        evolution = Evolution(problem, settings)
        evolution.advance(settings.n_generations)
        found = DecisionTree.of(evolution.best, problem.coding, dataset)
        reduced = Reduced.of(dataset.target)
        means, _ = node_numbers(found.tree, found.apply(dataset), reduced.numbers)
        self.node_means_ = reduced.restored(means)
        self.tree_ = found.with_numbers(self.node_means_)

    def predict(self, X: Any) -> Floats:
        """Return the mean of the leaf that every sample reaches."""
        reached = self.apply(X)  # raises if there is no tree yet
        return np.asarray(self.node_means_[reached])

    def _searched(self, dataset: Dataset) -> Any:
        from gatree.explore.search import found_in

        if not hasattr(self, "fronts_"):
            raise ValueError("explore needs a size that is chosen or given, not a single evolution")
        return found_in(self._found, dataset)

    @property
    def _labels_of_classes(self) -> list[str]:
        return ["mean"]

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature in the decrease of the squared error."""
        return shares_of_decrease(self._model, self._node_errors)
