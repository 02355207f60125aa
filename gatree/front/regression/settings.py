"""How a front of regression trees is searched for and a size chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from gatree.data.coding import NumericTests
from gatree.settings.presets import Preset

Criterion = Literal["squared_error", "absolute_error"]


@dataclass(frozen=True)
class RegressionSettings:
    """The settings of `gatree.front.regression.fit.fit_regression`; the defaults are the preset ``default``.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error"}
        The error to lower: leaves predict means, or medians.
    size : int or "auto"
        The most leaves, or the choice by cross-validation.
    standard_errors : float
        The smallest tree is chosen whose cross-validated error is within so many standard errors of the best.
    most_lost : float
        And no further from it than this share of the error of a single leaf.
    shrinkages : tuple of float
        How far leaves may be drawn towards the nodes above them: a node moves away from its parent, of n
        instances, by n / (n + shrinkage) of the difference. Cross-validation chooses one. Without a
        cross-validation it is the only one, or 0.
    n_folds : int
        Folds of the cross-validation; small data, of up to 500 instances, get twice as many.
    most_repeats : int
        How often data of up to 250 instances and less are cross-validated, each time with other folds.
    work : float
        Steps of all searches, of about a nanosecond each; greedy trees take what they take.
    most_offspring : int
        Offspring of one search, however small the data are.
    polished : tuple of int
        The sizes at which local search begins.
    max_leaves, max_depth : int
        The largest tree of the front, in leaves and in tests on a path.
    min_leaves : tuple of int
        Instances that every leaf must have: the first number, unless greedy trees cross-validate clearly
        better with another one.
    numeric_tests, max_thresholds
        As in `gatree.data.coding.code`.
    seed : int
    """

    criterion: Criterion = "squared_error"
    size: int | Literal["auto"] = "auto"
    standard_errors: float = 0.1
    most_lost: float = 0.01
    shrinkages: tuple[float, ...] = (0.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0)
    n_folds: int = 5
    most_repeats: int = 2
    work: float = 1e9
    most_offspring: int = 400
    polished: tuple[int, ...] = (
        *range(2, 9),
        *range(10, 17, 2),
        *range(20, 33, 4),
        *range(40, 65, 8),
        *range(80, 129, 16),
    )
    max_leaves: int = 1024
    max_depth: int = 1023
    min_leaves: tuple[int, ...] = (5, 1, 2, 10, 20)
    numeric_tests: NumericTests = "observed"
    max_thresholds: int | None = None
    seed: int = 0


_FAST: dict[str, Any] = {
    "n_folds": 3,
    "most_repeats": 1,
    "work": 1e8,
    "most_offspring": 60,
    "polished": (4, 8, 16, 32, 64),
}

REGRESSION_PRESETS: dict[Preset, RegressionSettings] = {
    "default": RegressionSettings(),
    "fast": RegressionSettings(**_FAST),
}
"""The presets in which the size of a regression tree is chosen from the data."""
