"""What is to be learned from a data set: what a correct instance is worth, what errors cost, what may rise.

Everything is counted in integers: fractional weights and costs in the finest units that fit.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import SettingError, did_you_mean
from gatree.base.limits import MOST_COST
from gatree.data.dataset import Dataset

LARGEST_SUM = np.iinfo(np.int32).max
"""The largest weight of all instances together."""

_MAX_UNITS = 2**20  # units per fractional weight


def class_weights(dataset: Dataset, wanted: Mapping[str, float] | str | None) -> NDArray[np.int64]:
    """Return the class weights as integers: fractional weights in the finest units that fit."""
    weights = np.ones(dataset.n_classes)
    if isinstance(wanted, Mapping):
        for name, weight in wanted.items():
            if name not in dataset.class_values:
                near = did_you_mean(name, dataset.class_values)
                raise SettingError.of("class_weight", f"{dataset.name} has no class {name!r}{near}")
            weights[dataset.class_values.index(name)] = weight
    elif wanted == "balanced":
        counts = np.maximum(dataset.class_counts, 1)
        weights = dataset.n_instances / (np.count_nonzero(dataset.class_counts) * counts)
    total = float(weights @ dataset.class_counts)
    if total == 0:
        raise SettingError.of("class_weight", "no instance has a class with a weight above zero")
    whole = bool(np.all(weights == np.round(weights)))
    # Weights below one, such as 1 / n each, are scaled up to one.
    scale = min(1.0, float(weights[dataset.class_counts > 0].max()))
    weights, total = weights / scale, total / scale
    unit = 1.0 if whole else min(float(_MAX_UNITS), np.floor((LARGEST_SUM - dataset.n_instances) / total))
    if unit < 1 or total * unit > LARGEST_SUM:
        raise SettingError.of(
            "class_weight", f"the weights of all instances add up to {total:g}, more than {LARGEST_SUM}"
        )
    return np.round(weights * unit).astype(np.int64)


def gains_of(dataset: Dataset, costs: NDArray[np.float64], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what each label saves compared with the most expensive one, in the finest integer units."""
    saved = (costs.max(axis=1, keepdims=True) - costs) * weights[:, np.newaxis]
    total = float(saved.max(axis=1) @ dataset.class_counts)
    if total == 0:
        raise SettingError.of("costs", "all labels cost the same, so there is nothing to learn")
    if np.all(saved == np.round(saved)) and total <= LARGEST_SUM:
        return np.asarray(saved, dtype=np.int64)
    scale = min(1.0, float(saved.max()))  # savings below one are scaled up to one
    unit = min(float(_MAX_UNITS), (LARGEST_SUM - dataset.n_instances) / (total / scale))
    return np.asarray(np.round(saved / scale * unit), dtype=np.int64)


def check_costs(costs: NDArray[np.float64], dataset: Dataset) -> None:
    """Raise a SettingError unless there is a cost for every class and every predicted class."""
    shape = (dataset.n_classes, dataset.n_classes)
    if costs.shape != shape:
        raise SettingError.of(
            "costs", f"should have a row and a column per class, {shape}, got {costs.shape}"
        )
    if wrong := costs[~((costs >= 0) & (costs <= MOST_COST))].tolist():
        raise SettingError.of("costs", f"should be numbers from 0 to {MOST_COST:g}, got {wrong[0]}")


def check_directions(directions: NDArray[np.int8], dataset: Dataset) -> None:
    """Raise a SettingError unless there is a direction for every attribute, in which the class may change.

    It is 1 if the second class may only rise with the attribute, -1 if it may only fall, and 0 without a
    constraint.
    """

    def refuse(what: str) -> None:
        raise SettingError.of("monotonic", what)

    if directions.shape != (dataset.n_attributes,) or not np.isin(directions, (-1, 0, 1)).all():
        refuse(f"should be -1, 0 or 1 for each of {dataset.n_attributes} attributes")
    if directions.any() and dataset.n_classes > 2:
        refuse(f"needs two classes, but {dataset.name} has {dataset.n_classes}")
    for attribute, direction in zip(dataset.attributes, directions, strict=True):
        if direction and attribute.is_nominal:
            refuse(f"{attribute.name!r} is nominal, so nothing rises with it")
