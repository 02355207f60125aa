"""How good predictions are: the measure that a search optimises, with its standard error.

The measure is a share, for classes and for numbers: what the predictions gain, divided by what is at stake.
A correct row gains its weight, of which its weight is at stake; with costs, a label gains what it saves; a
number gains the squared error of the mean less its own. So the share is the accuracy, the weighted accuracy,
the saved part of the costs, or R2. The standard error is that of a ratio of means.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.data.answer import Numbers
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal
from gatree.trees.numbers import grouped
from gatree.trees.scores import Scores

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
    scores: Scores | None = None  # of the class probabilities, where a tree gave them

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
        """Return the predictions of all parts, with the mean of their scores."""
        scores = [part.scores for part in parts if part.scores is not None]
        return cls(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.given for part in parts]),
            np.concatenate([part.values for part in parts]),
            Scores.mean(scores) if len(scores) == len(parts) else None,
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
    scores: Scores | None = None  # of the class probabilities, where a tree gave them

    @property
    def of_probabilities(self) -> dict[str, Any]:
        """How good probabilities are, where there are any, for JSON."""
        return {} if self.scores is None else self.scores.fields

    @property
    def accuracy(self) -> float:
        return self.n_correct / self.n if self.n else 0.0

    @property
    def balanced(self) -> float:
        """The mean recall of the classes that occur."""
        return 0.0 if self.recall is None else float(np.nanmean(self.recall))


@dataclass(frozen=True)
class Measure(ABC):
    """What is optimised on a data set, and how predictions are judged."""

    dataset: Dataset

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the measure."""

    @property
    @abstractmethod
    def terms(self) -> str:
        """What no other tree has more of where that is proven."""

    @property
    def is_plain(self) -> bool:
        """Whether the measure is the accuracy or R2, without weights and costs."""
        return True

    @property
    def shows_classes(self) -> bool:
        """Whether accuracy alone says too little: the classes are unequal, or have weights or costs."""
        return False

    @property
    def gains(self) -> Floats | None:
        """[class, predicted class]: what a prediction gains, unless the measure is plain."""
        return None

    @abstractmethod
    def text(self, judged: Judged) -> str:
        """Return the errors of numbers, what costs remain, or how many predictions are correct."""

    @abstractmethod
    def lost_text(self, lost: float) -> str:
        """Return a loss of the measure, in points if it is a share."""

    @abstractmethod
    def fields(self, judged: Judged) -> dict[str, Any]:
        """Return how good predictions are, for JSON."""

    @abstractmethod
    def _gained(self, predicted: Predicted) -> tuple[Floats, Floats]:
        """Return what every prediction gains, and what is at stake."""

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
        return Judged(worth, error, len(predicted.rows), len(rows), scores=predicted.scores)


@dataclass(frozen=True)
class ClassMeasure(Measure):
    """The accuracy, the weighted accuracy, or the saved part of the costs."""

    goal: Goal

    @property
    def name(self) -> str:
        if self.goal.costs is not None:
            return "saved costs"
        return "weighted accuracy" if self.goal.is_weighted else "accuracy"

    @property
    def terms(self) -> str:
        if self.goal.costs is not None:
            return "saves more of the costs of the training data"
        more = "gets more of the training data right"
        return f"{more}, by the weights of the classes" if self.goal.is_weighted else more

    @property
    def is_plain(self) -> bool:
        return self.goal.is_plain

    @property
    def shows_classes(self) -> bool:
        counts = self.dataset.class_counts
        return not self.is_plain or float(counts.max()) > _UNEQUAL * float(counts.sum())

    @property
    def gains(self) -> Floats | None:
        return None if self.is_plain else self._gains

    @cached_property
    def _gains(self) -> Floats:
        if self.goal.gains is not None:
            return self.goal.gains.astype(np.float64)
        weights = self.goal.class_weights
        return np.diag(weights / (weights.max() or 1))

    def _gained(self, predicted: Predicted) -> tuple[Floats, Floats]:
        classes, gains = self.dataset.classes[predicted.rows], self._gains
        known = predicted.given >= 0  # a class may be refused
        gained = np.where(known, gains[classes, np.maximum(predicted.given, 0)], 0.0)
        return gained, gains.max(axis=1)[classes]

    def judged(self, predicted: Predicted) -> Judged:
        classes, known = self.dataset.classes[predicted.rows], predicted.given >= 0
        n_classes = self.dataset.n_classes
        confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
        np.add.at(confusion, (classes[known], predicted.given[known]), 1)
        right, n = np.diag(confusion), int(confusion.sum())
        with np.errstate(invalid="ignore"):
            recall = right / np.bincount(classes, minlength=n_classes)
            precision = right / confusion.sum(axis=0)
        costs = self.goal.costs
        cost = 0.0 if costs is None or n == 0 else float((confusion * costs).sum()) / n
        judged = super().judged(predicted)
        return replace(judged, n_correct=int(right.sum()), recall=recall, precision=precision, cost=cost)

    def text(self, judged: Judged) -> str:
        if self.goal.costs is not None:
            return f"a mean cost of {grouped(judged.cost, 5)}"
        return f"{judged.n_correct:,} of {judged.n:,}"

    def lost_text(self, lost: float) -> str:
        return f"{100 * lost:.1f} points"

    def fields(self, judged: Judged) -> dict[str, Any]:
        fields = {"accuracy": judged.accuracy, "n_correct": judged.n_correct, **judged.of_probabilities}
        if self.shows_classes:
            fields["balanced_accuracy"] = judged.balanced
        if self.goal.costs is not None:
            fields |= {"saved_costs": judged.worth, "mean_cost": judged.cost}
        elif self.goal.is_weighted:
            fields["weighted_accuracy"] = judged.worth
        return fields


@dataclass(frozen=True)
class NumberMeasure(Measure):
    """R2, the share of the squared error of the mean that predictions explain."""

    @property
    def name(self) -> str:
        return "R2"

    @property
    def terms(self) -> str:
        return "explains more of the variance of the training data"

    @property
    def _numbers(self) -> Floats:
        assert isinstance(self.dataset.answer, Numbers)
        return self.dataset.answer.values

    @cached_property
    def _unit(self) -> float:
        """The divisor of numbers, so that their squares do not overflow."""
        return float(np.abs(self._numbers).max(initial=0.0)) or 1.0

    @cached_property
    def _centred(self) -> Floats:
        scaled = self._numbers / self._unit
        return np.asarray(scaled - scaled.mean())

    def _missed(self, predicted: Predicted) -> Floats:
        return (self._numbers[predicted.rows] - predicted.values) / self._unit

    def _gained(self, predicted: Predicted) -> tuple[Floats, Floats]:
        actual, missed = self._centred[predicted.rows], self._missed(predicted)
        return actual**2 - missed**2, actual**2

    def worth(self, predicted: Predicted) -> float:
        """Return R2; for numbers that are all the same it is 1 if they are predicted, else 0."""
        error = float(np.mean(self._missed(predicted) ** 2))
        variance = float(np.mean(self._centred[predicted.rows] ** 2))
        return 1 - error / variance if variance else float(error == 0)

    def judged(self, predicted: Predicted) -> Judged:
        missed = self._missed(predicted)
        return replace(
            super().judged(predicted),
            worth=self.worth(predicted),
            rmse=self._unit * float(np.sqrt(np.mean(missed**2))),
            mae=self._unit * float(np.mean(np.abs(missed))),
        )

    def text(self, judged: Judged) -> str:
        rmse, mae = grouped(judged.rmse, 5), grouped(judged.mae, 5)
        return f"errors: root mean square {rmse}, mean absolute {mae}"

    def lost_text(self, lost: float) -> str:
        return f"{lost:.4f} of R2"

    def fields(self, judged: Judged) -> dict[str, Any]:
        return {"r2": judged.worth, "rmse": judged.rmse, "mae": judged.mae}


def measure_of(dataset: Dataset, goal: Goal | None = None) -> Measure:
    """Return the measure of a data set with a goal; by default all classes are worth the same."""
    if isinstance(dataset.answer, Numbers):
        return NumberMeasure(dataset)
    return ClassMeasure(dataset, goal or Goal.of(dataset))
