"""The two fronts of a data set: greedy trees alone, and what evolution makes of them.

Evolved trees get more of the training data right at every size. On noisy data that is not always for the
better, so both fronts stand for choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.front.archive import Archive, load, make_archive
from gatree.front.gaps import Scale, center
from gatree.front.prune import Goal, correct_of
from gatree.front.room import Draft
from gatree.front.search import N_UNIFORMS, Bench, Course, make_bench, search
from gatree.front.settings import FrontSettings
from gatree.front.sweep import class_given
from gatree.jit import jit, lean
from gatree.optimum.cases import Cases

_PARENTS_UP_TO = 128  # leaves of the trees that are bred from
_SMALL = 500  # instances up to which data are cross-validated with twice the folds


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
    def of(cls, settings: FrontSettings, n_instances: int) -> Effort:
        """Return the effort for a data set; a size that is given gets all of it in a single search."""
        is_small = n_instances <= _SMALL
        n_folds = min(settings.n_folds * (2 if is_small else 1), n_instances)
        if settings.size != "auto" or n_folds < 2:
            searches = 1 + settings.n_folds
            return cls(0, 0, searches * settings.most_offspring, settings.work)
        n_repeats = max(1, min(settings.most_repeats, _SMALL // n_instances))
        return cls(n_folds, n_repeats, settings.most_offspring, settings.work / (1 + n_folds * n_repeats))


def search_fronts(cases: Cases, goal: Goal, settings: FrontSettings, effort: Effort, seed: int) -> Fronts:
    """Return both fronts."""
    most_leaves = settings.max_leaves
    bench = make_bench(cases, goal, most_leaves)
    fronts = Fronts(make_archive(most_leaves), make_archive(most_leaves))
    sizes = fronts.evolved.sizes
    polished = [size for size in settings.polished if size <= most_leaves]
    course = Course(
        greedy_start=settings.greedy_start,
        polished=np.unique(np.searchsorted(sizes, polished)).astype(np.int64),
        n_parents=int(np.searchsorted(sizes, _PARENTS_UP_TO, side="right")),
        uniforms=np.random.default_rng(seed).random((effort.most_offspring, N_UNIFORMS)),
        work=int(effort.work),
    )
    search(bench, fronts.greedy, fronts.evolved, course)
    return fronts


@jit
def best_rungs(archive: Archive) -> NDArray[np.int64]:
    """Return for every rung the rung at or below it that gets most right, the smallest of equal ones."""
    best = np.zeros(len(archive.sizes), dtype=np.int64)
    for rung in range(1, len(best)):
        better = correct_of(archive.score[rung]) > correct_of(archive.score[best[rung - 1]])
        best[rung] = rung if better else best[rung - 1]
    return best


@jit
def held_out_hits(
    bench: Bench, archive: Archive, scale: Scale, held_out: Cases, use_gaps: bool
) -> NDArray[np.int64]:
    """Return what the best tree up to every size gets right of the instances that were held out."""
    best = best_rungs(archive)
    hits = np.zeros(len(best), dtype=np.int64)
    for rung in range(len(best)):
        if best[rung] != rung:
            hits[rung] = hits[rung - 1]
            continue
        n_nodes = load(archive, rung, bench.one)
        if use_gaps:
            center(bench.cases, scale, bench.one, n_nodes)
        hits[rung] = _hits(held_out, bench.goal, bench.one)
    return hits


@lean
def _hits(cases: Cases, goal: Goal, draft: Draft) -> int:
    total = 0
    for instance in range(len(cases.classes)):
        label = cases.classes[instance]
        if class_given(cases, draft, 0, instance) == label:
            total += goal.worth[label]
    return total
