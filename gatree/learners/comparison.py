"""Other methods on the folds of a cross-validation, next to ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gatree.base.errors import DataError
from gatree.base.progress import Listener
from gatree.learners.cross_validation import Crossed, Folds
from gatree.learners.measures import Judged, Measure, Predicted
from gatree.learners.registry import LEARNERS, Learner, Limits

OURS = "gatree"
"""The name of the whole procedure among other methods."""

_COMPARED = ("majority", "mean", "j48", "cart")
_J48_PER_CELL = 400  # steps of J48 that data may take, per cell, in addition to those of the search
MOST_CELLS_READ = 500_000_000
"""Cells that all other methods may read together: about a minute, but two machines compare the same."""


@dataclass(frozen=True)
class Baseline:
    """The cross-validation of another method or of ours, or why there is none."""

    name: str
    judged: Judged | None = None
    n_leaves: float = 1.0  # the mean over the folds
    why_not: str = ""
    tried_on: str = "on the same folds"


def compared_folds(measure: Measure, folds: Folds) -> Folds:
    """Return the folds on which other methods are tried: of large data one, to stay within the limit."""
    per_fold = sum(_cells_read(measure, folds, method) for method in _methods(measure))
    return folds if per_fold * len(folds) <= MOST_CELLS_READ else replace(folds, only_first=True)


def _methods(measure: Measure) -> list[Learner]:
    answer = measure.dataset.answer
    return [LEARNERS[name] for name in _COMPARED if isinstance(answer, LEARNERS[name].predicts)]


def _cells_read(measure: Measure, folds: Folds, method: Learner) -> int:
    n_rows = measure.dataset.n_instances * (folds.n_folds - 1) // max(1, folds.n_folds)
    return method.cells_read(measure.dataset, n_rows)


def ours(measure: Measure, crossed: Crossed, folds: Folds) -> Baseline:
    """Return the whole procedure as one of the methods that are compared, on the folds of these."""
    name, whole = OURS, crossed.predicted
    if folds == crossed.folds:
        tried_on = "the whole procedure, on the same folds"
        return Baseline(name, crossed.procedure, float(np.mean(crossed.n_leaves)), tried_on=tried_on)
    n = len(next(folds.rows(measure.dataset))[1])
    first = Predicted(whole.rows[:n], whole.given[:n], whole.values[:n])
    tried_on = f"the whole procedure, {folds.text}, so that others read at most {MOST_CELLS_READ:,} cells"
    return Baseline(name, measure.judged(first), float(crossed.n_leaves[0]), tried_on=tried_on)


def baselines(measure: Measure, folds: Folds, work: float, listener: Listener) -> Iterator[Baseline]:
    """Yield other methods, judged on the same folds; ``work`` is the number of steps of our own search."""
    dataset = measure.dataset
    most_steps = int(work + _J48_PER_CELL * dataset.n_instances * dataset.n_attributes)
    for method in _methods(measure):
        n_read = _cells_read(measure, folds, method) * len(folds)
        if n_read > MOST_CELLS_READ:
            why_not = (
                f"{method.label} would read about {n_read:,} cells, and the limit is {MOST_CELLS_READ:,}"
            )
            yield Baseline(method.label, why_not=why_not)
            continue
        try:
            yield _tried(measure, folds, method, Limits(most_steps, is_quick=True), listener)
        except DataError as error:
            yield Baseline(method.label, why_not=str(error))


def _tried(measure: Measure, folds: Folds, method: Learner, limits: Limits, listener: Listener) -> Baseline:
    """Return the cross-validation of a method."""
    dataset, parts, n_leaves = measure.dataset, [], []
    for done, (train, test) in enumerate(folds.rows(dataset)):
        listener.progress(f"comparison with {method.label}", done, len(folds))
        fitted = method(dataset.take(train), limits=limits)
        parts.append(fitted.predicted(dataset.take(test), test))
        n_leaves.append(fitted.leaves)
    return Baseline(method.label, measure.judged(Predicted.joined(parts)), float(np.mean(n_leaves)))
