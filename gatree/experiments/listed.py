"""Lists in an experiment file: a single value may stand for a list of one, and nothing may stand twice."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import AfterValidator, BeforeValidator

Item = TypeVar("Item")


def as_list(value: Any) -> Any:
    """Let a single value stand for a list of one."""
    return value if isinstance(value, list | tuple) else [value]


def some(values: tuple[Item, ...]) -> tuple[Item, ...]:
    """Refuse a list of nothing."""
    if not values:
        raise ValueError("should list at least one")
    return values


def without_repeats(values: tuple[Item, ...]) -> tuple[Item, ...]:
    """Refuse what stands twice."""
    repeated = [str(value) for index, value in enumerate(values) if value in values[:index]]
    if repeated:
        raise ValueError(f"listed twice: {', '.join(repeated)}")
    return values


Listed = (BeforeValidator(as_list), AfterValidator(some), AfterValidator(without_repeats))
