"""The preset `paper`: the values of the settings that the paper's experiments start from.

It was chosen by what is known of the original program and not by the published tables, except for the
crossover of roots (docs/original.md).
"""

from __future__ import annotations

from typing import Literal

Preset = Literal["paper"]

# Runs of the original program show that x moves in twenty steps from 1e3 and that payoffs are kept from
# birth. The rest are the defaults of GAlib, on which it was built: half of the population is bred in a
# generation, the worst of parents and offspring are dropped, parents are selected by a scaled roulette wheel,
# and a tenth of the pairs is copied without evaluation. The crossover of roots is inferred from the published
# savings of populations of stumps.
_THE_ORIGINAL: dict[str, float | str] = {
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

PRESETS: dict[Preset, dict[str, float | str]] = {"paper": _THE_ORIGINAL}

AT_THE_DOORS = {"numeric_tests": "auto"}
"""What `gatree evolve` and `GATreeClassifier` have in place of the preset's values."""
