"""The coded training rows of a fold and its test rows, on which an experiment counts correct predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gatree.data.coding import Codes, NumericTests
from gatree.data.dataset import Dataset
from gatree.evolution.problem import Problem
from gatree.trees.genome import Tree, predict
from gatree.weka.folds import Rows


@dataclass(frozen=True)
class Fold:
    """The coded training rows of a fold, and its test rows in the same coding."""

    problem: Problem
    test: Dataset
    test_codes: Codes

    @classmethod
    def of(cls, data: Dataset, rows: tuple[Rows, Rows], numeric_tests: NumericTests) -> Fold:
        """Return the fold of the given training and test rows.

        Test rows without a class are dropped, since no prediction can be checked against them.
        """
        train_rows, test_rows = rows
        problem = Problem.of(data.take(train_rows), numeric_tests)
        test = data.take(test_rows[data.classes[test_rows] >= 0])
        return cls(problem, test, problem.coding.encode(test.columns, test.n_instances))

    @property
    def n_test(self) -> int:
        return self.test.n_instances

    def test_correct(self, tree: Tree) -> int:
        """Return the number of test rows that a tree classifies correctly."""
        given = predict(tree, self.test_codes, self.problem.coding.is_numeric)
        return int(np.count_nonzero(given == self.test.classes))
