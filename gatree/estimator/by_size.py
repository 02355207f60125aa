"""Whether `GATreeClassifier` chooses the size from the data, and with which settings."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

from gatree.front.settings import FRONT_PRESETS, SIZE_RULES, FrontSettings, front_settings_of
from gatree.settings.evolution_settings import EvolutionSettings

# Parameters that mean something to the genetic algorithm with its size penalty only.
_OF_THE_PENALTY = (
    *("population_size", "n_generations", "mutation_rate", "crossover_rate", "x_factor", "selection"),
    *("tournament_size", "generation_gap", "replacement", "prune_share", "shift_share", "grow_share"),
    *("leaf_class", "payoff", "evaluator", "patience", "max_seconds", "callback"),
    *("max_depth", "cost_matrix", "monotonic_cst", "initial_trees"),
)

_MEASURES = ("nodes", "leaves")


def measure_of(size: Any) -> str | None:
    """Return what counts as the size in the penalty, if ``size`` says so."""
    return size if isinstance(size, str) and size in _MEASURES else None


def chooses_size(classifier: Any) -> bool:
    """Tell whether the size is chosen from the data, or given, rather than traded for accuracy."""
    size = classifier.size
    _standard_errors(classifier.size_rule, default=0.0)  # a wrong one is refused, whether it is used or not
    penalised = [name for name in _OF_THE_PENALTY if getattr(classifier, name) is not None]
    penalised += ["warm_start"] if classifier.warm_start else []
    if size == "penalty" or measure_of(size):
        return False
    if size is None:
        return classifier.preset in FRONT_PRESETS and not penalised
    if not (size == "auto" or (isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 1)):
        raise ValueError(
            f"size must be 'auto', the most leaves (an int from 1 on), 'penalty', 'nodes' or 'leaves', "
            f"got {size!r}"
        )
    if penalised or classifier.preset not in FRONT_PRESETS:
        what = penalised[0] if penalised else f"preset {classifier.preset!r}"
        raise ValueError(
            f"{what} goes with size='penalty', the genetic algorithm's way, not with size={size!r}"
        )
    return True


def front_settings(classifier: Any, settings: EvolutionSettings) -> FrontSettings:
    """Return the settings of the search for a front."""
    chosen = front_settings_of(classifier.preset, settings)
    return replace(
        chosen,
        size=int(classifier.size) if isinstance(classifier.size, Integral) else "auto",
        standard_errors=_standard_errors(classifier.size_rule, chosen.standard_errors),
        most_lost=chosen.most_lost if classifier.size_rule is None else math.inf,
        max_thresholds=classifier.max_thresholds,
    )


def _standard_errors(rule: Any, default: float) -> float:
    if rule is None:
        return default
    if isinstance(rule, str) and rule in SIZE_RULES:
        return SIZE_RULES[rule]
    if isinstance(rule, Real) and not isinstance(rule, bool) and 0 <= float(rule) < float("inf"):
        return float(rule)
    rules = ", ".join(map(repr, SIZE_RULES))
    raise ValueError(f"size_rule must be one of {rules}, or a number of standard errors, got {rule!r}")
