"""The way of one instance through a tree, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from gatree.base.errors import DataError, visible
from gatree.data.target import label
from gatree.trees.named_tree import NamedTree
from gatree.trees.render import threshold_text


def explain(model: NamedTree, row: Mapping[str, Any]) -> str:
    """Return how a tree comes to the class of a row, a line per test and one for the class.

    Parameters
    ----------
    model : NamedTree
    row : mapping
        Values by the names of the attributes, such as a row of a frame. What is None, NaN or not there is
        missing. Dates are milliseconds since 1970 or have a ``timestamp``; those without a time zone are
        in UTC.
    """
    return "".join(f"{visible(line)}\n" for line in _lines(model, row))


def _lines(model: NamedTree, row: Mapping[str, Any]) -> Iterator[str]:
    node = 0
    while not model.tree.is_leaf(node):
        passed, words = _answer(model, node, row.get(model.attribute(node).name))
        yield words
        node = model.tree.left(node) if passed else model.tree.right(node)
    shares = "" if model.counts is None else _shares(model, node)
    yield f"so {model.class_attribute.name} is {model.label(node)}{shares}"


def _shares(model: NamedTree, leaf: int) -> str:
    assert model.counts is not None
    right, total = int(model.counts[leaf, model.tree.value[leaf]]), int(model.counts[leaf].sum())
    return f", as for {right} of the {total} training instances here"


def _answer(model: NamedTree, node: int, value: Any) -> tuple[bool, str]:
    """Return whether a value passes the test of a node, and both in words."""
    attribute = model.attribute(node)
    if _is_missing(value):
        wanted = model.category(node) if attribute.is_nominal else f"at most {threshold_text(model, node)}"
        return False, f"{attribute.name} is missing, so not {wanted}"
    if attribute.is_nominal:
        text = label(value)
        passed = text in attribute.spellings(model.category(node))
        return passed, f"{attribute.name} is {text}" + ("" if passed else f", not {model.category(node)}")
    number = _number(attribute.name, value)
    passed = number <= model.threshold(node)
    relation = "at most" if passed else "above"
    return passed, f"{attribute.name} is {value}, {relation} {threshold_text(model, node)}"


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)  # NaN and NaT are not equal to themselves
    except TypeError:
        return True  # pandas' NA is neither equal nor unequal


def _number(name: str, value: Any) -> float:
    if isinstance(value, datetime) and value.tzinfo is None:
        value = value.replace(tzinfo=UTC)  # as in frames, whatever the clock here shows
    try:
        number = value.timestamp() * 1000 if hasattr(value, "timestamp") else float(value)
    except (TypeError, ValueError):
        raise DataError(f"the tree compares {name!r} with numbers, but the row has {value!r}") from None
    if math.isinf(number):
        raise DataError(f"the row has an infinite {name!r}")
    return float(number)
