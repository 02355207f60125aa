"""Cross-validate evolutions: train one per fold, and count its correct test rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gatree.data.coding import NumericTests
from gatree.data.dataset import Dataset
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.folds import fold_rows
from gatree.evolution.outcome import Outcome
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import Tree, predict
from gatree.weka.folds import Rows


@dataclass(frozen=True)
class Fold:
    """The coded training rows of a fold, and its test rows in the same coding."""

    problem: Problem
    test: Dataset
    test_codes: Any

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


@dataclass(frozen=True)
class Validated:
    """The outcome of a fold's evolution, and the test result of its best tree."""

    outcome: Outcome
    n_test: int
    test_correct: int


def cross_validate(
    data: Dataset,
    settings: EvolutionSettings,
    n_folds: int,
    seed: int = 1,
    on_generation: Callable[[Evolution], bool | None] | None = None,
    shards: int | None = None,
    client: Any = None,
) -> Iterator[Validated]:
    """Evolve once per fold of WEKA's cross-validation, and yield each result when it is ready.

    Parameters
    ----------
    data : Dataset
    settings : EvolutionSettings
    n_folds : int
        At least 2.
    seed : int
        The seed of the folds (WEKA's ``-s``), not of the evolutions.
    on_generation, shards, client : optional
        See `gatree.evolution.evolve.evolve`.
    """
    for rows in fold_rows(data.classes, n_folds, seed):
        fold = Fold.of(data, rows, settings.numeric_tests)
        outcome = evolve(fold.problem, settings, on_generation, shards=shards, client=client)
        yield Validated(outcome, fold.n_test, fold.test_correct(outcome.best))
