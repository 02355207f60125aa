"""The two fronts of a data set: greedy trees alone, and what evolution makes of them.

Evolved trees get more of the training data right at every size, and the tree is one of them. Greedy ones tell
which size the data support as well as they do.
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

_PARENTS_UP_TO = 128  # leaves of the trees that are bred from
_SMALL = 500  # samples up to which data are cross-validated with twice the folds


class Fronts(NamedTuple):
    """The greedy and the evolved front of the same instances."""

    greedy: Archive
    evolved: Archive


@dataclass(frozen=True)
class Effort:
    """How much is done for a tree: how often the data are cross-validated, and the work of each search."""

    n_folds: int
    n_repeats: int
    most_offspring: int
    work: float

    @property
    def n_searches(self) -> int:
        """The searches for one tree: one per fold, and the one that finds it."""
        return 1 + self.n_folds * self.n_repeats

    @classmethod
    def of(cls, settings: FrontSettings, n_samples: int) -> Effort:
        """Return the effort for a data set; a size that is given gets all of it in a single search."""
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
    """Return both fronts, tried out; the evolved one begins with the given trees, too.

    ``then`` gets what the search worked with, and the evolved front.
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
