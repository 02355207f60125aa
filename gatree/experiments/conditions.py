"""Conditions on the command line, ``KEY=VALUE``: which cells, or which rows, a user means."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from gatree.base.errors import ConfigError, did_you_mean
from gatree.settings.evolution_settings import XFactor

Item = TypeVar("Item")

_MOST_SHOWN = 20


@dataclass(frozen=True)
class Conditions(Generic[Item]):
    """What can be asked of some items, and by which option."""

    option: str
    keys: Collection[str]
    values_of: Callable[[Item, str], Iterable[Any]]  # what an item has under a key; most often one value

    def chosen(self, items: Sequence[Item], wanted: Iterable[str]) -> list[Item]:
        """Return the items that fit all of ``KEY=VALUE``; the same key twice means either value."""
        either: dict[str, set[str]] = {}
        for text in wanted:
            name, value = self._condition(text)
            known = dict.fromkeys(has for item in items for has in self._texts(item, name))
            if value not in known:
                some = [has for has in known if has][:_MOST_SHOWN]
                near = did_you_mean(value, some) or f"; there is: {', '.join(some) or 'none'}"
                raise ConfigError(f"{self.option} {text}: no {self._noun} has this {name}{near}")
            either.setdefault(name, set()).add(value)
        return [
            item
            for item in items
            if all(not values.isdisjoint(self._texts(item, name)) for name, values in either.items())
        ]

    @property
    def _noun(self) -> str:
        return "cell" if self.option == "--only" else "row"

    def _texts(self, item: Item, name: str) -> list[str]:
        return [as_text(value) for value in self.values_of(item, name)]

    def _condition(self, text: str) -> tuple[str, str]:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise ConfigError(f"{self.option} {text}: should be KEY=VALUE, such as dataset=vote")
        if name not in self.keys:
            near = did_you_mean(name, self.keys) or f"; known: {', '.join(self.keys)}"
            raise ConfigError(f"{self.option} {text}: no key {name!r}{near}")
        return name, _canonical(name, value.strip())


def as_text(value: Any) -> str:
    """Return a value as users write it: 0.5, 10, true, none, majority."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.15g}"
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else str(value)


def _canonical(name: str, value: str) -> str:
    """Let 10000 find the x-factor 1e4, and 0.50 the mutation rate 0.5; names stay as they are."""
    try:
        if name == "x_factor":
            return str(XFactor.parse(value))
        if name not in ("study", "dataset"):
            return as_text(float(value))
    except ValueError:
        pass
    return value
