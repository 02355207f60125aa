"""What an evolution works on: the integer codes of a data set, ready for the kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.config import EvolutionSettings
from gatree.data.coding import Coding, NumericTests, code
from gatree.data.dataset import Dataset
from gatree.errors import DataError
from gatree.evolution.scoring import Scoring, plain_scoring, scoring


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

    @property
    def n_instances(self) -> int:
        return len(self.instances.classes)

    @property
    def total_weight(self) -> int:
        """What a tree that classifies everything correctly counts: the instances, if none has a weight."""
        return int(self.scoring.class_weight @ self.dataset.class_counts)

    def scored(self, settings: EvolutionSettings) -> Problem:
        """Return the problem with its leaves scored as the settings ask for."""
        return replace(self, scoring=scoring(self.dataset, settings))

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
