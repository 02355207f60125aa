"""Lists in an experiment file: a single value means a list of one, and no value is listed twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeVar

from pydantic import AfterValidator, BeforeValidator

Item = TypeVar("Item")


def as_list(value: object) -> Sequence[object]:
    """Let a single value stand for a list of one."""
    return value if isinstance(value, list | tuple) else [value]


def some(values: tuple[Item, ...]) -> tuple[Item, ...]:
    """Refuse a list of nothing."""
    if not values:
        raise ValueError("should list at least one")
    return values


def without_repeats(values: tuple[Item, ...]) -> tuple[Item, ...]:
    """Refuse what stands twice."""
    seen: set[object] = set()
    repeated = []
    for value in values:
        what = json.dumps(value, sort_keys=True) if isinstance(value, dict) else value
        if what in seen:
            repeated.append(str(value))
        seen.add(what)
    if repeated:
        raise ValueError(f"listed twice: {', '.join(repeated)}")
    return values


def with_own_names(values: tuple[Item, ...]) -> tuple[Item, ...]:
    """Refuse two that have the same name."""
    without_repeats(tuple(value.name for value in values))  # type: ignore[attr-defined]
    return values


ListOf = (BeforeValidator(as_list), AfterValidator(some), AfterValidator(without_repeats))
