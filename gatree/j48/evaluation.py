"""Evaluate a tree on instances: WEKA's measures, and its table of them.

Instances that the tree cannot classify count as errors in the accuracy. The measures by class ignore them,
except for the ROC area, where all their classes have probability 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import visible
from gatree.data.dataset import Dataset
from gatree.j48.tables import Floats
from gatree.j48.tree import J48Tree, decimals, most_probable
from gatree.trees.model import DecisionTree
from gatree.trees.probabilities import class_probabilities


@dataclass(frozen=True)
class ClassMeasures:
    """The measures of one class against all others."""

    tp_rate: float
    fp_rate: float
    precision: float
    f_measure: float
    roc_area: float  # NaN if all instances, or none, are of the class

    @property
    def recall(self) -> float:
        return self.tp_rate


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The classification of instances with a known class."""

    classes: NDArray[np.int32]  # the true ones
    probabilities: Floats  # [instance, class], as `J48Tree.distribution` returns them

    @cached_property
    def confusion(self) -> NDArray[np.int64]:
        """Instances by true class (row) and predicted class (column)."""
        n_classes = self.probabilities.shape[1]
        confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
        predicted = most_probable(self.probabilities)
        known = predicted >= 0
        np.add.at(confusion, (self.classes[known], predicted[known]), 1)
        return confusion

    @property
    def n_unclassified(self) -> int:
        """The number of instances that the tree could not classify."""
        return self.n_instances - int(self.confusion.sum())

    @property
    def n_correct(self) -> int:
        return int(np.trace(self.confusion))

    @property
    def n_instances(self) -> int:
        """The number of instances with a known class."""
        return len(self.classes)

    @property
    def accuracy(self) -> float:
        return self.n_correct / self.n_instances if self.n_instances else float("nan")

    @property
    def kappa(self) -> float:
        """Cohen's kappa: the agreement with the true classes beyond chance."""
        total = int(self.confusion.sum())
        if total == 0:
            return float("nan")
        by_chance = float(self.confusion.sum(axis=1) @ self.confusion.sum(axis=0)) / (total * total)
        return (self.n_correct / total - by_chance) / (1 - by_chance) if by_chance < 1 else 1.0

    def by_class(self) -> list[ClassMeasures]:
        """Return the measures of every class."""
        return [self._measures(label) for label in range(len(self.confusion))]

    def weighted(self) -> ClassMeasures:
        """Return the means over the classes, weighted by their numbers of instances."""
        weights, measures = self.confusion.sum(axis=1), self.by_class()

        def mean(name: str) -> float:
            values = np.array([getattr(measure, name) for measure in measures])
            return _ratio(float(np.nansum(values * weights)), int(weights.sum()))

        return ClassMeasures(**{name: mean(name) for name in ClassMeasures.__dataclass_fields__})

    def _measures(self, label: int) -> ClassMeasures:
        right, row, column = self.confusion[label, label], self.confusion[label], self.confusion[:, label]
        others = int(self.confusion.sum() - row.sum())
        recall, precision = _ratio(right, row.sum()), _ratio(right, column.sum())
        return ClassMeasures(
            tp_rate=recall,
            fp_rate=_ratio(column.sum() - right, others),
            precision=precision,
            f_measure=_ratio(2 * precision * recall, precision + recall),
            roc_area=_roc_area(self.probabilities[:, label], self.classes == label),
        )


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else 0.0


def _roc_area(scores: Floats, is_positive: NDArray[np.bool_]) -> float:
    """Return how often an instance of the class scores higher than another one; ties count as half."""
    n_positive = int(np.count_nonzero(is_positive))
    n_negative = len(scores) - n_positive
    if n_positive == 0 or n_negative == 0:
        return float("nan")
    negative = np.sort(scores[~is_positive])
    below = np.searchsorted(negative, scores[is_positive], side="left")
    not_above = np.searchsorted(negative, scores[is_positive], side="right")
    return float((below + not_above).sum()) / 2 / (n_positive * n_negative)


def evaluate(tree: J48Tree, dataset: Dataset) -> Evaluation:
    """Classify the instances of a data set that have a class, and return their evaluation."""
    has_class = dataset.classes >= 0
    return Evaluation(dataset.classes[has_class], tree.distribution(dataset)[has_class])


def evaluated(tree: DecisionTree, dataset: Dataset, predicted: Any, actual: Any) -> Evaluation:
    """Return how a tree does on the instances with a class, by the classes that it predicts."""
    judged = np.flatnonzero(actual >= 0)
    shares = class_probabilities(tree, dataset)[judged]
    shares[np.arange(len(judged)), predicted[judged]] += 1  # whatever most training rows are of
    return Evaluation(actual[judged].astype(np.int32), shares / 2)


def pooled(evaluations: Sequence[Evaluation]) -> Evaluation:
    """Return one evaluation of the instances of several."""
    return Evaluation(
        np.concatenate([one.classes for one in evaluations]),
        np.concatenate([one.probabilities for one in evaluations]),
    )


_HEAD = "               TP Rate   FP Rate   Precision   Recall  F-Measure   ROC Area  Class"
_WIDTH, _DECIMALS = 7, 3


def details_by_class(evaluation: Evaluation, class_values: tuple[str, ...]) -> list[str]:
    """Return the lines of WEKA's table "Detailed Accuracy By Class", the weighted means last."""
    rows = zip(evaluation.by_class(), class_values, strict=True)
    lines = [f"{' ' * 15}{_cells(measures)}    {visible(name)}" for measures, name in rows]
    return [_HEAD, *lines, f"Weighted Avg.  {_cells(evaluation.weighted())}"]


def _cells(measures: ClassMeasures) -> str:
    area = "  ?    " if math.isnan(measures.roc_area) else aligned(measures.roc_area)
    first = f"{aligned(measures.tp_rate)}   {aligned(measures.fp_rate)}    {aligned(measures.precision)}"
    return f"{first}   {aligned(measures.recall)}   {aligned(measures.f_measure)}    {area}"


def details(folds: Sequence[Evaluation], class_values: tuple[str, ...]) -> list[str]:
    """Return the figures by class and the confusion matrix of a cross-validation, as lines."""
    crossed = pooled(folds)
    return [*details_by_class(crossed, class_values), "", *_confusion_matrix(crossed, class_values)]


def _confusion_matrix(evaluation: Evaluation, class_values: tuple[str, ...]) -> list[str]:
    """Return the lines of the confusion matrix, the true classes in rows."""
    letters = [_letters(index) for index in range(len(class_values))]
    cells = [letters, *([str(count) for count in row] for row in evaluation.confusion)]
    width = max(len(cell) for row in cells for cell in row) + 1
    head, *rows = ("".join(cell.rjust(width) for cell in row) for row in cells)
    named = zip(rows, letters, map(visible, class_values), strict=True)
    return [f"{head}   <- classified as", *(f"{row} | {letter} = {value}" for row, letter, value in named)]


def _letters(index: int) -> str:
    """Return a, b, ..., z, aa, ab, ..."""
    rest, last = divmod(index, 26)
    return (_letters(rest - 1) if rest else "") + ascii_lowercase[last]


def aligned(value: float) -> str:
    """Return a number with up to three decimals, aligned at the decimal point."""
    before, _, after = decimals(value, _DECIMALS).partition(".")
    point = "." if after else " "
    return f"{before.rjust(_WIDTH - _DECIMALS - 1)}{point}{after.ljust(_DECIMALS)}"
