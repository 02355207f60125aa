"""The proven best tree of at most K tests, with names, and what is proven if time runs out."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from gatree.base.errors import ConfigError, DataError
from gatree.data.cases import cases_of
from gatree.data.coding import Coding, NumericTests, code
from gatree.data.dataset import Dataset
from gatree.optimum.search import Search
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree


@dataclass(frozen=True)
class Optimum:
    """The best tree found, and what is proven about all trees of so many tests.

    Attributes
    ----------
    tree : DecisionTree
    n_tests : int
        The most tests that were allowed.
    n_correct : int
        Instances that the tree classifies correctly.
    bound : int
        No tree of so many tests classifies more instances correctly.
    n_instances : int
    """

    tree: DecisionTree
    n_tests: int
    n_correct: int
    bound: int
    n_instances: int

    @property
    def accuracy(self) -> float:
        return self.n_correct / self.n_instances

    @property
    def is_proven(self) -> bool:
        """Whether the tree is proven to be the best."""
        return self.n_correct == self.bound


def optimum(
    dataset: Dataset,
    n_tests: int,
    *,
    numeric_tests: NumericTests = "observed",
    max_seconds: float = float("inf"),
) -> Optimum:
    """Return the tree of at most ``n_tests`` tests that classifies the most instances correctly.

    Parameters
    ----------
    dataset : Dataset
        Instances whose class is missing are left out.
    n_tests : int
        The inner nodes that the tree may have: a tree of K tests has 2 K + 1 nodes and K + 1 leaves.
    numeric_tests : {"observed", "integer"}
        The thresholds that numeric attributes may be tested for.
    max_seconds : float
        Stop the search after so long: then the tree is the best of fewer tests, and the bound a weaker one.
        A step that has begun is finished first, which on many thousand instances takes seconds.
    """
    if n_tests < 0:
        raise ConfigError(f"n_tests: should be 0 or more, got {n_tests}")
    if numeric_tests not in ("observed", "integer"):
        raise ConfigError(f"numeric_tests: should be 'observed' or 'integer', got {numeric_tests!r}")
    if not max_seconds > 0:
        raise ConfigError(f"max_seconds: should be above zero, got {max_seconds}")
    known = np.flatnonzero(dataset.classes >= 0)
    if len(known) == 0:
        raise DataError(f"{dataset.name}: there is no instance with a class to learn from")
    dataset = dataset.take(known)
    coding = code(dataset, numeric_tests)
    best = Search(cases_of(dataset, coding), time.monotonic() + max_seconds).best_tree(n_tests)
    return Optimum(
        tree=DecisionTree.of(Tree.nested(best.nested), coding, dataset),
        n_tests=n_tests,
        n_correct=dataset.n_instances - best.errors,
        bound=dataset.n_instances - (best.errors if best.is_proven else _inevitable_errors(dataset, coding)),
        n_instances=dataset.n_instances,
    )


def _inevitable_errors(dataset: Dataset, coding: Coding) -> int:
    """Return the errors of any tree whatever: instances that no test tells apart, of different classes."""
    codes = coding.encode(dataset.columns, dataset.n_instances)
    _, group = np.unique(codes, axis=1, return_inverse=True)
    counts = np.zeros((int(group.max()) + 1, dataset.n_classes), dtype=np.int64)
    np.add.at(counts, (group, dataset.classes), 1)
    return int((counts.sum(axis=1) - counts.max(axis=1)).sum())
