"""Search the two fronts of a data set: greedy trees alone, and trees evolved from them.

Evolved trees are more accurate on the training data at every size, and the result is one of them. Greedy
trees indicate equally well which size the data support.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gatree.data.cases import Cases
from gatree.front.archive import Archive, make_archive
from gatree.front.bench import Bench, make_bench
from gatree.front.prune import Goal
from gatree.front.room import Draft
from gatree.front.search import N_UNIFORMS, Course, search
from gatree.front.settings import FrontSettings
from gatree.front.trial import Trial

_PARENTS_UP_TO = 128  # maximum number of leaves of parents
_SMALL = 500  # up to this number of samples the cross-validation has twice the folds


class Fronts(NamedTuple):
    """The greedy and the evolved front of the same instances."""

    greedy: Archive
    evolved: Archive


@dataclass(frozen=True)
class Effort:
    """The effort for a tree: the number of cross-validations, and the work of each search."""

    n_folds: int
    n_repeats: int
    most_offspring: int
    work: float

    @property
    def n_searches(self) -> int:
        """The number of searches for one tree: one per fold, and one on all data."""
        return 1 + self.n_folds * self.n_repeats

    @classmethod
    def of(cls, settings: FrontSettings, n_samples: int) -> Effort:
        """Return the effort for a data set; for a given size, a single search gets all of it."""
        is_small = n_samples <= _SMALL
        n_folds = min(settings.n_folds * (2 if is_small else 1), n_samples)
        if settings.size != "auto" or n_folds < 2:
            searches = 1 + settings.n_folds
            return cls(0, 0, searches * settings.most_offspring, settings.work)
        n_repeats = max(1, min(settings.most_repeats, _SMALL // n_samples))
        return cls(n_folds, n_repeats, settings.most_offspring, settings.work / (1 + n_folds * n_repeats))


NO_TREES: Draft = np.zeros((3, 0), dtype=np.int32)


def search_fronts(
    cases: Cases,
    goal: Goal,
    settings: FrontSettings,
    effort: Effort,
    seed: int,
    trial: Trial,
    initial: Draft = NO_TREES,
    then: Callable[[Bench, Archive], None] | None = None,
) -> Fronts:
    """Return both fronts, evaluated by ``trial``; the evolved one also starts from the initial trees.

    ``then`` is called with the workspace of the search and the evolved front.
    """
    most_leaves = settings.max_leaves
    bench = make_bench(cases, goal, most_leaves, initial.shape[1])
    fronts = Fronts(make_archive(most_leaves), make_archive(most_leaves))
    sizes = fronts.evolved.rungs["size"]
    polished = [size for size in settings.polished if size <= most_leaves]
    course = Course(
        greedy_start=settings.greedy_start,
        polished=np.unique(np.searchsorted(sizes, polished)).astype(np.int64),
        n_parents=int(np.searchsorted(sizes, _PARENTS_UP_TO, side="right")),
        uniforms=np.random.default_rng(seed).random((effort.most_offspring, N_UNIFORMS)),
        work=int(effort.work),
        initial=initial,
    )
    search(bench, fronts.greedy, fronts.evolved, course, trial)
    if then is not None:
        then(bench, fronts.evolved)
    return fronts
