"""Settings of the searches for fronts and of the choice of the size, for classes and for numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from gatree.data.answer import Numbers
from gatree.data.coding import NumericTests
from gatree.data.dataset import Dataset
from gatree.settings.small_tree import MOST_LEAVES, Scoring, SmallTreeSettings

SIZE_RULES = {"min": 0.0, "1-se": 1.0}
"""CART's rules: the size with the best cross-validation, or the smallest within a standard error of it."""


ANY_LOSS = 1.0
"""No limit on the share that a smaller tree may lose."""

_POLISHED = (
    *range(2, 9),
    *range(10, 17, 2),
    *range(20, 33, 4),
    *range(40, 65, 8),
    *range(80, 129, 16),
)


@dataclass(frozen=True)
class SearchSettings:
    """The settings of `gatree.smalltree.fit.fit_front`; the defaults are the preset ``default``.

    Parameters
    ----------
    size : int or "auto"
        The maximum number of leaves, or ``"auto"`` for the choice by cross-validation.
    standard_errors : float
        The chosen tree is the smallest whose cross-validated error is within this number of standard errors
        of the best.
    most_lost : float
        A further limit on the distance from the best: as a share of the instances, or for numbers of the
        error of a single leaf.
    scoring : {"accuracy", "log_loss", "roc_auc"}
        The figure of held-out classes by which the size is chosen, the last two from probabilities.
    shrinkages : tuple of float
        How much the leaves' numbers, or class probabilities, may be shrunk towards the nodes above them: the
        difference between a node and its parent, of n instances, is multiplied by n / (n + shrinkage).
        Cross-validation chooses one; without it, it is the first.
    n_folds : int
        Folds of the cross-validation; data of up to 500 samples get twice as many.
    most_repeats : int
        The maximum number of cross-validations, each with other folds; only data of up to 250 samples get
        more than one.
    work : float
        The number of steps of all searches, of some nanoseconds each; growing greedy trees is not limited.
    population, generations : int
        The evolution that a search on all rows starts with; small data get fewer trees, folds less of both.
    most_offspring : int
        The maximum number of offspring in one search, also on small data.
    polished : tuple of int
        The sizes at which local search starts.
    max_leaves : int
        The number of leaves of the largest tree of the front.
    min_leaves : tuple of int
        The minimum number of instances in a leaf: the first value, unless greedy trees do clearly better with
        another one in cross-validation.
    max_depth : int, optional
        The maximum number of tests on a path.
    min_split : int
        The minimum number of instances at a test.
    first : str, optional
        The attribute that the root of every tree tests.
    numeric_tests, max_thresholds
        As in `gatree.data.coding.code`.
    effort : float
        A factor of the search's work and offspring.
    max_seconds : float, optional
        The time after which a search ends with the best trees so far.
    n_jobs : int
        Threads that search at the same time; the trees are the same for any number.
    seed : int
    """

    size: int | Literal["auto"] = "auto"
    standard_errors: float = 0.5
    most_lost: float = 0.007
    scoring: Scoring = "accuracy"
    shrinkages: tuple[float, ...] = (10.0,)
    n_folds: int = 5
    most_repeats: int = 2
    work: float = 3e8
    population: int = 1_000
    generations: int = 300
    most_offspring: int = 400
    polished: tuple[int, ...] = _POLISHED
    max_leaves: int = MOST_LEAVES
    min_leaves: tuple[int, ...] = (1,)
    max_depth: int | None = None
    min_split: int = 2
    first: str | None = None
    numeric_tests: NumericTests = "observed"
    max_thresholds: int | None = None
    effort: float = 1.0
    max_seconds: float | None = None
    n_jobs: int = 1
    seed: int = 0


@dataclass(frozen=True)
class RegressionSettings(SearchSettings):
    """The settings for numbers: the same, with other defaults."""

    standard_errors: float = 0.3
    most_lost: float = 0.02
    shrinkages: tuple[float, ...] = (0.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0)
    work: float = 1e9
    population: int = 0
    min_leaves: tuple[int, ...] = (5, 1, 2, 10, 20)


_OF_CLASSES = SearchSettings(numeric_tests="auto")

_FOR_SCORING = {
    "accuracy": _OF_CLASSES,
    "log_loss": replace(
        _OF_CLASSES,
        scoring="log_loss",
        standard_errors=0.0,
        most_lost=ANY_LOSS,
        shrinkages=(10.0, 5.0, 25.0, 50.0),
    ),
    "roc_auc": replace(_OF_CLASSES, scoring="roc_auc", most_lost=ANY_LOSS),
}
"""The settings for classes. Probabilities gain from large trees, as long as they are shrunk enough."""

AnySettings = TypeVar("AnySettings", bound=SearchSettings)


def with_size_rule(settings: AnySettings, standard_errors: float | None) -> AnySettings:
    """Return settings that choose the smallest size within a number of standard errors of the best."""
    if standard_errors is None:
        return settings
    return replace(settings, standard_errors=standard_errors, most_lost=ANY_LOSS)


def search_settings(given: SmallTreeSettings, dataset: Dataset) -> SearchSettings:
    """Return the settings of the search on a data set, whose answer is classes or numbers."""
    n_samples = dataset.n_instances
    usual = RegressionSettings() if isinstance(dataset.answer, Numbers) else _FOR_SCORING[given.scoring]
    errors = SIZE_RULES.get(given.size_rule) if isinstance(given.size_rule, str) else given.size_rule
    min_leaf, shrinkage = given.min_leaf, given.shrinkage
    return replace(
        with_size_rule(usual, errors),
        size=given.size,
        max_leaves=given.max_leaves or usual.max_leaves,
        max_depth=given.max_depth,
        min_leaves=usual.min_leaves if min_leaf is None else (_count(min_leaf, n_samples, 1),),
        min_split=2 if given.min_split is None else _count(given.min_split, n_samples, 2),
        shrinkages=usual.shrinkages if shrinkage == "auto" else (float(shrinkage),),
        first=given.first,
        effort=given.effort,
        max_seconds=given.max_seconds,
        n_jobs=given.n_jobs,
        seed=given.seed,
    )


def _count(samples: float, n_samples: int, least: int) -> int:
    """Return a number of samples, given as it is or as a share."""
    is_share = isinstance(samples, float) and samples < 1
    return max(least, math.ceil(samples * n_samples) if is_share else int(samples))
