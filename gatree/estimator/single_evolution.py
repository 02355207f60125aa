"""What `GATreeClassifier` and `GATreeRegressor` share, and a single evolution of the former.

It can be continued by `warm_start`, stopped early, reported, and seen as a frame.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gatree.base.errors import counted
from gatree.data.dataset import Dataset
from gatree.estimator.base import TreeEstimator
from gatree.estimator.inputs import Copies
from gatree.estimator.parameters import (
    PARAMETER_OF,
    chooses_size,
    constrained,
    refuse_limits_of_fronts,
    settings_given,
)
from gatree.evolution.evolve import Evolution
from gatree.settings.evolution_settings import EvolutionSettings


class EvolvedTree(TreeEstimator):
    """An estimator that chooses a tree from the fronts of the data, or evolves a single population."""

    def _fit(self, dataset: Dataset, copies: Copies) -> None:
        for name in ("fronts_", "history_", "n_generations_"):
            self.__dict__.pop(name, None)
        self._rows_per_sample, classes = copies.per_weight, list(getattr(self, "classes_", ()))
        settings = settings_given(self, classes, self._defaults)
        if chooses_size(self, self._traded_sizes):
            self._fit_front(dataset, settings, copies)
        else:
            refuse_limits_of_fronts(self)
            least = settings.min_leaf if settings.min_leaf <= 1 else settings.min_leaf * copies.per_weight
            in_rows = settings.model_copy(update={"min_leaf": least})  # 1 allows any single sample
            self._fit_evolution(copies.repeated(dataset), in_rows)

    _traded_sizes: tuple[str, ...] = ()  # sizes that are traded like "penalty"
    _defaults: Mapping[str, Any] = MappingProxyType({})  # settings in place of the preset's

    @abstractmethod
    def _fit_front(self, dataset: Dataset, settings: EvolutionSettings, copies: Copies) -> None:
        """Choose the tree from the fronts of the data."""

    @abstractmethod
    def _fit_evolution(self, dataset: Dataset, settings: EvolutionSettings) -> None:
        """Evolve a population, and keep the tree with the best payoff."""

    def to_sklearn(self) -> Any:
        """Return the tree as scikit-learn's own, a classifier or regressor, or one behind a one-hot encoder.

        It predicts the same; see `gatree.trees.export.sklearn_tree`.
        """
        made = self._model.to_sklearn(getattr(self, "classes_", None))
        if not hasattr(self, "feature_names_in_") and hasattr(made, "feature_names_in_"):
            del made.feature_names_in_  # trained on an array, so it accepts arrays without a warning
        return made


def run_watched(evolution: Evolution, classifier: Any) -> None:
    """Run an evolution to its last generation, or until a limit or the callback of its classifier ends it."""
    patience, max_seconds, callback = classifier.patience, classifier.max_seconds, classifier.callback
    started, best, since, last = time.monotonic(), -np.inf, 0, evolution.settings.n_generations
    if patience is max_seconds is callback is None and classifier.verbose == 0:
        evolution.advance(last - evolution.generation)
    while evolution.generation < last:
        evolution.step()
        _report(evolution, classifier.verbose)
        payoff = float(evolution.payoff[0])
        best, since = max(best, payoff), 0 if payoff > best else since + 1
        if (
            (patience is not None and since >= patience)
            or (max_seconds is not None and time.monotonic() - started >= max_seconds)
            or (callback is not None and callback(evolution))
        ):
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
    old = evolution.problem.dataset
    named = replace(dataset.class_attribute, name=old.class_attribute.name)  # the name of a Series may differ
    if replace(dataset, class_attribute=named) != old:
        raise ValueError("warm_start continues on the data of the last fit, but X or y has changed")
    changed = _changed(classifier, evolution, settings)
    if changed:
        raise ValueError(
            f"warm_start continues with the settings of the last fit, but these have changed: "
            f"{', '.join(changed)}; change only n_generations, or start again with warm_start=False"
        )
    evolution.extend(settings.n_generations)
    return evolution


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
    one, other = (np.empty(0) if costs is None else costs for costs in (new.costs, old.costs))
    equal["cost_matrix"] = np.array_equal(one, other)
    equal["monotonic_cst"] = np.array_equal(new.monotonic, old.monotonic)
    return [name for name, is_equal in equal.items() if not is_equal]
