"""How a front is searched for and a size chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gatree.data.coding import NumericTests
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import FRONTS, Preset

SIZE_RULES = {"min": 0.0, "1-se": 1.0}
"""CART's rules: the size that cross-validates best, or the smallest within a standard error of it."""


@dataclass(frozen=True)
class FrontSettings:
    """The settings of `gatree.front.fit.fit_front`; the defaults are the preset ``default``.

    Parameters
    ----------
    size : int or "auto"
        The most leaves, or the choice by cross-validation.
    standard_errors : float
        The smallest tree is chosen whose cross-validation is within so many standard errors of the best.
    most_lost : float
        And no further from the best than this share of the instances, however few they are.
    n_folds : int
        Folds of the cross-validation; small data, of up to 500 instances, get twice as many.
    most_repeats : int
        How often data of up to 250 instances and less are cross-validated, each time with other folds.
    work : float
        Steps of all searches, of some nanoseconds each; greedy trees take what they take.
    most_offspring : int
        Offspring of one search, however small the data are.
    greedy_start : bool
        Whether the search begins with greedy trees, and not with a leaf.
    polished : tuple of int
        The sizes at which local search begins.
    max_leaves : int
        The largest tree of the front.
    min_leaf : int
        Instances that every leaf must have.
    max_depth : int, optional
        The most tests on a way down.
    min_split : int
        Instances that every test must have.
    min_decrease : float
        What every test must take from the Gini impurity, times the share of the weight that reaches it.
    numeric_tests, max_thresholds
        As in `gatree.data.coding.code`.
    seed : int
    """

    size: int | Literal["auto"] = "auto"
    standard_errors: float = 0.5
    most_lost: float = 0.007
    n_folds: int = 5
    most_repeats: int = 2
    work: float = 3e8
    most_offspring: int = 400
    greedy_start: bool = True
    polished: tuple[int, ...] = (
        *range(2, 9),
        *range(10, 17, 2),
        *range(20, 33, 4),
        *range(40, 65, 8),
        *range(80, 129, 16),
    )
    max_leaves: int = 1024
    min_leaf: int = 1
    max_depth: int | None = None
    min_split: int = 2
    min_decrease: float = 0.0
    numeric_tests: NumericTests = "observed"
    max_thresholds: int | None = None
    seed: int = 0


KNOWN_TO_FRONTS = frozenset(
    {"max_nodes", "max_depth", "min_leaf", "numeric_tests", "class_weight", "n_jobs", "seed"}
)
"""The settings of an evolution that mean something to the search for a front."""

FRONT_PRESETS = {name: FrontSettings(**values) for name, values in FRONTS.items()}


def front_settings_of(preset: Preset, settings: EvolutionSettings) -> FrontSettings:
    """Return a preset with the settings of an evolution that mean something to it."""
    chosen = FRONT_PRESETS[preset]
    most = chosen.max_leaves if settings.max_nodes is None else (settings.max_nodes + 1) // 2
    return replace(
        chosen,
        max_leaves=min(chosen.max_leaves, most),
        min_leaf=max(1, settings.min_leaf),
        max_depth=settings.max_depth,
        numeric_tests=settings.numeric_tests,
        seed=settings.seed,
    )
