"""Scoring of leaves: the class of a leaf, the weights of classes, the minimum leaf size.

The paper's leaves have random classes, subject to selection, and every instance counts as one. Optionally a
leaf gets the majority class of its instances, classes have weights, and trees with small leaves are rejected.
All of this is counted in integers at the leaves, so it is inherited losslessly, like plain correct counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.data.dataset import Dataset
from gatree.data.goal import LARGEST_SUM, class_weights, gains_of
from gatree.settings.evolution_settings import EvolutionSettings


class Scoring(NamedTuple):
    """The scoring of leaves, in the form that kernels take."""

    majority: bool  # a leaf gets the majority class of its instances
    class_weight: NDArray[np.int64]  # [class]: the weight of a correct instance
    min_leaf: int  # a tree with a smaller leaf gets 0 correct instances
    gain: NDArray[np.int64]  # [class, label]: the score of a label for an instance; empty without costs
    target: NDArray[np.int64]  # [instance]: numbers to predict; empty for classification


def scoring(
    dataset: Dataset,
    settings: EvolutionSettings,
    costs: NDArray[np.float64] | None = None,
    target: NDArray[np.int64] | None = None,
) -> Scoring:
    """Return the scoring of the settings, the costs and the target."""
    weights = class_weights(dataset, None)
    if costs is not None and settings.leaf_class != "majority":
        raise ConfigError("costs: leaf_class has to be majority, so that leaves get their class by the costs")
    return Scoring(
        majority=settings.leaf_class == "majority",
        class_weight=weights,
        min_leaf=settings.min_leaf,
        gain=np.zeros((0, 0), dtype=np.int64) if costs is None else gains_of(dataset, costs, weights),
        target=np.zeros(0, dtype=np.int64) if target is None else target,
    )


def integer_targets(target: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the centred targets in the finest integer units whose sum of squares fits into 31 bits.

    Leaves are then scored by exact integers: see `gatree.evolution.evaluators.children.explained`.
    """
    centred = target - target.mean()
    largest = float(np.abs(centred).max(initial=0.0))
    if largest == 0:
        return np.zeros(len(target), dtype=np.int64)
    scaled = centred / largest  # prevents overflow of the squares
    unit = np.sqrt((LARGEST_SUM - 1) / float(scaled @ scaled))
    # truncated, so that the sum of squares stays below the maximum
    return np.asarray(np.trunc(scaled * unit), dtype=np.int64)
