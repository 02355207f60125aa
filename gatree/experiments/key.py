"""What a cell is known by: its key, hashed from all that its outcome depends on, and its seed.

A cell runs again exactly if its key changes. So that a setting which is new leaves the keys of all cells as
they are that do not use it, such a setting goes into the hash only where it is used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from gatree.evolution import ENGINE_VERSION
from gatree.settings.registry import REGISTERED_SHARES

ALWAYS_HASHED = frozenset(
    {
        *("population_size", "n_generations", "mutation_rate", "x_factor", "size", "selection"),
        *("tournament_size", "generation_gap", "replacement", "crossover_rate", "prune_share", "shift_share"),
        *("grow_share", "leaf_class", "min_leaf", "class_weight", "max_nodes", "numeric_tests"),
        *("n_jobs", "seed"),
    }
)
NEVER_HASHED = frozenset({"evaluator"})  # all evaluators have one outcome

NEUTRAL: Mapping[str, Any] = {
    "x_start": None,
    "x_steps": 0,
    "paid": "every-generation",
    "enter": "together",
    "copies": "saved",
    "root_swaps": "saved",
    "root_share": 1.0,
    "max_depth": None,
    **dict.fromkeys(REGISTERED_SHARES, 0.0),
}
"""Of every setting that came later: the value with which an evolution is as it was without the setting.

It is the JSON form of a value. Once it has been released it must never change, whatever becomes of the
setting's default: two different cells would get the same key.
"""


REMOVED: Mapping[str, Any] = {"subtree_cache": False}
"""Settings that no longer exist, with the value that keeps the keys of cells from before their removal."""


def hashed_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings, of all in their JSON form, that belong into a key; an unlisted one does."""
    hashed = {
        name: value
        for name, value in values.items()
        if name not in NEVER_HASHED and (name not in NEUTRAL or value != NEUTRAL[name])
    }
    return {**REMOVED, **hashed}


class Template(NamedTuple):
    """A mapping as JSON with places for some numbers: what the texts of many cells have in common."""

    before: str
    places: tuple[tuple[str, str], ...]  # the number's name, and the text after it

    @classmethod
    def of(cls, values: Mapping[str, Any], counters: Iterable[str]) -> Template:
        before, *after = written({**values, **dict.fromkeys(counters, _PLACE)}).split(written(_PLACE))
        return cls(before, tuple(zip(sorted(counters), after, strict=True)))

    def filled(self, counters: Mapping[str, int]) -> str:
        """Return the JSON text with these numbers."""
        return self.before + "".join([f"{counters[name]}{text}" for name, text in self.places])


_PLACE = "\0"  # which no name of a study or of data has


def counters_told(counters: Mapping[str, int]) -> Mapping[str, int]:
    """Return the counters that a cell's text has: not the replicate 0, which was before there were others."""
    if counters["replicate"]:
        return counters
    return {name: number for name, number in counters.items() if name != "replicate"}


def key_of(checksum: str, identity: str, protocol: str) -> str:
    """Return the key of a cell from the data and two texts: what tells it from other cells, how it is run."""
    return _digest(f'[{ENGINE_VERSION}, "{checksum}", {identity}, {protocol}]')[:20]


def seed_of(experiment_seed: int, identity: str) -> int:
    """Return a cell's seed, so that results do not depend on order, machine or workers."""
    return int(_digest(f"[{experiment_seed}, {identity}]")[:15], 16)


written = json.JSONEncoder(sort_keys=True).encode


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
