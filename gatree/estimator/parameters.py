"""Translate the parameters of estimators into settings, costs, constraints and a rule for the size.

The size is chosen from the data, or given, unless a parameter belongs to the genetic algorithm with its size
penalty.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from gatree.base.errors import GatreeError, did_you_mean
from gatree.base.machine import n_cores
from gatree.data.dataset import Dataset
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import PRESETS, settings_of
from gatree.smalltree.prepare import Demands
from gatree.smalltree.settings import FRONT_PRESETS, KNOWN_TO_FRONTS, SIZE_RULES, AnySettings, with_size_rule
from gatree.trees.model import DecisionTree, as_decision_tree

# The parameter of every setting of an evolution: it has scikit-learn's name if there is one.
PARAMETER_OF = {name: name for name in EvolutionSettings.model_fields} | {"min_leaf": "min_samples_leaf"}

# Parameters of the genetic algorithm with its size penalty; the search for a front does not use them.
_OF_THE_PENALTY = (
    *(name for name in EvolutionSettings.model_fields if name not in KNOWN_TO_FRONTS | {"size"}),
    *("payoff", "patience", "max_seconds", "callback"),
)

MEASURES = ("nodes", "leaves")
"""Sizes of trees that a payoff may trade for accuracy."""

_PAYOFF_IGNORES_SIZES = (
    "payoff: the search for the best tree of every size compares trees by correct samples, not by a payoff; "
    "so a single evolution finds the tree, as with size='penalty'"
)


def is_number(value: Any) -> bool:
    """Return whether a value is a real number; a boolean is none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_count(value: Any, least: int = 1) -> bool:
    """Return whether a value is an integer of at least ``least``."""
    return is_number(value) and isinstance(value, Integral) and int(value) >= least


def chooses_size(estimator: Any, other_sizes: Sequence[str]) -> bool:
    """Return whether the size is chosen from the data, or given, rather than traded for accuracy.

    ``other_sizes`` are those that trade it like ``"penalty"``.
    """
    size = estimator.size
    standard_errors_of(estimator.size_rule)  # reject an invalid rule even if it is not used
    traded = ("penalty", *other_sizes)
    if not (size is None or size == "auto" or (isinstance(size, str) and size in traded) or is_count(size)):
        raise ValueError(
            "size must be 'auto', a maximum number of leaves (an int of at least 1), "
            f"{' or '.join(map(repr, traded))}, got {size!r}"
        )
    penalised = [name for name in _OF_THE_PENALTY if getattr(estimator, name, None) is not None]
    penalised += ["warm_start"] if getattr(estimator, "warm_start", False) else []
    penalised += [] if estimator.preset in FRONT_PRESETS else [f"preset {estimator.preset!r}"]
    if size is None:
        if penalised == ["payoff"]:
            warnings.warn(_PAYOFF_IGNORES_SIZES, stacklevel=5)
        return not penalised
    if size in traded:
        return False
    if penalised:
        raise ValueError(f"{penalised[0]} requires size='penalty', got size={size!r}")
    return True


def front_settings(
    estimator: Any, preset: AnySettings, settings: EvolutionSettings, dataset: Dataset
) -> AnySettings:
    """Return a preset of the search for a front with the parameters that all estimators have."""
    most = preset.max_leaves if settings.max_nodes is None else (settings.max_nodes + 1) // 2
    if not (is_number(estimator.effort) and 0 < float(estimator.effort) < math.inf):
        raise ValueError(f"effort must be a number above 0, got {estimator.effort!r}")
    return replace(
        with_size_rule(preset, standard_errors_of(estimator.size_rule)),
        size=int(estimator.size) if isinstance(estimator.size, Integral) else preset.size,
        max_leaves=min(preset.max_leaves, most),
        max_depth=settings.max_depth,
        first=_first_of(estimator, [attribute.name for attribute in dataset.attributes]),
        effort=float(estimator.effort),
        n_jobs=settings.n_jobs,
        seed=settings.seed,
    )


def _first_of(estimator: Any, names: Sequence[str]) -> str | None:
    """Return the name of the feature that the root is to test."""
    first = estimator.first
    if is_number(first):
        if not is_count(first, 0) or int(first) >= len(names):
            raise ValueError(f"first must be a feature's name or position below {len(names)}, got {first!r}")
        return names[int(first)]
    if first is not None and first not in names:
        raise ValueError(f"first: no feature {first!r}{did_you_mean(str(first), names)}")
    return None if first is None else str(first)


def least_samples(estimator: Any, name: str, least: int) -> int | None:
    """Return a minimum number of samples, given as a number or as a share of all; None if it is not given."""
    given, n_samples = getattr(estimator, name), estimator._n_samples
    if given is None:
        return None
    if is_count(given, least):
        return int(given)
    if is_number(given) and not isinstance(given, Integral) and 0 < float(given) < 1:
        if n_samples is None:
            raise ValueError(f"{name}: a share of the samples needs data in memory, got {given!r}")
        return max(least, math.ceil(float(given) * int(n_samples)))
    raise ValueError(
        f"{name} must be None, an int of at least {least} or a share of the samples between 0 and 1, "
        f"got {given!r}"
    )


def refuse_limits_of_fronts(estimator: Any) -> None:
    """Reject limits that only the search for a front supports, if a single evolution finds the tree."""
    for name, unset in (("min_samples_split", (None, 2)), ("first", (None,)), ("effort", (1, None))):
        if (given := getattr(estimator, name, None)) not in unset:
            raise ValueError(
                f"{name}={given!r} requires a size that is chosen or given; remove it, or remove "
                "size='penalty' and the settings of the genetic algorithm"
            )


def demands(classifier: Any, dataset: Dataset, settings: EvolutionSettings) -> Demands:
    """Return the checked costs, monotonic directions and initial trees."""
    gain = directions = None
    if classifier.cost_matrix is not None or classifier.monotonic_cst is not None:
        problem = constrained(
            classifier, Problem.of(dataset, settings.numeric_tests, classifier.max_thresholds)
        )
        gain = problem.scored(settings).scoring.gain if problem.costs is not None else None
        directions = problem.monotonic if len(problem.monotonic) else None
    return Demands(gain, directions, initial_trees(classifier))


def initial_trees(classifier: Any) -> list[DecisionTree]:
    """Return the trees that a search starts with."""
    with _naming("initial_trees"):
        return [as_decision_tree(tree) for tree in classifier.initial_trees or ()]


def standard_errors_of(rule: Any) -> float | None:
    """Return the number of standard errors of a rule for the size."""
    if rule is None:
        return None
    if isinstance(rule, str) and rule in SIZE_RULES:
        return SIZE_RULES[rule]
    if is_number(rule) and 0 <= float(rule) < math.inf:
        return float(rule)
    rules = ", ".join(map(repr, SIZE_RULES))
    raise ValueError(f"size_rule must be one of {rules}, or a number of standard errors, got {rule!r}")


def constrained(classifier: Any, problem: Problem) -> Problem:
    """Return the problem with the classifier's costs and monotonic constraints."""
    if classifier.cost_matrix is not None:
        # Copy the matrix, so that warm_start detects a change in place.
        with _naming("cost_matrix"):
            costs = np.array(classifier.cost_matrix, dtype=np.float64)
        problem = problem.with_costs(costs)
    if classifier.monotonic_cst is not None:
        given, names = classifier.monotonic_cst, [each.name for each in problem.dataset.attributes]
        if isinstance(given, Mapping):
            if unknown := [name for name in given if name not in names]:
                near = did_you_mean(str(unknown[0]), names)
                raise ValueError(f"monotonic_cst: no feature {unknown[0]!r}{near}")
            given = [given.get(name, 0) for name in names]
        with _naming("monotonic_cst"):
            directions = np.array(given, dtype=np.int8)
        problem = problem.with_monotonic(directions)
    return problem


_FIELDS = EvolutionSettings.model_fields
_NUMBERS = [name for name, field in _FIELDS.items() if field.annotation in (int, float, int | None)]


def settings_given(
    estimator: Any, classes: Sequence[Any] = (), defaults: Mapping[str, Any] | None = None
) -> EvolutionSettings:
    """Return the preset's settings, overridden by the given parameters and checked.

    ``classes`` are those to learn, if they are known; ``defaults`` are settings in place of the preset's.
    """
    if estimator.preset not in PRESETS:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {estimator.preset!r}")
    refuse_wrong_types(estimator, _TYPES)
    counts = {name: getattr(estimator, name) for name in ("max_leaf_nodes", "n_jobs")}
    if wrong := [name for name, count in counts.items() if not isinstance(count, Integral | None)]:
        raise ValueError(f"{wrong[0]} must be an integer or None, got {counts[wrong[0]]!r}")
    most = estimator.max_thresholds
    if not (most is None or most == "auto" or is_count(most)):  # "auto" is a regressor's default
        raise ValueError(f"max_thresholds must be an int of at least 1 or None, got {most!r}")
    given = {setting: getattr(estimator, name, None) for setting, name in PARAMETER_OF.items()}
    given["min_leaf"] = least_samples(estimator, "min_samples_leaf", 1)
    given["size"] = estimator.size if estimator.size in MEASURES else None
    if given["n_jobs"] is not None and given["n_jobs"] < 0:  # counts from the cores: -1 is one per core
        given["n_jobs"] = max(1, n_cores() + 1 + given["n_jobs"])
    if wrong := [name for name in _NUMBERS if not (given[name] is None or is_number(given[name]))]:
        raise ValueError(f"{wrong[0]} must be a number or None, got {given[wrong[0]]!r}")
    values = {**(defaults or {}), **{name: value for name, value in given.items() if value is not None}}
    if isinstance(given["class_weight"], Mapping):
        values["class_weight"] = _by_name(given["class_weight"], classes)
    if estimator.max_leaf_nodes is not None:
        if estimator.max_leaf_nodes < 2:
            raise ValueError(f"max_leaf_nodes must be 2 or more, got {estimator.max_leaf_nodes}")
        most_nodes = 2 * estimator.max_leaf_nodes - 1
        values["max_nodes"] = min(most_nodes, values.get("max_nodes", most_nodes))
    state = estimator.random_state  # an integer is itself the seed
    is_seed = isinstance(state, Integral)
    with _naming("random_state"):
        values["seed"] = int(state if is_seed else check_random_state(state).randint(2**31 - 1))
    return settings_of(estimator.preset, values)


Type = tuple[str, Callable[[Any], bool]]
"""What a parameter must be, in words and as a test."""

FLAG: Type = ("True or False", lambda value: isinstance(value, Integral | np.bool_) and value in (0, 1))
_ABOVE_ZERO: Type = ("above zero", lambda value: value is None or (is_number(value) and value > 0))
_FUNCTION: Type = ("a function or None", lambda value: value is None or callable(value))
_TYPES = {  # of parameters that are no settings
    "patience": _ABOVE_ZERO,
    "max_seconds": _ABOVE_ZERO,
    "payoff": _FUNCTION,
    "callback": _FUNCTION,
    "warm_start": FLAG,
    "laplace": FLAG,
    "verbose": ("an int of at least 0", lambda value: isinstance(value, bool) or is_count(value, 0)),
    "initial_trees": ("trees or None", lambda value: value is None or isinstance(value, Iterable)),
}


def refuse_wrong_types(estimator: Any, types: Mapping[str, Type]) -> None:
    """Reject parameters, before the search that they are for."""
    for name, (what, is_right) in types.items():
        if hasattr(estimator, name) and not is_right(getattr(estimator, name)):
            raise ValueError(f"{name} must be {what}, got {getattr(estimator, name)!r}")


@contextmanager
def _naming(parameter: str) -> Iterator[None]:
    """Name a parameter in errors of other libraries."""
    try:
        yield
    except (TypeError, ValueError, GatreeError) as error:
        raise ValueError(f"{parameter}: {error}") from None


def _by_name(weights: Mapping[Any, float], classes: Sequence[Any]) -> dict[str, float]:
    """Return the weights by class name; the keys 1.0 and True match a class 1, as in a dictionary.

    As in scikit-learn, weights of other classes are allowed if every class in the data has one.
    """
    by_name = {str(key): weight for key, weight in weights.items()}
    looked_up = {str(label): weights.get(label, by_name.get(str(label))) for label in classes}
    found = {name: weight for name, weight in looked_up.items() if weight is not None}
    if classes and len(found) == len(classes):
        return found
    others = {str(key): weight for key, weight in weights.items() if key not in classes}
    return others | found
