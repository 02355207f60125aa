"""Compare first tests: for each of the best attributes at the root, the best tree found below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gatree.base.background import in_threads
from gatree.base.progress import SILENT, Listener
from gatree.data.answer import Classes
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal
from gatree.smalltree.fit import front_of, search_prepared
from gatree.smalltree.front import Front
from gatree.smalltree.prepare import Prepared, known, prepare, sampled
from gatree.smalltree.settings import SearchSettings

OTHER_FIRSTS = "other first tests"
"""What is being done, as listeners are notified of it."""

_MOST = 20


@dataclass(frozen=True, eq=False)
class FirstTest:
    """An attribute at the root, and the best trees of every size with it."""

    attribute: str
    front: Front

    @property
    def worth(self) -> float:
        """The accuracy or R2 of the largest tree on the rows that are searched."""
        return float(self.front.worth[-1])


def first_tests(
    dataset: Dataset,
    settings: SearchSettings,
    size: int,
    most: int = _MOST,
    listener: Listener = SILENT,
) -> list[FirstTest]:
    """Return the attributes with the best first tests, the best tree of at most ``size`` leaves first.

    ``most`` attributes are chosen by the purity (for numbers: the explained error) of a single test. Each
    gets its share of the work of one fit. Attributes without a test are left out. The listener is notified
    after every attribute.
    """
    share = replace(settings, first=None, size=max(2, size), n_folds=0)
    given, goal = known(dataset, Goal.of(dataset))
    prepared = prepare(given, share, goal)
    few, samples, _ = sampled(prepared.rows, prepared.samples, share.seed)
    prepared = replace(prepared, rows=few, samples=samples)  # large data are not counted once per attribute
    chosen = sorted(_worths(prepared), reverse=True)[:most]
    share = replace(share, work=share.work / max(1, len(chosen)))

    def search(position: int) -> FirstTest:
        found = search_prepared(prepared.with_first(position), share)
        front = front_of(prepared, found.archives[1], found.choice.shrinkage)
        return FirstTest(given.attributes[position].name, front)

    tests = []
    for done, test in enumerate(in_threads(search, [position for *_, position in chosen], settings.n_jobs)):
        tests.append(test)
        listener.progress(OTHER_FIRSTS, 1 + done, len(chosen))
    return sorted(tests, key=lambda test: -test.worth)


def _worths(prepared: Prepared) -> Iterator[tuple[float, int, int]]:
    """Yield what every attribute's best test is worth, its position negated for ties, and its position."""
    coding, answer = prepared.coding, prepared.given.answer
    are_classes = isinstance(answer, Classes)
    if isinstance(answer, Classes):
        added = np.eye(len(answer.counts))[answer.codes]
    else:
        scaled = (answer.values - answer.values.mean()) / (answer.values.std() or 1.0)
        added = np.column_stack([np.ones(len(scaled)), scaled])
    for position, n_tests in enumerate(coding.n_tests.tolist()):
        codes = prepared.codes[position]
        if n_tests == 0 or (codes == codes[0]).all():
            continue
        of_code = np.stack(
            [np.bincount(codes, weights=column, minlength=n_tests + 1) for column in added.T], axis=1
        )
        total = of_code.sum(axis=0)
        passing = np.asarray(
            np.cumsum(of_code, axis=0) if coding.is_numeric[position] else of_code, dtype=np.float64
        )
        worth = _worth(passing[:n_tests], are_classes) + _worth(total - passing[:n_tests], are_classes)
        yield float(worth.max()), -position, position


def _worth(sums: NDArray[np.float64], are_classes: bool) -> NDArray[np.float64]:
    """Return the purity of sets by their class counts, or what they explain by their counts and sums."""
    n = np.maximum(1.0, sums.sum(axis=1) if are_classes else sums[:, 0])
    squares = sums**2 if are_classes else sums[:, 1:] ** 2
    return np.asarray(squares.sum(axis=1) / n)
