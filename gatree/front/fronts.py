"""The two fronts of a data set: greedy trees alone, and what evolution makes of them.

Evolved trees get more of the training data right at every size. On noisy data that is not always for the
better, so both fronts stand for choice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.front.archive import Archive, load
from gatree.front.gaps import Scale, center
from gatree.front.grow import GAIN_RATIO, GINI
from gatree.front.prune import Goal
from gatree.front.room import Draft
from gatree.front.search import N_UNIFORMS, Bench, evolve, greedy_front, make_bench, polish
from gatree.front.settings import FrontSettings
from gatree.front.sweep import class_given
from gatree.jit import jit
from gatree.optimum.cases import Cases

_PARENTS_UP_TO = 128  # leaves of the trees that are bred from


class Fronts(NamedTuple):
    """The greedy and the evolved front of the same instances."""

    greedy: Archive
    evolved: Archive


def search_fronts(cases: Cases, goal: Goal, settings: FrontSettings, most_leaves: int, seed: int) -> Fronts:
    """Return both fronts."""
    bench = make_bench(cases, goal, most_leaves)
    greedy = greedy_front(bench, most_leaves, (GINI,))
    evolved = greedy_front(bench, most_leaves, (GINI, GAIN_RATIO))
    sizes = [size for size in settings.polished if size <= most_leaves]
    polish(bench, evolved, np.unique(np.searchsorted(evolved.sizes, sizes)))
    n_parents = int(np.searchsorted(evolved.sizes, _PARENTS_UP_TO, side="right"))
    n_offspring = min(settings.most_offspring, int(settings.work / cases.codes.size))
    evolve(bench, evolved, n_parents, np.random.default_rng(seed).random((n_offspring, N_UNIFORMS)))
    return Fronts(greedy, evolved)


def n_repeats(cases: Cases, settings: FrontSettings) -> int:
    """Return how often the data are cross-validated: small data more than once, in the same time."""
    times = 1.5 * settings.work / (settings.most_offspring * cases.codes.size)
    return max(1, min(settings.most_repeats, int(times)))


@jit
def best_rungs(archive: Archive) -> NDArray[np.int64]:
    """Return for every rung the rung at or below it that gets most right, the smallest of equal ones."""
    best = np.zeros(len(archive.sizes), dtype=np.int64)
    for rung in range(1, len(best)):
        better = archive.correct[rung] > archive.correct[best[rung - 1]]
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


@jit
def _hits(cases: Cases, goal: Goal, draft: Draft) -> int:
    total = 0
    for instance in range(len(cases.classes)):
        label = cases.classes[instance]
        if class_given(cases, draft, 0, instance) == label:
            total += goal.worth[label]
    return total
