"""Search two fronts, greedy trees and trees evolved from them, and choose the size by cross-validating both.

Evolved trees are more accurate on the training data at every size, and the result is one of them. Greedy
trees indicate equally well which size the data support.

For every fold, both fronts are searched for on the other folds, and the tree of every size is evaluated on
the fold. So the chosen size is the smallest one whose mean hits, smoothed over the sizes, are within some
standard errors of the best. Copies of a sample are held out together and count as one sample in the standard
error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.front.archive import Archive, make_archive, rungs
from gatree.front.draft import Draft
from gatree.front.gaps import Scale
from gatree.front.goal import Goal, stakes
from gatree.front.loop import N_UNIFORMS
from gatree.front.room import Bench, make_bench
from gatree.front.search import Course, Trial, search
from gatree.front.settings import FrontSettings, RegressionSettings

Hits = NDArray[np.int64]  # [front, rung]

FRONTS = ("greedy", "evolved")

_SIMILAR = 0.15  # the relative width of the smoothing over sizes
_FEW = 250  # with fewer samples the smoothing is wider, because more of the curve is chance
_TINY = 1e-12
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
    def of(cls, settings: FrontSettings | RegressionSettings, n_samples: int) -> Effort:
        """Return the effort for a data set; for a given size, a single search gets all of it."""
        is_small = n_samples <= _SMALL
        offspring, work = int(settings.effort * settings.most_offspring), settings.effort * settings.work
        n_folds = min(settings.n_folds * (2 if is_small else 1), n_samples)
        if settings.size != "auto" or n_folds < 2:
            searches = 1 + settings.n_folds
            return cls(0, 0, searches * offspring, work)
        n_repeats = max(1, min(settings.most_repeats, _SMALL // n_samples))
        return cls(n_folds, n_repeats, offspring, work / (1 + n_folds * n_repeats))


def course_of(
    settings: FrontSettings | RegressionSettings, effort: Effort, seed: int
) -> tuple[NDArray[np.int64], int, NDArray[np.float64], int]:
    """Return the rungs to polish, the number of rungs of parents, the uniforms, and the work of a search."""
    sizes = rungs(settings.max_leaves)
    polished = [size for size in settings.polished if size <= settings.max_leaves]
    return (
        np.unique(np.searchsorted(sizes, polished)).astype(np.int64),
        int(np.searchsorted(sizes, _PARENTS_UP_TO, side="right")),
        np.random.default_rng(seed).random((effort.most_offspring, N_UNIFORMS)),
        int(effort.work),
    )


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
    course = Course(settings.greedy_start, *course_of(settings, effort, seed), initial)
    search(bench, fronts.greedy, fronts.evolved, course, trial)
    if then is not None:
        then(bench, fronts.evolved)
    return fronts


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
        """The effective sample size."""
        return effective_size(self.sample_of, stakes(self.goal)[self.cases.classes])


def effective_size(sample_of: NDArray[np.integer], weights: NDArray[np.integer] | None = None) -> float:
    """Return the number of samples of equal weight with the same standard error (Kish, 1965)."""
    of_sample = np.bincount(sample_of, weights=weights).astype(np.float64)
    return float(of_sample.sum() ** 2 / (of_sample**2).sum())


@dataclass(frozen=True)
class Choice:
    """The chosen rung, and the shares of hits in the cross-validation if there was one."""

    rung: int
    shares: NDArray[np.float64] | None = None


OnSearch = Callable[[int, int], None]
"""A callback after every search, with the number of finished searches and the number of searches."""


def fewest_tests_first(
    attributes: NDArray[np.intp], n_tests: NDArray[np.integer], seed: int
) -> NDArray[np.intp]:
    """Return attributes in the order in which the first of equally good tests is taken.

    A test of an attribute with fewer tests is less likely to be as good by chance. Attributes with the same
    number of tests are shuffled.
    """
    shuffled = np.random.default_rng(seed).permutation(attributes)
    return shuffled[np.argsort(n_tests[shuffled], kind="stable")]


def in_threads(function: Callable[[Any], Any], jobs: Iterable[Any], n_jobs: int) -> Iterator[Any]:
    """Yield the results of a function in order, computed in ``n_jobs`` threads."""
    if n_jobs <= 1:
        yield from map(function, jobs)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        yield from pool.map(function, jobs)


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
    jobs = []
    for _ in range(effort.n_repeats):
        fold_of = stratified_folds(task.cases.classes[first_copy], effort.n_folds, rng)[task.sample_of]
        for fold in range(effort.n_folds):
            jobs.append((effort, fold_of != fold, int(rng.integers(2**63))))
    for done, found in enumerate(in_threads(partial(_fold_hits, task, settings), jobs, settings.n_jobs)):
        hits += found
        on_search(1 + done, effort.n_searches)
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
