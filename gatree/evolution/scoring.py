"""How the leaves of a tree are scored: the class of a leaf, the weight of a class, the smallest leaf.

The paper's leaves have random classes, which selection sorts out, and every instance counts as one. A
leaf may also be given the class that most of its instances have, classes may have weights, and trees
with small leaves may be refused. All of it is counted in integers at the leaves, so it is inherited as
losslessly as plain correct counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.config import EvolutionSettings
from gatree.data.dataset import Dataset
from gatree.errors import ConfigError, did_you_mean

_MOST_WEIGHT = np.iinfo(np.int32).max  # evaluators count in int32
_FINEST = 2**20  # the units of a weight that is no whole number


class Scoring(NamedTuple):
    """How leaves are scored, as kernels take it."""

    majority: bool  # a leaf gets the class of most of its instances
    class_weight: NDArray[np.int64]  # [class]: what a correct instance counts
    min_leaf: int  # a tree with a smaller leaf counts as classifying nothing correctly


def plain_scoring(n_classes: int) -> Scoring:
    """Return the paper's: leaves keep their class, an instance counts as one, leaves may be empty."""
    return Scoring(majority=False, class_weight=np.ones(n_classes, dtype=np.int64), min_leaf=0)


def scoring(dataset: Dataset, settings: EvolutionSettings) -> Scoring:
    """Return the scoring that the settings ask for."""
    return Scoring(
        majority=settings.leaf_class == "majority",
        class_weight=_class_weights(dataset, settings.class_weight),
        min_leaf=settings.min_leaf,
    )


def _class_weights(dataset: Dataset, wanted: Mapping[str, float] | str | None) -> NDArray[np.int64]:
    """Return the weights as integers: whole numbers as they are, others in the finest units that fit."""
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
    unit = 1.0 if whole else min(float(_FINEST), np.floor((_MOST_WEIGHT - dataset.n_instances) / total))
    if unit < 1 or total * unit > _MOST_WEIGHT:
        raise ConfigError(
            f"class_weight: the weights of all instances add up to {total:g}, more than {_MOST_WEIGHT}"
        )
    return np.round(weights * unit).astype(np.int64)
