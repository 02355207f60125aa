"""The settings of an evolution that `GATreeClassifier`'s parameters stand for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from sklearn.utils import check_random_state

from gatree.estimator.by_size import measure_of
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import PRESETS, settings_of

# Parameters that are settings of the evolution, under scikit-learn's name where it has one.
SETTINGS = {
    "population_size": "population_size",
    "n_generations": "n_generations",
    "mutation_rate": "mutation_rate",
    "crossover_rate": "crossover_rate",
    "x_factor": "x_factor",
    "selection": "selection",
    "tournament_size": "tournament_size",
    "generation_gap": "generation_gap",
    "replacement": "replacement",
    "prune_share": "prune_share",
    "shift_share": "shift_share",
    "grow_share": "grow_share",
    "leaf_class": "leaf_class",
    "min_samples_leaf": "min_leaf",
    "max_depth": "max_depth",
    "max_nodes": "max_nodes",
    "numeric_tests": "numeric_tests",
    "evaluator": "evaluator",
    "n_jobs": "n_jobs",
}


def settings_given(classifier: Any, classes: Sequence[Any] = ()) -> EvolutionSettings:
    """Return the preset with all that was given in its place, checked.

    Parameters
    ----------
    classifier : GATreeClassifier
    classes : sequence
        The classes to learn, if they are known.
    """
    if classifier.preset not in PRESETS:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {classifier.preset!r}")
    counts = {name: getattr(classifier, name) for name in ("max_thresholds", "max_leaf_nodes", "n_jobs")}
    if wrong := [name for name, count in counts.items() if not isinstance(count, Integral | None)]:
        raise ValueError(f"{wrong[0]} must be a whole number or None, got {counts[wrong[0]]!r}")
    if classifier.max_thresholds is not None and not classifier.max_thresholds > 0:
        raise ValueError(f"max_thresholds must be above zero, got {classifier.max_thresholds!r}")
    given = {setting: getattr(classifier, name) for name, setting in SETTINGS.items()}
    given["size"] = measure_of(classifier.size)
    values = {name: value for name, value in given.items() if value is not None}
    if isinstance(classifier.class_weight, Mapping):
        values["class_weight"] = _by_name(classifier.class_weight, classes)
    elif classifier.class_weight is not None:
        values["class_weight"] = classifier.class_weight
    if classifier.max_leaf_nodes is not None:
        if classifier.max_leaf_nodes < 2:
            raise ValueError(f"max_leaf_nodes must be 2 or more, got {classifier.max_leaf_nodes}")
        most = 2 * classifier.max_leaf_nodes - 1
        values["max_nodes"] = min(most, values.get("max_nodes", most))
    if classifier.n_jobs is not None and classifier.n_jobs < 0:
        values["n_jobs"] = _threads(classifier.n_jobs)
    values["seed"] = seed_of(classifier.random_state)
    return settings_of(classifier.preset, values)


def _by_name(weights: Mapping[Any, float], classes: Sequence[Any]) -> dict[str, float]:
    """Return the weights by the names of the classes: 1.0 and True stand for a class 1, as in a dictionary.

    As in scikit-learn there may be weights of other classes if all that are there have one.
    """
    by_name = {str(key): weight for key, weight in weights.items()}
    looked_up = {str(label): weights.get(label, by_name.get(str(label))) for label in classes}
    found = {name: weight for name, weight in looked_up.items() if weight is not None}
    if classes and len(found) == len(classes):
        return found
    others = {str(key): weight for key, weight in weights.items() if key not in classes}
    return others | found


def seed_of(random_state: Any) -> int:
    """Return the seed that scikit-learn's random state means: a number is one."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _threads(n_jobs: int) -> int:
    """Return the threads that a negative number asks for: -1 is one per core, -2 one less."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + n_jobs)
