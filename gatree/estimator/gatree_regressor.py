"""`GATreeRegressor`: trees for numbers, evolved by the same engine."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    check_is_fitted,
)

from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.estimator.base import decision_path
from gatree.estimator.inputs import Copies, as_dataset, as_frame, as_value_error, copies
from gatree.estimator.parameters import seed_of
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import PRESETS, settings_of
from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import DecisionTree
from gatree.trees.probabilities import shares_of_decrease

Floats = NDArray[np.float64]

_FEWEST_DIGITS = 6
_ALL_DIGITS = 17  # any two numbers differ in them
_ROUNDING = 4 * float(np.finfo(np.float64).eps)  # means of equal numbers differ by so much of themselves


class GATreeRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # sklearn has no types
    """A regression tree found by a genetic algorithm with lossless fitness inheritance.

    A leaf predicts the mean of its samples. The payoff is Eq. 1 with the share of the variance that the tree
    explains (R2) in place of the accuracy. It is a sum over the leaves of integers, for the target is
    taken in small whole units while it evolves: inheritance stays lossless.

    Parameters
    ----------
    preset : {"default", "fast", "paper"}
        Where settings that are None come from.
    population_size, n_generations : int, optional
    x_factor : float or str, optional
        x of Eq. 1: the larger, the larger trees may be.
    min_samples_leaf : int
        Trees with a smaller leaf are not selected.
    max_depth, max_leaf_nodes : int, optional
        Deeper and larger trees are not made.
    max_thresholds : int, optional
        Thin the thresholds of a feature to so many, evenly over the samples.
    evaluator : {"new", "old", "new-all-nodes"}
        How fitness is computed; all give the same tree.
    n_jobs : int, optional
        Threads that evaluate.
    random_state : int, RandomState or None

    Attributes
    ----------
    tree_ : DecisionTree
        The best tree found; the labels of its leaves are their means, in six digits or as many more as it
        takes to tell them apart and to be within a thousandth of the target's standard deviation.
    node_means_ : ndarray
        What every node would predict.
    feature_importances_ : ndarray
        The share of each feature in the decrease of the squared error.
    settings_ : EvolutionSettings
        All settings that were used.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> GATreeRegressor(random_state=0, n_generations=50).fit(X, y).score(X, y) > 0.4
    True
    """

    def __init__(
        self,
        preset: str = "default",
        *,
        population_size: int | None = None,
        n_generations: int | None = None,
        x_factor: float | str | None = None,
        min_samples_leaf: int = 5,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_thresholds: int | None = 31,
        evaluator: str = "new",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.preset = preset
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
            The numbers to predict.
        sample_weight : array of shape (n_samples,), optional
            How often every sample counts; see `gatree.estimator.inputs.copies`.
        """
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        frame = as_frame(self, X, reset=True)
        with as_value_error():
            numbers = _checked_target(_check_y(y, multi_output=False, y_numeric=True, estimator=self))
            check_consistent_length(frame, numbers)
            dataset = as_dataset(frame, np.zeros(len(frame), dtype=np.int32), ["mean"])
            made = Copies(np.arange(len(frame)))
            if sample_weight is not None:
                made = copies(_check_sample_weight(sample_weight, frame))
                dataset, numbers = dataset.take(made.sample_of), numbers[made.sample_of]
            self._fit(dataset, numbers, made)
        return self

    def _fit(self, dataset: Dataset, target: Floats, copies: Copies) -> None:
        settings = self._settings()
        self.settings_ = settings.model_copy(update={"min_leaf": copies.rows_for(settings.min_leaf)})
        problem = Problem.of(dataset, self.settings_.numeric_tests, self.max_thresholds).with_target(target)
        evolution = Evolution(problem, self.settings_)
        evolution.advance(self.settings_.n_generations)
        found = DecisionTree.of(evolution.best, problem.coding, dataset)
        self.node_means_, self._node_errors = _node_means(found, found.apply(dataset), target)
        self.tree_ = _with_means(found, self.node_means_, float(target.std()))

    def _settings(self) -> EvolutionSettings:
        given = {
            "population_size": self.population_size,
            "n_generations": self.n_generations,
            "x_factor": self.x_factor,
            "min_leaf": self.min_samples_leaf,
            "max_depth": self.max_depth,
            "max_nodes": None if self.max_leaf_nodes is None else 2 * self.max_leaf_nodes - 1,
            "evaluator": self.evaluator,
            "n_jobs": self.n_jobs,
        }
        values = {name: value for name, value in given.items() if value is not None}
        values["seed"] = seed_of(self.random_state)
        if self.preset not in PRESETS:
            raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {self.preset!r}")
        return settings_of(self.preset, values)

    def predict(self, X: Any) -> Floats:
        """Return the mean of the leaf that every sample reaches."""
        reached = self.apply(X)  # says so if there is no tree yet
        return np.asarray(self.node_means_[reached])

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that every sample reaches, as a node number."""
        check_is_fitted(self)
        frame = as_frame(self, X, reset=False)
        with as_value_error():
            return self.tree_.apply(as_dataset(frame, None, ["mean"])).astype(np.int64)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return an indicator matrix of the nodes that every sample passes."""
        reached = self.apply(X)
        return decision_path(self.tree_.tree, reached)

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature in the decrease of the squared error."""
        check_is_fitted(self)
        return shares_of_decrease(self.tree_, self._node_errors)

    def get_depth(self) -> int:
        """Return the number of tests on the longest path."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _checked_target(y: NDArray[Any]) -> Floats:
    """Return a target as floats; refuse what has no mean."""
    with np.errstate(over="ignore"):
        numbers = y.astype(np.float64)
        total = np.abs(numbers).sum()
    if not np.isfinite(total):
        raise ValueError(
            "Input y contains NaN, infinity, or values whose sum is too large for dtype('float64')."
        )
    return numbers


def _node_means(tree: DecisionTree, reached: NDArray[np.int32], target: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the squared error of every node's samples; without samples, its parent's mean."""
    means, errors = np.full(tree.n_nodes, target.mean()), np.zeros(tree.n_nodes)
    for node in range(tree.n_nodes):
        end = node + int(tree.tree.span[node])
        here = target[(reached >= node) & (reached < end)]
        means[node:end] = here.mean() if len(here) else means[node]  # those below follow
        errors[node] = ((here - means[node]) ** 2).sum()
    return means, errors


def _with_means(tree: DecisionTree, means: Floats, deviation: float) -> DecisionTree:
    """Return the tree with the means of its leaves as their labels."""
    leaves = np.flatnonzero(tree.tree.attribute == LEAF)
    labels = _labels(means[leaves], deviation)
    values = tuple(dict.fromkeys(labels))
    value = tree.tree.value.copy()
    value[leaves] = [values.index(label) for label in labels]
    return DecisionTree(
        tree=Tree(tree.tree.attribute, value, tree.tree.span),
        attributes=tree.attributes,
        class_attribute=Attribute("mean", "nominal", values),
        coding=tree.coding,
    )


def _labels(means: Floats, deviation: float) -> list[str]:
    """Return the means as texts of as few digits as will do, at least six."""
    digits = next(n for n in range(_FEWEST_DIGITS, _ALL_DIGITS + 1) if _will_do(n, means, deviation))
    return [f"{mean:.{digits}g}" for mean in means]


def _will_do(n_digits: int, means: Floats, deviation: float) -> bool:
    """Tell whether so many digits keep unequal means apart, and lose next to nothing of R2.

    A mean that is off by a thousandth of the standard deviation costs its samples a millionth of R2.
    """
    unequal = np.unique(means)
    shown = np.array([float(f"{mean:.{n_digits}g}") for mean in unequal])
    noise = _ROUNDING * float(np.abs(unequal).max())
    apart = bool(np.all((np.diff(shown) > 0) | (np.diff(unequal) <= noise)))
    return apart and float(np.abs(shown - unequal).max()) <= max(deviation / 1000, noise)
