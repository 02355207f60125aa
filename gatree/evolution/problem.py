"""The input of an evolution: the integer codes of a data set, in the form that kernels take."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.coding import Coding, NumericTests, code
from gatree.data.dataset import Dataset
from gatree.data.goal import check_costs, check_directions
from gatree.evolution.scoring import Scoring, integer_targets, scoring
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree


class Instances(NamedTuple):
    """The coded instances, in the form that kernels take."""

    codes: Any  # [attribute, instance], of the smallest unsigned type that fits
    is_numeric: NDArray[np.bool_]  # [attribute]
    classes: Any  # [instance]


class Alphabet(NamedTuple):
    """What random tests and leaves are drawn from, in the form that kernels take."""

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
        return self.dataset.n_instances

    def decision_tree(self, tree: Tree) -> DecisionTree:
        """Return a tree with names and training counts."""
        return DecisionTree.of(tree, self.coding, self.dataset)

    @property
    def total_weight(self) -> int:
        """The `n_correct` of a perfect tree: the number of instances, unless classes have weights."""
        if len(self.scoring.target):
            return max(1, int(self.scoring.target @ self.scoring.target))
        if len(self.scoring.gain):
            return int(self.scoring.gain.max(axis=1) @ self.dataset.class_counts)
        return int(self.scoring.class_weight @ self.dataset.class_counts)

    def scored(self, settings: EvolutionSettings) -> Problem:
        """Return the problem with the scoring of the settings."""
        return replace(self, scoring=scoring(self.dataset, settings, self.costs, self.scoring.target))

    def with_costs(self, costs: NDArray[np.float64]) -> Problem:
        """Return the problem with a cost matrix, ``[class, label]``."""
        check_costs(costs, self.dataset)
        return replace(self, costs=costs)

    def with_monotonic(self, directions: NDArray[np.int8]) -> Problem:
        """Return the problem with constraints: 1 if the class may only rise with an attribute, -1 to fall."""
        check_directions(directions, self.dataset)
        return replace(self, monotonic=directions if directions.any() else directions[:0])

    def with_target(self, target: NDArray[np.float64]) -> Problem:
        """Return the regression problem with a target number per instance."""
        return replace(self, scoring=self.scoring._replace(target=integer_targets(target)))

    @classmethod
    def of(
        cls, dataset: Dataset, numeric_tests: NumericTests = "integer", max_thresholds: int | None = None
    ) -> Problem:
        """Code a data set. Instances without a class are dropped."""
        known = dataset.classes >= 0
        if not known.all():
            dataset = dataset.take(np.flatnonzero(known))
        if dataset.n_instances == 0:
            raise DataError(f"{dataset.name}: there is no instance with a class to learn from")
        coding = code(dataset, numeric_tests, max_thresholds)
        narrow = np.uint16 if dataset.n_classes <= np.iinfo(np.uint16).max else np.int32
        codes = coding.encode(dataset.columns, dataset.n_instances)
        return cls.coded(dataset, coding, codes, dataset.classes.astype(narrow))

    @classmethod
    def coded(cls, dataset: Dataset, coding: Coding, codes: Any, classes: Any) -> Problem:
        """Return the problem of instances that are already coded, ``[attribute, instance]``."""
        return cls(
            dataset=dataset,
            coding=coding,
            instances=Instances(codes, coding.is_numeric, classes),
            alphabet=Alphabet(
                testable=np.flatnonzero(coding.n_tests > 0).astype(np.int32),
                n_tests=coding.n_tests,
                n_classes=dataset.n_classes,
            ),
            scoring=scoring(dataset, EvolutionSettings()),
        )
