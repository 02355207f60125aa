"""Compare a search with other methods on the same folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.base.progress import OnProgress
from gatree.explore.baselines import fit_cart, fit_cart_of_numbers, fit_j48, fit_majority, fit_mean
from gatree.explore.cross_validation import Folds
from gatree.explore.measures import Judged, Measure, Predicted
from gatree.j48.classifier import interpreted_if_small


@dataclass(frozen=True)
class Baseline:
    """The cross-validation of another method, or why there is none."""

    name: str
    judged: Judged | None = None
    n_leaves: float = 1.0  # the mean over the folds
    why_not: str = ""


_J48_PER_CELL = 400  # steps of J48 that data may take, per cell, in addition to those of the search


def compared(measure: Measure, folds: Folds, work: float, show: OnProgress) -> Iterator[Baseline]:
    """Yield the baselines, judged on the same folds; ``work`` is the number of steps of our own search."""
    dataset, target = measure.dataset, measure.target
    most_work = int(work + _J48_PER_CELL * dataset.n_instances * dataset.n_attributes)
    if target is not None:
        methods: list[tuple[str, Any]] = [("mean", fit_mean), ("CART", fit_cart_of_numbers)]
    else:
        methods = [
            ("majority", lambda data, _: fit_majority(data)),
            ("J48", lambda data, _: fit_j48(data, most_work=most_work)),
            ("CART", lambda data, _: fit_cart(data, limited=True)),
        ]
    for name, method in methods:
        parts, n_leaves = [], []
        try:
            with interpreted_if_small(dataset, len(folds)):
                for done, (train, test) in enumerate(folds.rows(dataset)):
                    show(f"comparison with {name}", done, len(folds))
                    fitted = method(dataset.take(train), None if target is None else target[train])
                    given = fitted.predict(dataset.take(test))
                    parts.append(_predicted(test, given, is_number=target is not None))
                    n_leaves.append(fitted.leaves)
        except DataError as error:
            yield Baseline(name, why_not=str(error))
            continue
        yield Baseline(name, measure.judged(Predicted.joined(parts)), float(np.mean(n_leaves)))


def _predicted(rows: NDArray[np.intp], given: NDArray[Any], is_number: bool) -> Predicted:
    if is_number:
        return Predicted(rows, np.zeros(len(rows), dtype=np.int32), given)
    return Predicted(rows, given.astype(np.int32), np.zeros(len(rows)))
