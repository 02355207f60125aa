"""What `GATreeClassifier` and `GATreeRegressor` share, and a single evolution of the former.

It can be continued by `warm_start`, stopped early, reported, and seen as a frame.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gatree.base.errors import counted
from gatree.data.dataset import Dataset
from gatree.estimator.base import Floats, TreeEstimator
from gatree.estimator.inputs import Copies
from gatree.estimator.parameters import PARAMETER_OF, chooses_size, constrained, refuse_limits_of_fronts
from gatree.evolution.evolve import Evolution
from gatree.settings.evolution_settings import EvolutionSettings


class EvolvedTree(TreeEstimator):
    """An estimator that chooses a tree from the fronts of the data, or evolves a single population."""

    def _fit(self, dataset: Dataset, copies: Copies) -> None:
        for name in ("fronts_", "history_", "n_generations_"):
            self.__dict__.pop(name, None)
        settings = self._settings()
        if chooses_size(self, self._traded_sizes):
            self._fit_front(dataset, settings, copies)
        else:
            refuse_limits_of_fronts(self)
            in_rows = settings.model_copy(update={"min_leaf": copies.rows_for(settings.min_leaf)})
            self._fit_evolution(copies.repeated(dataset), in_rows)

    _traded_sizes: tuple[str, ...] = ()  # sizes that are traded like "penalty"

    @abstractmethod
    def _settings(self) -> EvolutionSettings:
        """Return the settings of an evolution."""

    @abstractmethod
    def _fit_front(self, dataset: Dataset, settings: EvolutionSettings, copies: Copies) -> None:
        """Choose the tree from the fronts of the data."""

    @abstractmethod
    def _fit_evolution(self, dataset: Dataset, settings: EvolutionSettings) -> None:
        """Evolve a population, and keep the tree with the best payoff."""


class Stop:
    """The condition that ends an evolution before its last generation."""

    def __init__(
        self,
        patience: int | None,
        max_seconds: float | None,
        callback: Callable[[Evolution], bool | None] | None,
    ) -> None:
        for name, value in (("patience", patience), ("max_seconds", max_seconds)):
            if value is not None and not value > 0:
                raise ValueError(f"{name} must be above zero, got {value!r}")
        self.patience, self.max_seconds, self.callback = patience, max_seconds, callback
        self.started = time.monotonic()
        self.best, self.since = -np.inf, 0

    @property
    def is_never(self) -> bool:
        """Whether the evolution always runs to its last generation."""
        return self.patience is None and self.max_seconds is None and self.callback is None

    def __call__(self, evolution: Evolution) -> bool:
        payoff = float(evolution.payoff[0])
        self.since = 0 if payoff > self.best else self.since + 1
        self.best = max(self.best, payoff)
        return (
            (self.patience is not None and self.since >= self.patience)
            or (self.max_seconds is not None and time.monotonic() - self.started >= self.max_seconds)
            or (self.callback is not None and bool(self.callback(evolution)))
        )


def run_watched(evolution: Evolution, stop: Stop, verbose: int) -> None:
    """Run an evolution to its last generation, or until ``stop`` ends it."""
    if stop.is_never and verbose == 0:
        evolution.advance(evolution.settings.n_generations - evolution.generation)
    while evolution.generation < evolution.settings.n_generations:
        evolution.step()
        _report(evolution, verbose)
        if stop(evolution):
            break


def _report(evolution: Evolution, verbose: int) -> None:
    """Print the progress of the evolution, as often as ``verbose`` requests."""
    last = evolution.settings.n_generations
    every = 1 if verbose > 1 else max(1, last // 10)
    if verbose > 0 and evolution.generation % every == 0:
        best = evolution.history[evolution.generation]
        accuracy = best["best_correct"] / evolution.total_weight
        size = f"{counted(best['best_nodes'], 'node')}, payoff {best['best_payoff']:.4f}"
        print(f"generation {evolution.generation} of {last}: accuracy {accuracy:.4f}, {size}")


def history_frame(history: NDArray[np.void], total_weight: int, population_size: int) -> pd.DataFrame:
    """Return the history as a frame of shares and means, one row per generation."""
    return pd.DataFrame(
        {
            "generation": np.arange(len(history)),
            "best_payoff": history["best_payoff"],
            "mean_payoff": history["mean_payoff"],
            "best_accuracy": history["best_correct"] / total_weight,
            "mean_accuracy": history["total_correct"] / (total_weight * population_size),
            "best_nodes": history["best_nodes"],
            "mean_nodes": history["total_nodes"] / population_size,
            "instances_reclassified": history["instances_reclassified"],
            "instances_total": history["instances_total"],
        }
    )


# The settings that warm_start requires to be unchanged, by parameter name; a preset sets those without one.
_COMPARED = {
    name: setting for setting, name in PARAMETER_OF.items() if setting not in ("seed", "n_generations")
}


def continued(classifier: Any, dataset: Dataset, settings: EvolutionSettings) -> Evolution | None:
    """Return the evolution of the last fit with more generations, or None if there is none.

    Raises
    ------
    ValueError
        If data or settings have changed.
    """
    evolution: Evolution | None = getattr(classifier, "_evolution", None)
    if evolution is None:
        return None
    if not _equal_but_for_the_name(dataset, evolution.problem.dataset):
        raise ValueError("warm_start continues on the data of the last fit, but X or y has changed")
    changed = _changed(classifier, evolution, settings)
    if changed:
        raise ValueError(
            f"warm_start continues with the settings of the last fit, but these have changed: "
            f"{', '.join(changed)}; change only n_generations, or start again with warm_start=False"
        )
    evolution.extend(settings.n_generations)
    return evolution


def _equal_but_for_the_name(one: Dataset, other: Any) -> bool:
    """Compare data, ignoring the class's name: a Series has one, an array of the same values does not."""
    named = replace(one.class_attribute, name=other.class_attribute.name)
    return bool(replace(one, class_attribute=named) == other)


def _changed(classifier: Any, evolution: Evolution, settings: EvolutionSettings) -> list[str]:
    """Return the names of the parameters that have changed since the evolution started."""
    old = evolution.problem
    new = constrained(classifier, replace(old, costs=None, monotonic=old.monotonic[:0]))
    equal = {
        name: getattr(settings, setting) == getattr(evolution.settings, setting)
        for name, setting in _COMPARED.items()
    }
    equal["payoff"] = classifier.payoff == evolution.payoff_function
    equal["max_thresholds"] = classifier.max_thresholds == classifier._max_thresholds
    equal["cost_matrix"] = _equal_costs(new.costs, old.costs)
    equal["monotonic_cst"] = np.array_equal(new.monotonic, old.monotonic)
    return [name for name, is_equal in equal.items() if not is_equal]


def _equal_costs(one: Floats | None, other: Floats | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)
