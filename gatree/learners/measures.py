"""How good predictions are: the measure that a search optimises, with its standard error.

The measure is a share, for classes and for numbers: what the predictions gain, divided by what is at stake.
A correct row gains its weight, of which its weight is at stake; with costs, a label gains what it saves; a
number gains the squared error of the mean less its own. So the share is the accuracy, the weighted accuracy,
the saved part of the costs, or R2. The standard error is that of a ratio of means.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.trees.numbers import grouped

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Counts = NDArray[np.int64]

_UNEQUAL = 0.6  # the largest share of a class from which accuracy alone says too little


@dataclass(frozen=True)
class Predicted:
    """Predictions for rows of a data set, which may occur more than once."""

    rows: Rows
    given: NDArray[np.int32]  # the class; zeros for numbers
    values: Floats  # the confidence in the class, or the number

    @classmethod
    def of_numbers(cls, rows: Rows, numbers: Floats) -> Predicted:
        """Return predictions of numbers."""
        return cls(rows, np.zeros(len(rows), dtype=np.int32), numbers)

    @classmethod
    def of_classes(cls, rows: Rows, classes: NDArray[Any]) -> Predicted:
        """Return predictions of classes, without a confidence."""
        return cls(rows, classes.astype(np.int32), np.zeros(len(rows)))

    @classmethod
    def joined(cls, parts: list[Predicted]) -> Predicted:
        """Return the predictions of all parts."""
        return cls(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.given for part in parts]),
            np.concatenate([part.values for part in parts]),
        )


@dataclass(frozen=True)
class Judged:
    """How good some predictions are."""

    worth: float  # the measure
    error: float  # its standard error
    n: int  # predictions; rows that were predicted twice count twice
    n_rows: int
    n_correct: int = 0
    recall: Floats | None = None  # [class]
    precision: Floats | None = None
    rmse: float = 0.0
    mae: float = 0.0
    cost: float = 0.0  # the mean of a prediction

    @property
    def accuracy(self) -> float:
        return self.n_correct / self.n if self.n else 0.0

    @property
    def balanced(self) -> float:
        """The mean recall of the classes that occur."""
        return 0.0 if self.recall is None else float(np.nanmean(self.recall))


@dataclass(frozen=True)
class Measure:
    """What is optimised on a data set, and how predictions are judged."""

    dataset: Dataset
    target: Floats | None = None  # the numbers to predict in place of classes
    weights: NDArray[np.int64] | None = None  # [class]: the weight of a correct row
    costs: Floats | None = None  # [class, predicted class]

    @property
    def name(self) -> str:
        """The name of the measure."""
        if self.target is not None:
            return "R2"
        if self.costs is not None:
            return "saved costs"
        return "accuracy" if self.weights is None else "weighted accuracy"

    @property
    def terms(self) -> str:
        """What no other tree has more of where that is proven."""
        return {
            "R2": "explains more of the variance of the training data",
            "saved costs": "saves more of the costs of the training data",
            "accuracy": "gets more of the training data right",
            "weighted accuracy": "gets more of the training data right, by the weights of the classes",
        }[self.name]

    @property
    def is_plain(self) -> bool:
        """Whether the measure is the accuracy or R2, without weights and costs."""
        return self.weights is None and self.costs is None

    @property
    def shows_classes(self) -> bool:
        """Whether accuracy alone says too little: the classes are unequal, or have weights or costs."""
        if self.target is not None:
            return False
        counts = self.dataset.class_counts
        return not self.is_plain or float(counts.max()) > _UNEQUAL * float(counts.sum())

    @cached_property
    def _unit(self) -> float:
        """The divisor of numbers, so that their squares do not overflow."""
        assert self.target is not None
        return float(np.abs(self.target).max(initial=0.0)) or 1.0

    @cached_property
    def _centred(self) -> Floats:
        assert self.target is not None
        scaled = self.target / self._unit
        return np.asarray(scaled - scaled.mean())

    @cached_property
    def gains(self) -> Floats:
        """[class, predicted class]: what a prediction gains."""
        if self.costs is not None:
            return np.asarray(self.costs.max(axis=1, keepdims=True) - self.costs)
        n = self.dataset.n_classes
        weights = np.ones(n) if self.weights is None else self.weights.astype(np.float64)
        return np.diag(weights / (weights.max() or 1.0))

    def _gained(self, predicted: Predicted) -> tuple[Floats, Floats]:
        """Return what every prediction gains, and what is at stake."""
        rows = predicted.rows
        if self.target is not None:
            actual = self._centred[rows]
            missed = (self.target[rows] - predicted.values) / self._unit
            return actual**2 - missed**2, actual**2
        classes, gains = self.dataset.classes[rows], self.gains
        known = predicted.given >= 0  # a class may be refused
        gained = np.where(known, gains[classes, np.maximum(predicted.given, 0)], 0.0)
        return gained, gains.max(axis=1)[classes]

    def worth(self, predicted: Predicted) -> float:
        """Return the measure of predictions."""
        gained, stake = self._gained(predicted)
        total = float(stake.sum())
        return float(gained.sum()) / total if total else 0.0

    def judged(self, predicted: Predicted) -> Judged:
        """Return how good predictions are."""
        gained, stake = self._gained(predicted)
        times = np.bincount(predicted.rows)
        rows = np.flatnonzero(times)
        gained = np.bincount(predicted.rows, gained)[rows] / times[rows]
        stake = np.bincount(predicted.rows, stake)[rows] / times[rows]
        mean = float(stake.mean()) if len(rows) else 0.0
        worth = float(gained.mean()) / mean if mean else 0.0
        spread = float(np.sqrt(((gained - worth * stake) ** 2).mean())) if len(rows) else 0.0
        error = spread / mean / float(np.sqrt(len(rows))) if mean else 0.0
        if self.target is None:
            classes, known = self.dataset.classes[predicted.rows], predicted.given >= 0
            n_classes = self.dataset.n_classes
            confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
            np.add.at(confusion, (classes[known], predicted.given[known]), 1)
            more = self._of_confusion(confusion, np.bincount(classes, minlength=n_classes))
        else:
            missed = (self.target[predicted.rows] - predicted.values) / self._unit
            rmse, mae = float(np.sqrt((missed**2).mean())), float(np.abs(missed).mean())
            more = {"rmse": rmse * self._unit, "mae": mae * self._unit}
        return Judged(worth, error, len(predicted.rows), len(rows), **more)

    def text(self, judged: Judged) -> str:
        """Return the errors of numbers, what costs remain, or how many predictions are correct."""
        if self.target is not None:
            rmse, mae = grouped(judged.rmse, 5), grouped(judged.mae, 5)
            return f"errors: root mean square {rmse}, mean absolute {mae}"
        if self.costs is not None:
            return f"a mean cost of {grouped(judged.cost, 5)}"
        return f"{judged.n_correct:,} of {judged.n:,}"

    def _of_confusion(self, confusion: Counts, n_of_class: NDArray[np.intp]) -> dict[str, Any]:
        """Return what `Judged` has for classes only."""
        right, n = np.diag(confusion), int(confusion.sum())
        with np.errstate(invalid="ignore"):
            recall, precision = right / n_of_class, right / confusion.sum(axis=0)
        cost = float((confusion * self.costs).sum()) / n if self.costs is not None and n else 0.0
        return {"n_correct": int(right.sum()), "recall": recall, "precision": precision, "cost": cost}
