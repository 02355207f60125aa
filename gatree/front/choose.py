"""Choose the size of the tree from the training data alone, by cross-validating both fronts.

For every fold, both fronts are searched for on the other folds, and the tree of every size is evaluated on
the fold. Both fronts indicate which size the data support. So the chosen size is the smallest one whose mean
hits, smoothed over the sizes, are within some standard errors of the best. Copies of a sample are held out
together and count as one sample in the standard error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.front.archive import rungs
from gatree.front.fronts import Effort, search_fronts
from gatree.front.gaps import Scale
from gatree.front.prune import Goal, stakes
from gatree.front.settings import FrontSettings
from gatree.front.trial import Trial

Hits = NDArray[np.int64]  # [front, rung]

FRONTS = ("greedy", "evolved")

_SIMILAR = 0.15  # the relative width of the smoothing over sizes
_FEW = 250  # with fewer samples the smoothing is wider, because more of the curve is chance
_TINY = 1e-12


class Task(NamedTuple):
    """The training data, and the goal of the search."""

    cases: Cases
    goal: Goal
    scale: Scale
    sample_of: NDArray[np.integer]  # [instance]: the sample that it is a copy of, numbered from 0 on
    order: NDArray[np.intp]  # [attribute]: where it is in the data set

    @property
    def n_samples(self) -> int:
        """The number of samples, without copies."""
        return int(self.sample_of.max()) + 1

    @property
    def n_effective(self) -> float:
        """The effective sample size: samples of equal weight with the same standard error (Kish, 1965)."""
        weights = np.bincount(self.sample_of, weights=stakes(self.goal)[self.cases.classes])
        return float(weights.sum() ** 2 / (weights**2).sum())


@dataclass(frozen=True)
class Choice:
    """The chosen rung, and the shares of hits in the cross-validation if there was one."""

    rung: int
    shares: NDArray[np.float64] | None = None


OnSearch = Callable[[int, int], None]
"""A callback after every search, with the number of finished searches and the number of searches."""


def ignore_progress(done: int, of: int) -> None:
    """Ignore progress."""


def choose(
    task: Task, settings: FrontSettings, effort: Effort, on_search: OnSearch = ignore_progress
) -> Choice:
    """Return the size that cross-validation prefers, or a single leaf if no fold is possible."""
    sizes = rungs(settings.max_leaves)
    if effort.n_folds < 2 or len(sizes) < 2:
        return Choice(rung=0)
    rng = np.random.default_rng(settings.seed)
    hits = np.zeros((len(FRONTS), len(sizes)), dtype=np.int64)
    _, first_copy = np.unique(task.sample_of, return_index=True)
    for repeat in range(effort.n_repeats):
        fold_of = stratified_folds(task.cases.classes[first_copy], effort.n_folds, rng)[task.sample_of]
        for fold in range(effort.n_folds):
            seed = int(rng.integers(2**63))
            hits += _fold_hits(task, settings, (effort, fold_of != fold, seed))
            on_search(1 + repeat * effort.n_folds + fold, effort.n_searches)
    weight = int(stakes(task.goal)[task.cases.classes].sum())
    shares = hits / (effort.n_repeats * weight)
    n_samples = task.n_effective
    rule = (settings.standard_errors, settings.most_lost)
    return Choice(smallest_near_best(smoothed(shares, sizes, n_samples), n_samples, *rule), shares)


def smoothed(shares: NDArray[np.float64], sizes: NDArray[np.int64], n_samples: float) -> NDArray[np.float64]:
    """Return means over similar sizes, which are less noisy than the hits of a single size."""
    similar = _SIMILAR * math.sqrt(max(1.0, _FEW / n_samples))
    away = np.subtract.outer(np.log(sizes), np.log(sizes)) / similar
    near = np.exp(-0.5 * away**2)
    return np.asarray(shares @ (near / near.sum(axis=0)))


def smallest_near_best(
    shares: NDArray[np.float64], n_samples: float, standard_errors: float, most_lost: float = math.inf
) -> int:
    """Return the rung of the smallest size within ``standard_errors`` and ``most_lost`` of the best share."""
    curve = shares.mean(axis=0)
    best = min(1.0, float(curve.max()))  # smoothing may round up
    error = math.sqrt(best * (1 - best) / n_samples)
    tolerance = min(standard_errors * error, most_lost)
    return int(np.flatnonzero(curve >= best - tolerance - _TINY)[0])


def stratified_folds(classes: NDArray[np.int32], n_folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of every instance, with every class spread evenly over the folds."""
    shuffled = rng.permutation(len(classes))
    by_class = shuffled[np.argsort(classes[shuffled], kind="stable")]
    fold_of = np.empty(len(classes), dtype=np.int64)
    fold_of[by_class] = np.arange(len(classes)) % n_folds
    return fold_of


def _fold_hits(task: Task, settings: FrontSettings, fold: tuple[Effort, NDArray[np.bool_], int]) -> Hits:
    """Return the hits on the held-out instances; sizes beyond the end of a front repeat its last value."""
    effort, learnt, seed = fold
    training, held_out = part_of(task.cases, learnt), part_of(task.cases, ~learnt)
    trial = Trial(held_out, task.scale, settings.numeric_tests != "integer")
    fronts = search_fronts(training, task.goal, settings, effort, seed, trial)
    return np.array([front.rungs["hits"] for front in fronts])


def part_of(cases: Cases, rows: NDArray[np.bool_]) -> Cases:
    """Return some of the instances."""
    codes = np.ascontiguousarray(cases.codes[:, rows])
    return cases._replace(
        codes=codes,
        classes=cases.classes[rows],
        order=np.argsort(codes, axis=1, kind="stable").astype(np.int32),
    )
