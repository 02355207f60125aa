"""Compare first tests: for each of the best attributes at the root, the best tree found below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.front.fit import fit_front, fit_regression
from gatree.front.front import Front, RegressionFront
from gatree.front.settings import FrontSettings

_MOST = 20


@dataclass(frozen=True, eq=False)
class FirstTest:
    """An attribute at the root, and the best trees of every size with it."""

    attribute: str
    front: Front | RegressionFront

    @property
    def worth(self) -> float:
        """The accuracy or R2 of the largest tree."""
        shares = self.front.accuracy if isinstance(self.front, Front) else self.front.r2
        return float(shares[-1])


def first_tests(
    dataset: Dataset,
    settings: FrontSettings,
    size: int,
    target: NDArray[np.float64] | None = None,
    most: int = _MOST,
) -> list[FirstTest]:
    """Return the attributes with the best first tests, the best tree of at most ``size`` leaves first.

    ``most`` attributes are chosen by the purity (for numbers: the explained error) of a single test. Each
    gets its share of the work of one fit. Attributes without a test are left out.
    """
    known = np.flatnonzero(dataset.classes >= 0 if target is None else ~np.isnan(target))
    dataset, target = dataset.take(known), None if target is None else target[known]
    chosen = sorted(_worths(dataset, settings, target), reverse=True)[:most]
    share = replace(settings, size=max(2, size), n_folds=0, work=settings.work / max(1, len(chosen)))
    found = []
    for _, _, position in chosen:
        name = dataset.attributes[position].name
        try:
            if target is None:
                front: Front | RegressionFront = fit_front(dataset, replace(share, first=name)).fronts[
                    "evolved"
                ]
            else:
                front = fit_regression(dataset, target, replace(share, first=name)).fronts["evolved"]
        except DataError:
            continue
        found.append(FirstTest(name, front))
    return sorted(found, key=lambda test: -test.worth)


def _worths(
    dataset: Dataset, settings: FrontSettings, target: NDArray[np.float64] | None
) -> Iterator[tuple[float, int, int]]:
    """Yield what every attribute's best test is worth, its position negated for ties, and its position."""
    coding = code(dataset, settings.numeric_tests, settings.max_thresholds)
    codes = coding.encode(dataset.columns, dataset.n_instances)
    if target is None:
        added = np.eye(dataset.n_classes)[dataset.classes]
    else:
        added = np.column_stack([np.ones(len(target)), (target - target.mean()) / (target.std() or 1.0)])
    for position, n_tests in enumerate(coding.n_tests.tolist()):
        if n_tests == 0:
            continue
        of_code = np.stack(
            [np.bincount(codes[position], weights=column, minlength=n_tests + 1) for column in added.T],
            axis=1,
        )
        total = of_code.sum(axis=0)
        passing = np.asarray(
            np.cumsum(of_code, axis=0) if coding.is_numeric[position] else of_code, dtype=np.float64
        )
        worth = _worth(passing[:n_tests], target is None) + _worth(total - passing[:n_tests], target is None)
        yield float(worth.max()), -position, position


def _worth(sums: NDArray[np.float64], are_classes: bool) -> NDArray[np.float64]:
    """Return the purity of sets by their class counts, or what they explain by their counts and sums."""
    n = np.maximum(1.0, sums.sum(axis=1) if are_classes else sums[:, 0])
    squares = sums**2 if are_classes else sums[:, 1:] ** 2
    return np.asarray(squares.sum(axis=1) / n)
