"""The settings that `GATreeClassifier` starts from.

``default`` was chosen by measurement over the shipped data (`make bench-quality`): good small trees in
about a second. ``paper`` are the settings that reproduce the paper, as in `EvolutionSettings`.
"""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "default": {
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
        "numeric_tests": "observed",
        "evaluator": "bitset",
    },
    "paper": {},
}
