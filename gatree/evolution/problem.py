"""The input of an evolution: the integer codes of a data set, in the form that kernels take."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.attribute import Schema
from gatree.data.coding import Coding, NumericTests, code
from gatree.data.dataset import Dataset
from gatree.data.goal import check_costs, check_directions
from gatree.data.pieces import DataInPieces, encode, stretches
from gatree.evolution.scoring import Scoring, integer_targets, scoring
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import Tree, leaves
from gatree.trees.model import ClassCounts, DecisionTree, with_inner_nodes


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

    dataset: Dataset | Schema  # only the schema if the columns are in pieces
    coding: Coding
    instances: Instances
    alphabet: Alphabet
    scoring: Scoring
    costs: NDArray[np.float64] | None = None  # [class, label]
    monotonic: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, dtype=np.int8))  # [attribute]
    pieces: DataInPieces | None = None  # the source of the instances, which workers can read too

    @property
    def n_instances(self) -> int:
        return self.dataset.n_instances

    @property
    def dataset_in_memory(self) -> Dataset:
        """The data set with its columns; raises an error if they are in pieces."""
        if isinstance(self.dataset, Schema):
            raise DataError(f"{self.dataset.name}: its columns are in pieces, but this needs them in memory")
        return self.dataset

    def decision_tree(self, tree: Tree, counts: ClassCounts | None = None) -> DecisionTree:
        """Return a tree with names and training counts, which are counted here unless given."""
        if isinstance(self.dataset, Dataset):
            return DecisionTree.of(tree, self.coding, self.dataset)
        if counts is None and len(self.instances.classes):
            counts = class_counts(tree, self.instances, self.dataset.n_classes)
        return DecisionTree.named(tree, self.coding, self.dataset, counts)

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
    def in_pieces(cls, data: DataInPieces, in_memory: bool = True) -> Problem:
        """Return the problem of data in pieces, with its codes in memory or left for shards to read."""
        plan = data.plan
        if in_memory:
            (part,) = stretches(data.pieces, 1)
            codes, classes = encode(plan, part)
        else:
            codes, classes = encode(plan, ())  # none, in their types
        return replace(cls.coded(plan.schema, plan.coding, codes, classes), pieces=data)

    @classmethod
    def coded(cls, dataset: Dataset | Schema, coding: Coding, codes: Any, classes: Any) -> Problem:
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


_CHUNK_SIZE = 2**20


def class_counts(tree: Tree, instances: Instances, n_classes: int) -> ClassCounts:
    """Count the instances of each class that reach each node of a tree, in chunks to save memory."""
    counts = np.zeros((tree.n_nodes, n_classes), dtype=np.int64)
    for begin in range(0, len(instances.classes), _CHUNK_SIZE):
        some = slice(begin, begin + _CHUNK_SIZE)
        reached = leaves(tree, np.ascontiguousarray(instances.codes[:, some]), instances.is_numeric)
        pairs = reached.astype(np.int64) * n_classes + instances.classes[some]
        counts += np.bincount(pairs, minlength=counts.size).reshape(counts.shape)
    return with_inner_nodes(tree, counts)
