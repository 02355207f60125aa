"""`GATreeClassifier`'s last evolution, to be evolved on: with the same data and settings, or not at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gatree.data.dataset import Dataset
from gatree.estimator.base import Floats
from gatree.estimator.parameters import SETTINGS, constrained
from gatree.evolution.evolve import Evolution
from gatree.settings.evolution_settings import EvolutionSettings

# What has to stay for warm_start, by the parameter's name where there is one; a preset sets the others.
_PARAMETERS = {setting: name for name, setting in SETTINGS.items()}
_COMPARED = {
    _PARAMETERS.get(setting, setting): setting
    for setting in EvolutionSettings.model_fields
    if setting not in ("seed", "n_generations")
}


def continued(classifier: Any, dataset: Dataset, settings: EvolutionSettings) -> Evolution | None:
    """Return the evolution of the last fit, to be evolved on."""
    evolution: Evolution | None = getattr(classifier, "_evolution", None)
    if evolution is None:
        return None
    if not _equal_but_for_the_name(dataset, evolution.problem.dataset):
        raise ValueError("warm_start evolves on with the data of the last fit, but X or y have changed")
    changed = _changed(classifier, evolution, settings)
    if changed:
        raise ValueError(
            f"warm_start evolves on with the settings of the last fit, but other values were given for "
            f"{', '.join(changed)}; only n_generations may change, or warm_start=False begins anew"
        )
    evolution.extend(settings.n_generations)
    return evolution


def _equal_but_for_the_name(one: Dataset, other: Any) -> bool:
    """Compare data, whatever the class is called: a Series has a name, its values as an array have none."""
    named = replace(one.class_attribute, name=other.class_attribute.name)
    return bool(replace(one, class_attribute=named) == other)


def _changed(classifier: Any, evolution: Evolution, settings: EvolutionSettings) -> list[str]:
    """Return the names of the parameters by which an evolution would no longer be the one begun."""
    begun = evolution.problem
    asked = constrained(classifier, replace(begun, costs=None, monotonic=begun.monotonic[:0]))
    equal = {
        name: getattr(settings, setting) == getattr(evolution.settings, setting)
        for name, setting in _COMPARED.items()
    }
    equal["payoff"] = classifier.payoff == evolution.payoff_function
    equal["max_thresholds"] = classifier.max_thresholds == classifier._max_thresholds
    equal["cost_matrix"] = _equal_costs(asked.costs, begun.costs)
    equal["monotonic_cst"] = np.array_equal(asked.monotonic, begun.monotonic)
    return [name for name, is_equal in equal.items() if not is_equal]


def _equal_costs(one: Floats | None, other: Floats | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)
