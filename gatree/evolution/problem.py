"""What an evolution works on: the integer codes of a data set, ready for the kernels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.config import EvolutionSettings
from gatree.data.coding import Coding, NumericTests, code
from gatree.data.dataset import Dataset
from gatree.errors import ConfigError, DataError
from gatree.evolution.scoring import Scoring, plain_scoring, scoring, whole_numbers


class Instances(NamedTuple):
    """The coded instances, as kernels take them."""

    codes: Any  # [attribute, instance], the smallest unsigned type that fits
    is_numeric: NDArray[np.bool_]  # [attribute]
    classes: Any  # [instance]


class Alphabet(NamedTuple):
    """What random tests and random leaves are drawn from, as kernels take it."""

    testable: NDArray[np.int32]  # the attributes that have a test
    n_tests: NDArray[np.int32]  # [attribute]
    n_classes: int


@dataclass(frozen=True)
class Problem:
    """A data set prepared for evolution."""

    dataset: Dataset
    coding: Coding
    instances: Instances
    alphabet: Alphabet
    scoring: Scoring
    costs: NDArray[np.float64] | None = None  # [class, label]
    monotonic: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, dtype=np.int8))  # [attribute]

    @property
    def n_instances(self) -> int:
        return len(self.instances.classes)

    @property
    def total_weight(self) -> int:
        """What a tree that classifies everything correctly counts: the instances, if none has a weight."""
        if len(self.scoring.target):
            return max(1, int(self.scoring.target @ self.scoring.target))
        if len(self.scoring.gain):
            return int(self.scoring.gain.max(axis=1) @ self.dataset.class_counts)
        return int(self.scoring.class_weight @ self.dataset.class_counts)

    def scored(self, settings: EvolutionSettings) -> Problem:
        """Return the problem with its leaves scored as the settings ask for."""
        return replace(self, scoring=scoring(self.dataset, settings, self.costs, self.scoring.target))

    def with_costs(self, costs: NDArray[np.float64]) -> Problem:
        """Return the problem with what it costs to give each label to an instance of each class."""
        shape = (self.dataset.n_classes, self.dataset.n_classes)
        if costs.shape != shape or not np.isfinite(costs).all() or (costs < 0).any():
            raise ConfigError(f"costs: should be {shape} numbers of zero or more, got {costs.shape}")
        return replace(self, costs=costs)

    def with_monotonic(self, directions: NDArray[np.int8]) -> Problem:
        """Return the problem with constraints: 1 where the class may only rise with an attribute, -1 fall."""
        dataset = self.dataset
        if directions.shape != (dataset.n_attributes,) or not np.isin(directions, (-1, 0, 1)).all():
            raise ConfigError(
                f"monotonic: should be -1, 0 or 1 for each of {dataset.n_attributes} attributes"
            )
        if directions.any() and dataset.n_classes > 2:
            raise ConfigError(f"monotonic: needs two classes, but {dataset.name} has {dataset.n_classes}")
        for attribute, direction in zip(dataset.attributes, directions, strict=True):
            if direction and attribute.is_nominal:
                raise ConfigError(f"monotonic: {attribute.name!r} is nominal, so nothing rises with it")
        return replace(self, monotonic=directions if directions.any() else directions[:0])

    def with_target(self, target: NDArray[np.float64]) -> Problem:
        """Return the problem of predicting numbers, one for each instance, in place of the classes."""
        return replace(self, scoring=self.scoring._replace(target=whole_numbers(target)))

    @classmethod
    def of(
        cls, dataset: Dataset, numeric_tests: NumericTests = "integer", max_thresholds: int | None = None
    ) -> Problem:
        """Code a data set. Instances whose class is missing are left out: nothing can be learnt from them."""
        known = dataset.classes >= 0
        if not known.all():
            dataset = dataset.take(np.flatnonzero(known))
        if dataset.n_instances == 0:
            raise DataError(f"{dataset.name}: there is no instance with a class to learn from")
        coding = code(dataset, numeric_tests, max_thresholds)
        narrow = np.uint16 if dataset.n_classes <= np.iinfo(np.uint16).max else np.int32
        return cls(
            dataset=dataset,
            coding=coding,
            instances=Instances(
                codes=coding.encode(dataset.columns, dataset.n_instances),
                is_numeric=coding.is_numeric,
                classes=dataset.classes.astype(narrow),
            ),
            alphabet=Alphabet(
                testable=np.flatnonzero(coding.n_tests > 0).astype(np.int32),
                n_tests=coding.n_tests,
                n_classes=dataset.n_classes,
            ),
            scoring=plain_scoring(dataset.n_classes),
        )
