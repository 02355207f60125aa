"""Presets: named sets of default values for the settings.

The command line, YAML files and classifiers all use them. ``default`` was chosen by measurement over the
included data sets (`make bench-quality`): good small trees in about a second. ``fast`` has a smaller
population and fewer generations, for a first try. ``paper`` is for the paper's grids. It was chosen by what
is known of the original program and not by the published tables, except for the crossover of roots
(docs/original.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.validation import validated

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

# Runs of the original program show that x moves in twenty steps from 1e3 and that payoffs are kept from
# birth. The rest are the defaults of GAlib, on which it was built: half of the population is bred in a
# generation, the worst of parents and offspring are dropped, parents are selected by a scaled roulette wheel,
# and a tenth of the pairs is copied without evaluation. The crossover of roots is inferred from the published
# savings of populations of stumps.
_THE_ORIGINAL = {
    "x_start": 1e3,
    "x_steps": 20,
    "paid": "at-birth",
    "selection": "scaled-roulette",
    "generation_gap": 0.5,
    "replacement": "best",
    "crossover_rate": 0.9,
    "copies": "not-evaluated",
    "root_swaps": "not-evaluated",
    "root_share": 0.5,
}

PRESETS: dict[Preset, dict[str, Any]] = {
    "default": _GOOD_TREES,
    "fast": {**_GOOD_TREES, "population_size": 600, "n_generations": 200},
    "paper": _THE_ORIGINAL,
}


FRONTS: dict[Preset, dict[str, Any]] = {
    "default": {},
    "fast": {
        "n_folds": 3,
        "most_repeats": 1,
        "work": 2e7,
        "most_offspring": 60,
        "polished": (4, 8, 16, 32, 64),
    },
}
"""The presets in which the size is chosen from the data: values for `SearchSettings`."""


def preset_values(preset: Preset) -> dict[str, Any]:
    """Return the value that each setting has in a preset."""
    return settings_of(preset).model_dump()


def settings_of(preset: Preset, given: Mapping[str, Any] | None = None) -> EvolutionSettings:
    """Return the validated settings of a preset, with the given values in place of its own."""
    return validated(EvolutionSettings, {**PRESETS[preset], **(given or {})})
