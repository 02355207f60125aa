"""The key of a cell, a hash of everything that its outcome depends on, and its seed.

A cell runs again if and only if its key changes. A setting that was added later is hashed only where it is
used, so that all other cells keep their keys.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from gatree.evolution import ENGINE_VERSION
from gatree.settings.registry import REGISTERED_SHARES

NEVER_HASHED = frozenset({"evaluator"})  # all evaluators have one outcome

NEUTRAL: Mapping[str, Any] = {
    "x_start": None,
    "x_steps": 0,
    "paid": "every-generation",
    "copies": "saved",
    "root_swaps": "saved",
    "root_share": 1.0,
    "max_depth": None,
    **dict.fromkeys(REGISTERED_SHARES, 0.0),
}
"""For every setting that was added later, the value that leaves an evolution as it was before.

Values are in their JSON form. A released value must never change, even if the setting's default does: two
different cells would get the same key.
"""


REMOVED: Mapping[str, Any] = {"subtree_cache": False}
"""Settings that no longer exist, with the value that keeps the keys of cells from before their removal."""


def hashed_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings, in their JSON form, that are part of a key; unlisted ones are."""
    hashed = {
        name: value
        for name, value in values.items()
        if name not in NEVER_HASHED and (name not in NEUTRAL or value != NEUTRAL[name])
    }
    return {**REMOVED, **hashed}


def key_of(checksum: str, identity: Mapping[str, Any], protocol: Mapping[str, Any]) -> str:
    """Return the key of a cell from its data, its identity and its protocol."""
    return _digest([ENGINE_VERSION, checksum, identity, protocol])[:20]


def seed_of(experiment_seed: int, identity: Mapping[str, Any]) -> int:
    """Return the seed of a cell, which does not depend on order, machine or workers."""
    return int(_digest([experiment_seed, identity])[:15], 16)


_encode = json.JSONEncoder(sort_keys=True).encode


def _digest(content: list[Any]) -> str:
    return hashlib.sha256(_encode(content).encode()).hexdigest()
