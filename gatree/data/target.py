"""Is the class a class? Numbers of which almost every instance has its own are a quantity to be refused."""

from __future__ import annotations

import numpy as np

from gatree.data.dataset import Dataset
from gatree.errors import DataError, shown, there_are

_MOST_NUMBERED_CLASSES = 20
_FEWEST_INSTANCES_PER_CLASS = 10


def refuse_quantity(dataset: Dataset, how_to_choose: str) -> None:
    """Raise a DataError if the class seems to be a quantity: many distinct numbers, few instances of each.

    Parameters
    ----------
    dataset : Dataset
    how_to_choose : str
        How the user names another class, such as ``--class``.
    """
    n_known, n_values = int(np.count_nonzero(dataset.classes >= 0)), dataset.n_classes
    few = n_values <= _MOST_NUMBERED_CLASSES or n_known >= n_values * _FEWEST_INSTANCES_PER_CLASS
    if few or not all(_is_number(value) for value in dataset.class_values):
        return
    name, values = dataset.class_attribute.name, dataset.class_values
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
