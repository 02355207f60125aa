"""The input of an evolution: the integer codes of a data set, in the form that kernels take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.coding import CodedData, Coding, NumericTests, code
from gatree.data.dataset import Dataset
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree

if TYPE_CHECKING:
    import pandas as pd


class Alphabet(NamedTuple):
    """What random tests and leaves are drawn from: breeding is compiled once, whatever the types of codes."""

    testable: NDArray[np.int32]  # the attributes that have a test
    n_tests: NDArray[np.int32]  # [attribute]
    n_classes: int


@dataclass(frozen=True)
class Problem:
    """A data set prepared for evolution."""

    dataset: Dataset
    coding: Coding
    instances: CodedData
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
        return cls(
            dataset=dataset,
            coding=coding,
            instances=coding.coded(dataset),
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
