"""Which cells a user means: ``--only dataset=vote --only size=100``."""

from __future__ import annotations

from collections.abc import Iterable

from gatree.config import XFactor
from gatree.errors import ConfigError, did_you_mean
from gatree.experiments.grid import Cell

SELECTABLE = (
    "study",
    "kind",
    "dataset",
    "mutation_rate",
    "x_factor",
    "size",
    "replicate",
    "fold",
    "baseline",
)


def select(cells: list[Cell], wanted: Iterable[str]) -> list[Cell]:
    """Return the cells that fit all of ``KEY=VALUE``; the same key twice means either value.

    ``size`` is the population's.
    """
    either: dict[str, set[str]] = {}
    for text in wanted:
        name, value = _condition(text)
        known = dict.fromkeys(_value(cell, name) for cell in cells)
        known.pop("", None)
        if value not in known:
            near = did_you_mean(value, known) or f"; there is: {', '.join(known) or 'none'}"
            raise ConfigError(f"--only {text}: no cell has this {name}{near}")
        either.setdefault(name, set()).add(value)
    return [cell for cell in cells if all(_value(cell, name) in values for name, values in either.items())]


def _condition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals:
        raise ConfigError(f"--only {text}: should be KEY=VALUE, such as dataset=vote")
    if name not in SELECTABLE:
        near = did_you_mean(name, SELECTABLE) or f"; known: {', '.join(SELECTABLE)}"
        raise ConfigError(f"--only {text}: no key {name!r}{near}")
    return name, _canonical(name, value.strip())


def _canonical(name: str, value: str) -> str:
    """Let 10000 find the x-factor 1e4, and 0.50 the mutation rate 0.5."""
    try:
        if name == "x_factor":
            return str(XFactor.parse(value))
        if name == "mutation_rate":
            return str(float(value))
    except ValueError:
        pass
    return value


def _value(cell: Cell, name: str) -> str:
    return str(cell.identity.get("population_size" if name == "size" else name, ""))
