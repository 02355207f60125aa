"""How a part of an evolution is described: an entry says what it is called, where it is and what it does.

gatree's own entries are in registry.py; other packages register theirs by entry points (docs/extending.md).
A part is named by its path, so that reading an entry imports and compiles nothing. For that reason, this
module imports nothing of gatree.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal


@dataclass(frozen=True)
class Entry:
    """A part: its name in the settings, where it is (``module:name``), and what it does, in one line."""

    name: str
    path: str
    description: str

    @cache  # noqa: B019  entries live as long as the process
    def load(self) -> Any:
        """Return the part itself."""
        module, _, name = self.path.partition(":")
        return getattr(importlib.import_module(module), name)


@dataclass(frozen=True)
class EvaluatorEntry(Entry):
    """A way to count what trees classify correctly: a subclass of `evaluators.contract.Evaluator`."""

    label: str  # in tables
    inherits: bool  # whether a child takes over what is known of its parent
    seconds_per_child: float  # measured on one core of a Neoverse-N1 over the paper's data sets
    seconds_per_instance: float  # the same, per child and instance


@dataclass(frozen=True)
class SelectionEntry(Entry):
    """A way to choose parents: a kernel with the arguments of those in `evolution.selection`."""

    draws: str | None = None  # the setting that says how many random numbers a parent takes, else one
    turns_a_wheel: bool = False  # so payoffs must not be negative


@dataclass(frozen=True)
class MutationEntry(Entry):
    """A change of one node: a kernel with the arguments of those in `evolution.mutations`.

    The share of a node's mutations that are this one is a setting; what the shares leave over goes to the
    one without a setting. A mutation of another package has a setting of its own, 0 by default.
    """

    of: Literal["leaf", "test"]
    share: str | None  # the setting
    adds: int = 0  # the most nodes by which the tree grows
