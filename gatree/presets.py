"""Named sets of values for the settings: what evolutions start from where nothing else is said.

The command line, YAML files and classifiers all read them here. ``default`` was chosen by measurement over
the shipped data (`make bench-quality`): good small trees in about a second. ``fast`` is the same with a
smaller population and fewer generations, for a first look. ``paper`` is what the paper's grids use: the
defaults of `EvolutionSettings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from gatree.config import EvolutionSettings, validated

Preset = Literal["default", "fast", "paper"]

_GOOD_TREES = {
    "population_size": 3000,
    "n_generations": 400,
    "mutation_rate": 1.0,
    "crossover_rate": 1.0,
    "prune_share": 0.25,
    "shift_share": 0.25,
    "grow_share": 1.0,
    "generation_gap": 0.25,
    "replacement": "best",
    "x_factor": "1e5..1e4",
    "leaf_class": "majority",
    "min_leaf": 1,
    "numeric_tests": "auto",
    "evaluator": "bitset",
}

PRESETS: dict[Preset, dict[str, Any]] = {
    "default": _GOOD_TREES,
    "fast": {**_GOOD_TREES, "population_size": 600, "n_generations": 200},
    "paper": {},
}


def preset_values(preset: Preset) -> dict[str, Any]:
    """Return the value that each setting has in a preset."""
    return settings_of(preset).model_dump()


def settings_of(preset: Preset, given: Mapping[str, Any] | None = None) -> EvolutionSettings:
    """Return the settings of a preset with all that was given in their place, checked."""
    return validated(EvolutionSettings, {**PRESETS[preset], **(given or {})})
