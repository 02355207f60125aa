"""Baselines of `gatree evolve`: J48 and the majority class, on the folds of its cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import click
import numpy as np

from gatree.base.errors import DataError, visible
from gatree.data.dataset import Dataset
from gatree.j48 import evaluate, fit
from gatree.j48.classifier import briefly
from gatree.weka.folds import stratified_folds


class Baseline(NamedTuple):
    """Accuracy and size of another classifier in the cross-validation."""

    name: str
    accuracy: float
    n_nodes: float  # the mean over the folds


def baselines_on(dataset: Dataset, n_folds: int, seed: int = 1) -> list[Baseline]:
    """Return the baselines on the folds of `gatree.evolution.cross_validation.cross_validate`."""
    folds = [
        (dataset.take(train), dataset.take(test))
        for train, test in stratified_folds(dataset.classes, n_folds, seed)
    ]
    majority = Baseline("majority", _share([_majority_correct(*fold) for fold in folds]), 1.0)
    if dataset.n_classes < 2:
        return [majority]
    try:
        with briefly(dataset, n_folds):
            return [_j48(folds), majority]
    except DataError as error:  # the tree that it would stand beside is there, and worth showing
        click.echo(f"note: there is no J48 to compare with: {visible(str(error))}", err=True)
        return [majority]


def _j48(folds: Sequence[tuple[Dataset, Dataset]]) -> Baseline:
    trees = [fit(train) for train, _ in folds]
    evaluations = [evaluate(tree, test) for tree, (_, test) in zip(trees, folds, strict=True)]
    right = [(evaluation.n_correct, evaluation.n_instances) for evaluation in evaluations]
    return Baseline("J48", _share(right), float(np.mean([tree.size for tree in trees])))


def _majority_correct(train: Dataset, test: Dataset) -> tuple[int, int]:
    """Return how many test instances have the class that most training instances have, and of how many."""
    counts = test.class_counts
    return int(counts[np.argmax(train.class_counts)]), int(counts.sum())


def _share(right: list[tuple[int, int]]) -> float:
    return sum(n_correct for n_correct, _ in right) / sum(n for _, n in right)
