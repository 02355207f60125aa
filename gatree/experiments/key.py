"""What a cell is known by: its key, hashed from all that its outcome depends on, and its seed.

A cell runs again exactly if its key changes. So that a setting which is new leaves the keys of all cells as
they are that do not use it, such a setting goes into the hash only where it is used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from gatree.evolution import ENGINE_VERSION

ALWAYS_HASHED = frozenset(
    {
        *("population_size", "n_generations", "mutation_rate", "x_factor", "size", "selection"),
        *("tournament_size", "generation_gap", "replacement", "crossover_rate", "prune_share", "shift_share"),
        *("grow_share", "leaf_class", "min_leaf", "class_weight", "max_nodes", "numeric_tests"),
        *("subtree_cache", "n_jobs", "seed"),
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
    "max_depth": None,
}
"""Of every setting that came later: the value with which an evolution is as it was without the setting.

It is the JSON form of a value. Once it has been released it must never change, whatever becomes of the
setting's default: two different cells would get the same key.
"""


def hashed_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings, of all in their JSON form, that belong into a key; an unlisted one does."""
    return {
        name: value
        for name, value in values.items()
        if name not in NEVER_HASHED and (name not in NEUTRAL or value != NEUTRAL[name])
    }


def key_of(checksum: str, identity: Mapping[str, Any], protocol: Mapping[str, Any]) -> str:
    """Return the key of a cell from the data, what tells it from other cells, and how it is run."""
    return _digest([ENGINE_VERSION, checksum, _before_replicates(identity), protocol])[:20]


def seed_of(experiment_seed: int, identity: Mapping[str, Any]) -> int:
    """Return a cell's seed, so that results do not depend on order, machine or workers."""
    return int(_digest([experiment_seed, _before_replicates(identity)])[:15], 16)


def _before_replicates(identity: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out the replicate 0: a cell was that before there were others."""
    if identity.get("replicate"):
        return identity
    return {name: value for name, value in identity.items() if name != "replicate"}


_encode = json.JSONEncoder(sort_keys=True).encode


def _digest(value: Any) -> str:
    return hashlib.sha256(_encode(value).encode()).hexdigest()
