"""Cross-validation tests each row once, by a tree that was not trained on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gatree import load_dataset
from gatree.base.errors import DataError
from gatree.evolution.cross_validation import Fold, cross_validate
from gatree.evolution.evolve import evolve
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.model import DecisionTree
from gatree.weka.folds import stratified_folds

SETTINGS = EvolutionSettings(population_size=30, n_generations=20, seed=5)


def test_counts_equal_those_of_the_tree_on_the_test_rows():
    data = load_dataset("lymph")
    folds = [Fold.of(data, rows, "integer") for rows in stratified_folds(data.classes, 5, seed=1)]
    results = list(cross_validate(data, SETTINGS, 5))
    assert sum(result.n_test for result in results) == data.n_instances
    for fold, result in zip(folds, results, strict=True):
        assert result.outcome.n_instances + result.n_test == data.n_instances
        tree = DecisionTree.of(result.outcome.best, fold.problem.coding, fold.problem.dataset)
        assert result.test_correct == np.count_nonzero(tree.predict(fold.test) == fold.test.classes)
        assert result.outcome.best == evolve(fold.problem, SETTINGS).best


def test_rows_without_a_class_are_not_tested():
    data = load_dataset("zoo")
    classes = data.classes.copy()
    classes[:10] = -1
    results = list(cross_validate(replace(data, classes=classes), SETTINGS, 5))
    assert sum(result.n_test for result in results) == data.n_instances - 10


def test_too_many_folds_are_rejected():
    with pytest.raises(DataError, match="cannot make 200 folds of 101 instances"):
        list(cross_validate(load_dataset("zoo"), SETTINGS, 200))
