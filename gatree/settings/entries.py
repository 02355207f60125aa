"""Entries of the registry: the name, location and description of an evaluator or selection.

The built-in entries are in registry.py; other packages register theirs as entry points (docs/extending.md).
An entry holds an import path, so that reading it imports and compiles nothing.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from typing import Any

from gatree.base.errors import ConfigError


@dataclass(frozen=True)
class Entry:
    """A component: its name in the settings, import path (``module:name``) and one-line description."""

    name: str
    path: str
    description: str

    @cache  # noqa: B019  entries live as long as the process
    def load(self) -> Any:
        """Import and return the component."""
        module, _, name = self.path.partition(":")
        try:
            return getattr(importlib.import_module(module), name)
        except Exception as error:  # code of another package may raise anything
            if module.startswith("gatree."):
                raise
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise ConfigError(f"{self.name!r} failed to import: {reason}") from error


@dataclass(frozen=True)
class EvaluatorEntry(Entry):
    """An evaluator of trees: a subclass of `evaluators.contract.Evaluator`."""

    label: str  # in tables
    inherits: bool  # whether a child inherits its parent's results
    seconds_per_child: float  # measured on one core of a Neoverse-N1 over the paper's data sets
    seconds_per_instance: float  # the same, per child and instance


@dataclass(frozen=True)
class SelectionEntry(Entry):
    """A selection scheme: a function with the signature of those in `evolution.selection`."""

    draws: str | None = None  # the setting with the number of random numbers per parent; None: one
    turns_a_wheel: bool = False  # roulette-wheel selection: payoffs must not be negative

    def n_draws(self, settings: object) -> int:
        """Return the random numbers that the selection of a parent takes."""
        return int(getattr(settings, self.draws)) if self.draws else 1
