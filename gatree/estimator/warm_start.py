"""Continue the last evolution of a `GATreeClassifier`, if data and settings are the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gatree.data.dataset import Dataset
from gatree.estimator.base import Floats
from gatree.estimator.parameters import SETTINGS, constrained
from gatree.evolution.evolve import Evolution
from gatree.settings.evolution_settings import EvolutionSettings

# The settings that warm_start requires to be unchanged, by parameter name; a preset sets those without one.
_PARAMETERS = {setting: name for name, setting in SETTINGS.items()}
_COMPARED = {
    _PARAMETERS.get(setting, setting): setting
    for setting in EvolutionSettings.model_fields
    if setting not in ("seed", "n_generations")
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
