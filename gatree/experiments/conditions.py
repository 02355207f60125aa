"""Conditions on the command line, ``KEY=VALUE``: which cells, or which rows, a user means."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from gatree.base.errors import ConfigError, did_you_mean
from gatree.settings.evolution_settings import XFactor

_MOST_SHOWN = 20


def conditions(
    option: str,
    noun: str,
    keys: Collection[str],
    texts_of: Callable[[str], Iterable[str]],
    wanted: Iterable[str],
) -> Mapping[str, set[str]]:
    """Return the values that are wanted of each key; an unknown key, or one that none has, is an error."""
    either: dict[str, set[str]] = {}
    for text in wanted:
        name, value = _condition(option, keys, text)
        known = dict.fromkeys(texts_of(name))
        if value not in known:
            some = [has for has in known if has][:_MOST_SHOWN]
            near = did_you_mean(value, some) or f"; there is: {', '.join(some) or 'none'}"
            raise ConfigError(f"{option} {text}: no {noun} has this {name}{near}")
        either.setdefault(name, set()).add(value)
    return either


def _condition(option: str, keys: Collection[str], text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals:
        raise ConfigError(f"{option} {text}: should be KEY=VALUE, such as dataset=vote")
    if name not in keys:
        near = did_you_mean(name, keys) or f"; known: {', '.join(keys)}"
        raise ConfigError(f"{option} {text}: no key {name!r}{near}")
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
