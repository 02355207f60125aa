"""What is to be learned from a data set: what every row is worth for every label, and what may rise.

Class weights, costs and sample weights are counted in integers: fractional ones in the finest units that fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import SettingError, did_you_mean
from gatree.base.limits import MOST_COST
from gatree.data.answer import Numbers
from gatree.data.dataset import Dataset

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
ClassWeight = Mapping[str, float] | str | None
"""Weights by class name, or ``balanced``."""

_LARGEST_SUM = np.iinfo(np.int32).max  # the weight of all instances together
_MAX_UNITS = 2**20  # units per fractional weight


class SampleWeights(NamedTuple):
    """How often every row counts."""

    counts: Longs  # [row]
    per_sample: int = 1  # what a weight of one counts; more than one for fractional weights

    @classmethod
    def ones(cls, n_rows: int) -> SampleWeights:
        """Return the weights of rows that each count once."""
        return cls(np.ones(n_rows, dtype=np.int64))

    def of_samples(self, n: int) -> int:
        """Return what a minimum number of samples counts; a minimum of one allows any sample."""
        return n * self.per_sample if n > 1 else 1

    @property
    def row_of(self) -> NDArray[np.intp]:
        """The row of every copy, if each row is repeated as often as it counts."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def repeated(self, dataset: Dataset) -> Dataset:
        """Return a data set in which every row is repeated as often as it counts."""
        return dataset if (self.counts == 1).all() else dataset.take(self.row_of)


@dataclass(frozen=True, eq=False)
class Goal:
    """What every row of a data set is worth for every label.

    Parameters
    ----------
    class_weights : ndarray of int64
        ``[class]``: the weight of a correct row; of numbers a single one.
    sample_weights : SampleWeights
        How often every row counts.
    gains : ndarray of int64, optional
        ``[class, label]``: what giving a label to a row gains, if there are costs.
    costs : ndarray of float, optional
        ``[class, label]``: the costs as they were given.
    is_weighted : bool
        Whether class weights were given.
    """

    class_weights: Longs
    sample_weights: SampleWeights
    gains: Longs | None = None
    costs: Floats | None = None
    is_weighted: bool = False

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        class_weight: ClassWeight = None,
        costs: Floats | None = None,
        sample_weights: SampleWeights | None = None,
    ) -> Goal:
        """Return the goal of a data set; numbers have neither class weights nor costs."""
        samples = SampleWeights.ones(dataset.n_instances) if sample_weights is None else sample_weights
        if isinstance(dataset.answer, Numbers):
            return cls(np.ones(1, dtype=np.int64), samples)
        weights = _class_weights(dataset, class_weight, samples.counts)
        gains = None
        if costs is not None:
            _check_costs(costs, dataset)
            gains = _gains(dataset, costs, weights)
        return cls(weights, samples, gains, costs, class_weight is not None)

    @property
    def is_plain(self) -> bool:
        """Whether every correct row is worth the same, as far as classes go."""
        return not self.is_weighted and self.costs is None

    def taken(self, rows: NDArray[np.intp]) -> Goal:
        """Return the goal of some rows, with the same worth of classes."""
        weights = self.sample_weights
        return replace(self, sample_weights=weights._replace(counts=weights.counts[rows]))


def _class_weights(dataset: Dataset, wanted: ClassWeight, counts: Longs) -> Longs:
    """Return the class weights as integers: fractional weights in the finest units that fit."""
    weights = np.ones(dataset.n_classes)
    if wanted is None:
        return weights.astype(np.int64)
    known, n_rows = dataset.answer.known, int(counts.sum())
    class_counts = np.bincount(dataset.classes[known], counts[known], dataset.n_classes).astype(np.int64)
    if isinstance(wanted, Mapping):
        for name, weight in wanted.items():
            if name not in dataset.class_values:
                near = did_you_mean(name, dataset.class_values)
                raise SettingError.of("class_weight", f"{dataset.name} has no class {name!r}{near}")
            weights[dataset.class_values.index(name)] = weight
    elif wanted == "balanced":
        weights = n_rows / (np.count_nonzero(class_counts) * np.maximum(class_counts, 1))
    total = float(weights @ class_counts)
    if total == 0:
        raise SettingError.of("class_weight", "no instance has a class with a weight above zero")
    whole = bool(np.all(weights == np.round(weights)))
    # Weights below one, such as 1 / n each, are scaled up to one.
    scale = min(1.0, float(weights[class_counts > 0].max()))
    weights, total = weights / scale, total / scale
    unit = 1.0 if whole else min(float(_MAX_UNITS), np.floor((_LARGEST_SUM - n_rows) / total))
    if unit < 1 or total * unit > _LARGEST_SUM:
        raise SettingError.of(
            "class_weight", f"the weights of all instances add up to {total:g}, more than {_LARGEST_SUM}"
        )
    return np.round(weights * unit).astype(np.int64)


def _gains(dataset: Dataset, costs: Floats, weights: Longs) -> Longs:
    """Return what each label saves compared with the most expensive one, in the finest integer units."""
    saved = (costs.max(axis=1, keepdims=True) - costs) * weights[:, np.newaxis]
    total = float(saved.max(axis=1) @ dataset.class_counts)
    if total == 0:
        raise SettingError.of("costs", "all labels cost the same, so there is nothing to learn")
    if np.all(saved == np.round(saved)) and total <= _LARGEST_SUM:
        return np.asarray(saved, dtype=np.int64)
    scale = min(1.0, float(saved.max()))  # savings below one are scaled up to one
    unit = min(float(_MAX_UNITS), (_LARGEST_SUM - dataset.n_instances) / (total / scale))
    return np.asarray(np.round(saved / scale * unit), dtype=np.int64)


def _check_costs(costs: Floats, dataset: Dataset) -> None:
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
