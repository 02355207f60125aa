"""The best tree that an experiment has found on each data set, read back from the journal.

A journal keeps a tree as numbers that only mean something beside the data. The data are loaded by name,
and a tree is shown only if it classifies as many instances correctly as was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.coding import NumericTests, code
from gatree.data.dataset import Dataset
from gatree.errors import DataError
from gatree.experiments.record import Record
from gatree.report.best_records import best_records, training_accuracy
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree


@dataclass(frozen=True)
class BestTree:
    """The best tree on a data set, or why it cannot be shown."""

    dataset: str
    record: Record
    tree: DecisionTree | None
    data: Dataset | None = None
    why_not: str = ""

    @property
    def accuracy(self) -> float:
        return training_accuracy(self.record["outcome"])

    @property
    def is_weighted(self) -> bool:
        return "total_weight" in self.record["outcome"]


def best_trees(records: Iterable[Record]) -> list[BestTree]:
    """Return the best tree per data set, of those that were evolved on all its instances.

    The best one has the highest payoff (Eq. 1) with an x-factor of 10^4, whatever it was evolved with.
    """
    return [_read_back(name, record) for name, record in best_records(records).items()]


def _read_back(name: str, record: Record) -> BestTree:
    if name not in dataset_names():
        return BestTree(name, record, None, why_not="Its data are not among those that come with gatree.")
    data = load_dataset(name)
    tree = _matching_tree(data, record["outcome"])
    why_not = "" if tree else "The data have changed since the tree was evolved."
    return BestTree(name, record, tree, data, why_not)


def _matching_tree(dataset: Dataset, outcome: Record) -> DecisionTree | None:
    """Return the recorded tree, with the thresholds that give the recorded number of correct instances."""
    for numeric_tests in get_args(NumericTests):
        try:
            genome = Tree.from_preorder(outcome["best"]["attribute"], outcome["best"]["value"])
            model = DecisionTree.of(genome, code(dataset, numeric_tests), dataset)
        except DataError:  # no tree at all, or one of other tests and classes
            continue
        if _n_correct(model, dataset, outcome.get("class_weight")) == outcome["n_correct"]:
            return model
    return None


def _n_correct(model: DecisionTree, dataset: Dataset, class_weight: Sequence[int] | None) -> int:
    """Count the correct instances as the evolution did: by the weights of their classes, if there are any."""
    right = dataset.classes[model.predict(dataset) == dataset.classes]
    if class_weight is None:
        return len(right)
    counts = np.bincount(right, minlength=dataset.n_classes)
    return sum(count * weight for count, weight in zip(counts.tolist(), class_weight, strict=False))
