"""Which cells a user means: ``--only dataset=vote --only size=100``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gatree.experiments.conditions import Conditions
from gatree.experiments.grid import BaselineCell, Cell, FoldCell
from gatree.experiments.setting_grid import SETTINGS

FIRST_KEYS = (
    "study",
    "kind",
    "dataset",
    "mutation_rate",
    "x_factor",
    "size",
    "replicate",
    "repeat",
    "fold",
    "baseline",
)
SELECTABLE = tuple(dict.fromkeys((*FIRST_KEYS, *SETTINGS)))
"""What cells can be chosen by: any setting, too."""


def select(cells: list[Cell], wanted: Iterable[str]) -> list[Cell]:
    """Return the cells that fit all of ``KEY=VALUE``; the same key twice means either value.

    ``size`` is the population's, or what counts as a tree's size where a grid varies that.
    """
    return Conditions("--only", SELECTABLE, _values).chosen(cells, wanted)


def _values(cell: Cell, name: str) -> list[Any]:
    if name == "size":
        has = [cell.identity.get("population_size"), cell.identity.get("size")]
        return [value for value in has if value is not None]
    if name == "repeat":
        return [cell.split.repeat] if isinstance(cell, FoldCell | BaselineCell) else []
    if name in cell.identity:
        return [cell.identity[name]]
    return [cell.values[name]] if name in cell.values else []
