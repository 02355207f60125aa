"""The input of an evolution: the integer codes of a data set, in the form that kernels take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.coding import Coding, NumericTests, code
from gatree.data.dataset import Dataset
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree

if TYPE_CHECKING:
    import pandas as pd


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

    @property
    def n_instances(self) -> int:
        return self.dataset.n_instances

    def decision_tree(self, tree: Tree) -> DecisionTree:
        """Return a tree with names and training counts."""
        return DecisionTree.of(tree, self.coding, self.dataset)

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
        )


def problem_of(
    data: Dataset | Problem | pd.DataFrame, numeric_tests: NumericTests, target: str | None = None
) -> Problem:
    """Return data as a problem."""
    if isinstance(data, Problem):
        return data
    dataset = data if isinstance(data, Dataset) else Dataset.from_frame(data, target)
    return Problem.of(dataset, numeric_tests)
