"""Choose the size of a regression tree from the training data alone, by cross-validating both fronts.

For every fold, both fronts are searched for on the other folds, and the tree of every size is evaluated on
the fold. The chosen size is the smallest one whose mean error, smoothed over the sizes and averaged over both
fronts, is within some standard errors of the smallest error. Equal rows are held out together, because a copy
adds no information.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.front.archive import Archive, make_archive, rungs
from gatree.front.choose import (
    FRONTS,
    Effort,
    OnSearch,
    course_of,
    effective_size,
    in_threads,
    part_of,
    smoothed,
)
from gatree.front.gaps import Scale
from gatree.front.regression.exact import MOST_TESTS, steps_of
from gatree.front.regression.numbers import Floats, Numbers, numbers_of
from gatree.front.regression.room import make_bench
from gatree.front.regression.search import Course, Trial, search, try_out
from gatree.front.settings import RegressionSettings
from gatree.trees.genome import LEAF

_CLEARLY = 0.97  # another minimum leaf must have an error below this share of the first one's
_GROWN = 5  # steps to read a value and to partition it, on one level of a tree
_PROVING = 0.25  # the additional work that trying all small trees may take, as a share


class Task(NamedTuple):
    """The training data."""

    numbers: Numbers
    scale: Scale
    sample_of: NDArray[np.intp]  # [instance]: the sample that it is a copy of, numbered from 0 on

    @property
    def n_samples(self) -> int:
        """The number of samples, without copies."""
        return int(self.sample_of.max()) + 1

    @property
    def n_effective(self) -> float:
        """The effective sample size."""
        return effective_size(self.sample_of)


class Tried(NamedTuple):
    """A front, and its trees' errors on held-out instances."""

    archive: Archive
    n_proven: int  # trees of up to this number of leaves are proven to be optimal
    trial: Trial


def search_fronts(
    task: Task, settings: RegressionSettings, effort: Effort, seed: int, learnt: NDArray[np.bool_]
) -> list[Tried]:
    """Return both fronts of some of the instances, evaluated on the others."""
    whole, most_leaves = task.numbers, settings.max_leaves
    numbers = numbers_of(
        part_of(whole.cases, learnt),
        whole.target[learnt],
        whole.absolute,
        whole.min_leaf,
        whole.max_depth,
        whole.first,
    )
    bench, greedy, evolved = (
        make_bench(numbers, most_leaves),
        make_archive(most_leaves),
        make_archive(most_leaves),
    )
    proves = proves_smallest(numbers, settings) and bool(learnt.all())
    course = Course(proves, *course_of(settings, effort, seed))
    search(bench, greedy, evolved, course)
    found, held_out = [], part_of(whole.cases, ~learnt)
    for archive in (greedy, evolved):
        of_rungs = (len(settings.shrinkages), len(archive.rungs))
        trial = Trial(
            held_out=held_out,
            target=whole.target[~learnt],
            leaf_of=np.zeros(int(np.count_nonzero(~learnt)), dtype=np.int64),
            scale=task.scale,
            use_gaps=settings.numeric_tests != "integer",
            shrinkages=np.array(settings.shrinkages),
            errors=np.zeros(of_rungs),
            squares=np.zeros(of_rungs),
        )
        try_out(bench, archive, trial)
        n_proven = 1 + MOST_TESTS if proves and archive is evolved else 2  # a greedy first test is optimal
        found.append(Tried(archive, n_proven, trial))
    return found


def proves_smallest(numbers: Numbers, settings: RegressionSettings) -> bool:
    """Return whether trying all trees of two tests takes a small part of the work."""
    small = numbers.first == LEAF and steps_of(numbers) <= _PROVING * settings.work
    return small and settings.criterion != "absolute_error" and settings.max_depth >= MOST_TESTS


def choose_min_leaf(task: Task, settings: RegressionSettings, most_leaves: int) -> int:
    """Return the minimum leaf with which greedy trees do clearly best in cross-validation, else the first."""
    first, n_samples = settings.min_leaves[0], task.n_samples
    n_folds = min(settings.n_folds, n_samples)
    steps = _GROWN * task.numbers.cases.codes.size * math.log2(n_samples + 1) * n_folds
    if n_folds < 2 or steps * len(settings.min_leaves) > settings.work:
        return first
    fold_of = _folds(n_samples, n_folds, np.random.default_rng(settings.seed))[task.sample_of]
    least = {}
    for min_leaf in settings.min_leaves:
        most = max(1, min(most_leaves, len(task.sample_of) // min_leaf))
        greedy = replace(settings, max_leaves=most, polished=())
        limited = task._replace(numbers=task.numbers._replace(min_leaf=min_leaf))
        errors = sum(
            search_fronts(limited, greedy, Effort(n_folds, 1, 0, 0.0), 0, fold_of != fold)[0].trial.errors
            for fold in range(n_folds)
        )
        least[min_leaf] = float(smoothed(np.asarray(errors), rungs(most), n_samples).min())
    best = min(least, key=lambda min_leaf: least[min_leaf])
    return best if least[best] < _CLEARLY * least[first] else first


class Choice(NamedTuple):
    """The chosen rung and shrinkage, and the mean errors in the cross-validation."""

    rung: int
    shrinkage: float
    errors: Floats | None = None  # [front, rung], with that shrinkage


def choose(task: Task, settings: RegressionSettings, effort: Effort, on_search: OnSearch) -> Choice:
    """Return the size and shrinkage that cross-validation prefers, or a leaf if no fold is possible."""
    sizes = rungs(settings.max_leaves)
    if effort.n_folds < 2 or len(sizes) < 2:
        return Choice(rung=0, shrinkage=0.0)
    rng = np.random.default_rng(settings.seed)
    errors, squares = np.zeros((2, len(FRONTS), len(settings.shrinkages), len(sizes)))
    jobs = []
    for _ in range(effort.n_repeats):
        fold_of = _folds(task.n_samples, effort.n_folds, rng)[task.sample_of]
        for fold in range(effort.n_folds):
            jobs.append((int(rng.integers(2**63)), fold_of != fold))

    def search_fold(job: tuple[int, NDArray[np.bool_]]) -> list[Trial]:
        return [front.trial for front in search_fronts(task, settings, effort, *job)]

    for done, trials in enumerate(in_threads(search_fold, jobs, settings.n_jobs)):
        errors += [trial.errors for trial in trials]
        squares += [trial.squares for trial in trials]
        on_search(1 + done, effort.n_searches)
    n, n_samples = effort.n_repeats * len(task.sample_of), task.n_effective
    curves = smoothed((errors / n).mean(axis=0), sizes, n_samples)  # [shrinkage, rung]
    row, best = np.unravel_index(int(np.argmin(curves)), curves.shape)
    variance = (squares / n - (errors / n) ** 2)[:, row, best].mean()
    error = math.sqrt(max(0.0, float(variance)) / n_samples)
    tolerance = min(settings.standard_errors * error, settings.most_lost * curves[0, 0])
    rung = int(np.flatnonzero(curves[row] <= curves[row, best] + tolerance)[0])
    return Choice(rung, settings.shrinkages[row], (errors / n)[:, row])


def _folds(n_samples: int, n_folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of every sample, in increasing order of the target; neighbours are separated."""
    blocks = [rng.permutation(n_folds) for _ in range(-(-n_samples // n_folds))]
    return np.concatenate(blocks)[:n_samples]
