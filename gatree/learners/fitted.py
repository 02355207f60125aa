"""A tree that a method has built, and how good it is on data."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.answer import Numbers
from gatree.data.dataset import Dataset
from gatree.learners.measures import Judged, Predicted, measure_of


class Fitted(NamedTuple):
    """A tree that was built: its nodes, its leaves, and the class or number that it gives every row."""

    size: int
    leaves: int
    predict: Callable[[Dataset], NDArray[np.integer | np.floating]]

    def predicted(self, data: Dataset, rows: NDArray[np.intp]) -> Predicted:
        """Return the predictions for data, which are these rows of a data set."""
        given = self.predict(data)
        if isinstance(data.answer, Numbers):
            return Predicted.of_numbers(rows, given.astype(np.float64))
        return Predicted.of_classes(rows, given)

    def judge(self, data: Dataset) -> Judged:
        """Return how good the predictions for data are, rows without a class or number left out."""
        known = np.flatnonzero(data.answer.known)
        if len(known) < data.n_instances:
            data = data.take(known)
        return measure_of(data).judged(self.predicted(data, np.arange(data.n_instances)))
