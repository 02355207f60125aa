"""Scoring of leaves: the class of a leaf, the weights of classes, the minimum leaf size.

The paper's leaves have random classes, subject to selection, and every instance counts as one. Optionally a
leaf gets the majority class of its instances, classes have weights, and trees with small leaves are rejected.
All of this is counted in integers at the leaves, so it is inherited losslessly, like plain correct counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError, did_you_mean
from gatree.data.attribute import Schema
from gatree.data.dataset import Dataset
from gatree.settings.evolution_settings import EvolutionSettings

_MOST_WEIGHT = np.iinfo(np.int32).max  # evaluators count in int32
_MAX_UNITS = 2**20  # units per fractional weight


class Scoring(NamedTuple):
    """The scoring of leaves, in the form that kernels take."""

    majority: bool  # a leaf gets the majority class of its instances
    class_weight: NDArray[np.int64]  # [class]: the weight of a correct instance
    min_leaf: int  # a tree with a smaller leaf gets 0 correct instances
    gain: NDArray[np.int64]  # [class, label]: the score of a label for an instance; empty without costs
    target: NDArray[np.int64]  # [instance]: numbers to predict; empty for classification


def scoring(
    dataset: Dataset | Schema,
    settings: EvolutionSettings,
    costs: NDArray[np.float64] | None = None,
    target: NDArray[np.int64] | None = None,
) -> Scoring:
    """Return the scoring of the settings, the costs and the target."""
    weights = class_weights(dataset, settings.class_weight)
    if costs is not None and settings.leaf_class != "majority":
        raise ConfigError("costs: leaf_class has to be majority, so that leaves get their class by the costs")
    return Scoring(
        majority=settings.leaf_class == "majority",
        class_weight=weights,
        min_leaf=settings.min_leaf,
        gain=np.zeros((0, 0), dtype=np.int64) if costs is None else gains_of(dataset, costs, weights),
        target=np.zeros(0, dtype=np.int64) if target is None else target,
    )


def gains_of(
    dataset: Dataset | Schema, costs: NDArray[np.float64], weights: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return what each label saves compared with the most expensive one, in the finest integer units."""
    saved = (costs.max(axis=1, keepdims=True) - costs) * weights[:, np.newaxis]
    total = float(saved.max(axis=1) @ dataset.class_counts)
    if total == 0:
        raise ConfigError("costs: all labels cost the same, so there is nothing to learn")
    if np.all(saved == np.round(saved)) and total <= _MOST_WEIGHT:
        return np.asarray(saved, dtype=np.int64)
    scale = min(1.0, float(saved.max()))  # savings below one are scaled up to one
    unit = min(float(_MAX_UNITS), (_MOST_WEIGHT - dataset.n_instances) / (total / scale))
    return np.asarray(np.round(saved / scale * unit), dtype=np.int64)


def integer_targets(target: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the centred targets in the finest integer units whose sum of squares fits into 31 bits.

    Leaves are then scored by exact integers: see `gatree.evolution.evaluators.children.explained`.
    """
    centred = target - target.mean()
    largest = float(np.abs(centred).max(initial=0.0))
    if largest == 0:
        return np.zeros(len(target), dtype=np.int64)
    scaled = centred / largest  # prevents overflow of the squares
    unit = np.sqrt((_MOST_WEIGHT - 1) / float(scaled @ scaled))
    # truncated, so that the sum of squares stays below the maximum
    return np.asarray(np.trunc(scaled * unit), dtype=np.int64)


def class_weights(dataset: Dataset | Schema, wanted: Mapping[str, float] | str | None) -> NDArray[np.int64]:
    """Return the class weights as integers: fractional weights in the finest units that fit."""
    weights = np.ones(dataset.n_classes)
    if isinstance(wanted, Mapping):
        for name, weight in wanted.items():
            if name not in dataset.class_values:
                near = did_you_mean(name, dataset.class_values)
                raise ConfigError(f"class_weight: {dataset.name} has no class {name!r}{near}")
            weights[dataset.class_values.index(name)] = weight
    elif wanted == "balanced":
        counts = np.maximum(dataset.class_counts, 1)
        weights = dataset.n_instances / (np.count_nonzero(dataset.class_counts) * counts)
    total = float(weights @ dataset.class_counts)
    if total == 0:
        raise ConfigError("class_weight: no instance has a class with a weight above zero")
    whole = bool(np.all(weights == np.round(weights)))
    # Weights below one, such as 1 / n each, are scaled up to one.
    scale = min(1.0, float(weights[dataset.class_counts > 0].max()))
    weights, total = weights / scale, total / scale
    unit = 1.0 if whole else min(float(_MAX_UNITS), np.floor((_MOST_WEIGHT - dataset.n_instances) / total))
    if unit < 1 or total * unit > _MOST_WEIGHT:
        raise ConfigError(
            f"class_weight: the weights of all instances add up to {total:g}, more than {_MOST_WEIGHT}"
        )
    return np.round(weights * unit).astype(np.int64)
