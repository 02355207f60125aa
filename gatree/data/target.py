"""The column to predict: which one it is, how its classes are called, and whether they are classes at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, did_you_mean, shown, there_are
from gatree.data.attribute import Attribute

_MOST_NUMBERED_CLASSES = 20
_FEWEST_INSTANCES_PER_CLASS = 10


class Labelled(Protocol):
    """Data with a class: what a `Dataset` and a `Schema` have in common."""

    @property
    def name(self) -> str: ...

    @property
    def attributes(self) -> Sequence[Attribute]: ...

    @property
    def class_attribute(self) -> Attribute: ...

    @property
    def class_counts(self) -> NDArray[np.int64]: ...


def checked_target(names: list[str], target: str | None, where: str) -> str:
    """Return the name of the column to predict, the last one by default, or say why there is none."""
    refuse_repeated(names, where)
    if target is not None and target not in names:
        raise DataError(f"{where}: no column {shown(target)}{did_you_mean(target, names)}{there_are(names)}")
    if len(names) < 2:
        only = f"only one column ({shown(names[0])})" if names else "no columns"
        raise DataError(
            f"{where}: {only}; at least two are needed (commas, semicolons, tabs or bars part them; if it is "
            "another character: gatree.read_csv(path, separator=...) in Python)"
        )
    return names[-1] if target is None else target


def refuse_repeated(names: list[str], where: str) -> None:
    """Raise a DataError if two columns have one name."""
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise DataError(f"{where}: two columns are called {shown(repeated)}")


def label(value: Any) -> str:
    """Return a value as text, integers without a decimal point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def refuse_quantity(dataset: Labelled, how_to_choose: str) -> None:
    """Raise a DataError if the class seems to be a quantity: many distinct numbers, few instances of each.

    Parameters
    ----------
    dataset : Dataset or Schema
    how_to_choose : str
        How the user names another class, such as ``--class``.
    """
    name, values = dataset.class_attribute.name, dataset.class_attribute.values
    n_known, n_values = int(dataset.class_counts.sum()), len(values)
    few = n_values <= _MOST_NUMBERED_CLASSES or n_known >= n_values * _FEWEST_INSTANCES_PER_CLASS
    if few or not all(_is_number(value) for value in values):
        return
    raise DataError(
        f"{dataset.name}: {shown(name)} has {n_values} different numbers in {n_known} instances: a quantity, "
        f"and trees here predict classes. Name another attribute with {how_to_choose}"
        f"{there_are(attribute.name for attribute in dataset.attributes)}, "
        f"or make classes of it first, such as 'low' up to {values[n_values // 2]} and 'high' above"
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
