"""A tree that a method has built, and how good it is on data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.answer import Numbers
from gatree.data.dataset import Dataset

Floats = NDArray[np.float64]


class Hits(NamedTuple):
    """On how many instances a tree was tried, those without a class left out, and how many it got right."""

    n_instances: int
    n_correct: int


class Errors(NamedTuple):
    """On how many instances a tree was tried, those without a number left out, and how far off it was."""

    n_instances: int
    r2: float  # 1 for instances that all have the same number, if it predicts that, else 0
    rmse: float
    mae: float


class Fitted(NamedTuple):
    """A tree that was built: its nodes, its leaves, and the class or number that it gives every row."""

    size: int
    leaves: int
    predict: Callable[[Dataset], NDArray[Any]]

    def judge(self, data: Dataset) -> Hits | Errors:
        """Return how good the predictions for data are."""
        answer = data.answer
        given = self.predict(data)[answer.known]
        if isinstance(answer, Numbers):
            return _errors(given, answer.values[answer.known])
        return Hits(len(given), int(np.count_nonzero(given == answer.codes[answer.known])))


def _errors(given: Floats, actual: Floats) -> Errors:
    unit = float(np.abs(actual).max(initial=0.0)) or 1.0  # so that no square overflows
    missed = (given - actual) / unit
    around = actual / unit - np.mean(actual / unit)
    error, variance = float(np.mean(missed**2)), float(np.mean(around**2))
    r2 = 1 - error / variance if variance else float(error == 0)
    return Errors(len(actual), r2, unit * float(np.sqrt(error)), unit * float(np.mean(np.abs(missed))))
