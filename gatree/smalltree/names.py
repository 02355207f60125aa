"""Sort classes and text values by name, so that their order in the data does not affect a fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.dataset import Dataset

Order = NDArray[np.intp]  # [new position]: old position


class InOrder(NamedTuple):
    """A data set sorted by names, and the old positions of the names."""

    dataset: Dataset
    classes: Order
    values: tuple[Order, ...]  # [attribute]: the order of its values


def in_order_of_names(dataset: Dataset) -> InOrder:
    """Return a data set with sorted classes and text values; declared values keep their order."""
    values = tuple(map(_order_of_values, dataset.attributes))
    classes = _order(dataset.class_values)
    ordered = replace(
        dataset,
        attributes=tuple(map(_renamed, dataset.attributes, values)),
        columns=tuple(map(_recoded, dataset.columns, values)),
        class_attribute=_renamed(dataset.class_attribute, classes),
        classes=_recoded(dataset.classes, classes).astype(np.int32),
    )
    return InOrder(ordered, classes, values)


def _order_of_values(attribute: Attribute) -> Order:
    if attribute.by_appearance:
        return np.array(sorted(range(len(attribute.values)), key=attribute.values.__getitem__), dtype=np.intp)
    return np.arange(len(attribute.values))


def _order(names: Sequence[str]) -> Order:
    """Return the order of classes as in scikit-learn: numbers by value, others as text."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        numbers = []
    are_numbers = len(numbers) > 0 and bool(np.isfinite(numbers).all())
    keys = list(zip(numbers if are_numbers else [0.0] * len(names), names, strict=True))
    return np.array(sorted(range(len(names)), key=keys.__getitem__), dtype=np.intp)


def _renamed(attribute: Attribute, order: Order) -> Attribute:
    return replace(attribute, values=tuple(attribute.values[index] for index in order))


def _recoded(column: Column, order: Order) -> Column:
    if column.dtype.kind == "f" or not np.any(np.diff(order) < 0):
        return column
    place = np.full(len(order) + 1, MISSING, dtype=np.int32)  # MISSING is -1: the last entry
    place[order] = np.arange(len(order), dtype=np.int32)
    return place[column.astype(np.int64)]
