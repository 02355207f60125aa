"""Search two fronts, greedy and evolved trees, and choose the size by cross-validating both.

Evolved trees are better on the training data at every size, and the result is one of them. Greedy trees
often indicate as well which size the data support, but not where they miss an interaction.

For every fold, both fronts are searched for on the other folds, and the tree of every size is evaluated on
the fold. At every size the front with the smaller error counts. So the chosen size is the smallest one whose
error, smoothed over the sizes, is within some standard errors of the best. Copies of a sample are held out
together and count as one sample in the standard error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.background import in_threads
from gatree.base.progress import SILENT, Listener
from gatree.data.folds import fold_of_classes, fold_of_numbers
from gatree.smalltree.draft import NO_TREES, Draft, Workspace, joined, make_workspace
from gatree.smalltree.evolved import NO_EVOLUTION, EvolutionEffort, evolved_trees
from gatree.smalltree.held_out import HeldOut, evaluate_held_out
from gatree.smalltree.loop import N_UNIFORMS, POLISHING
from gatree.smalltree.prepare import Samples
from gatree.smalltree.prune import Archive, ClassSums, make_archive, sizes_up_to, up_to
from gatree.smalltree.scoring import score_probabilities
from gatree.smalltree.search import Deadline, SearchPlan, refit, search
from gatree.smalltree.settings import SearchSettings
from gatree.smalltree.task import DistinctRows, Floats, Longs, task_of

FRONTS = ("greedy", "evolved")

NO_END = Deadline()

_SIMILAR = 0.15  # the relative width of the smoothing over sizes
_FEW = 250  # with fewer samples the smoothing is wider, because more of the curve is chance
_ENOUGH = 1_000  # from this number of samples on, sizes are also compared without smoothing
_MUCH_BRED = 1_000  # with more samples an evolution leaves little to do for offspring of large trees
_FEW_OFFSPRING = 0.25  # of those that small data get, to improve the small trees of larger data
_TINY = 1e-12
_PARENTS_UP_TO = 128  # maximum number of leaves of parents
_SHOWN_UP_TO = 16  # leaves: trees of all these sizes are improved after the choice
_OF_CHOSEN = 0.25  # the share of the improvement for the chosen size; the rest is for all small ones
_OF_FRONTS = 0.5  # the share of the work for the fronts; the rest improves the trees up to the chosen size
_OF_A_FOLD = 3 / 5, 2 / 3  # of the population and of the generations on all rows
_MANY, _FEW_FOLDS = 2**16, 3  # above this number of samples there are fewer folds
_SMALL = 500  # up to this number of samples the cross-validation has twice the folds
_CLEARLY = 0.97  # another minimum leaf must have an error below this share of the first one's
_GROWN = 5  # steps to read a value and to partition it, on one level of a tree


@dataclass(frozen=True)
class Effort:
    """The effort for a tree: the number of cross-validations, the evolutions, and the work of each search."""

    n_folds: int
    n_repeats: int
    work: float
    n_offspring: int = 0  # of each search
    most_parents: int = _PARENTS_UP_TO  # the number of leaves of the largest parent
    on_folds: EvolutionEffort = NO_EVOLUTION
    on_all: EvolutionEffort = NO_EVOLUTION

    @classmethod
    def of(cls, settings: SearchSettings, n_samples: int) -> Effort:
        """Return the effort for a data set; for a given size, a single search gets all of it."""
        is_small = n_samples <= _SMALL
        n_folds = min(settings.n_folds * (2 if is_small else 1), n_samples)
        if n_samples > _MANY:
            n_folds = min(n_folds, _FEW_FOLDS)
        n_repeats = max(1, min(settings.most_repeats, _SMALL // n_samples))
        if settings.size != "auto" or n_folds < 2:
            n_folds, n_repeats = 0, 0
        population, generations = int(settings.effort * settings.population), settings.generations
        evolves = population > 0 and settings.first is None
        breeds = n_samples <= _MUCH_BRED or not evolves
        share = 1.0 if breeds else _FEW_OFFSPRING if settings.size == "auto" else 0.0
        work = settings.effort * settings.work / (1 + n_folds * n_repeats)
        trees, time = _OF_A_FOLD
        return cls(
            n_folds,
            n_repeats,
            work=work * (_OF_FRONTS if breeds else _OF_FRONTS / POLISHING),
            n_offspring=int(share * settings.effort * settings.most_offspring),
            most_parents=_PARENTS_UP_TO if breeds else _SHOWN_UP_TO,
            on_folds=EvolutionEffort(int(trees * population), int(time * generations)).up_to(n_samples),
            on_all=EvolutionEffort(population, generations).up_to(2 * n_samples),
        )


class Job(NamedTuple):
    """What a search starts with."""

    held_out: Longs  # [row]: the samples that it does not see
    seed: int
    evolution: EvolutionEffort = NO_EVOLUTION
    initial: Draft = NO_TREES


class Searched(NamedTuple):
    """Both fronts of some rows, and their errors on others."""

    archives: tuple[Archive, Archive]  # greedy and evolved
    evaluation: HeldOut


def search_fronts(
    rows: DistinctRows, job: Job, settings: SearchSettings, effort: Effort, deadline: Deadline = NO_END
) -> Searched:
    """Return both fronts of the rows without what is held out of each, evaluated on that."""
    trained = rows.with_weights(rows.weight - job.held_out) if job.held_out.any() else rows
    evolved = evolved_trees(trained, job.evolution, job.seed, lambda: deadline.is_over)
    sizes = sizes_up_to(settings.max_leaves)
    polished = [size for size in settings.polished if size <= settings.max_leaves]
    plan = SearchPlan(
        starts=True,
        polished=np.unique(np.searchsorted(sizes, polished)).astype(np.int64),
        n_parents=int(np.searchsorted(sizes, effort.most_parents, side="right")),
        prefers_large=settings.size != "auto" or settings.max_depth is not None,
        uniforms=np.random.default_rng(job.seed).random((effort.n_offspring, N_UNIFORMS)),
        work=int(effort.work),
        initial=joined(job.initial, evolved),
    )
    archives = make_archive(settings.max_leaves), make_archive(settings.max_leaves)
    workspace = make_workspace(task_of(trained), settings.max_leaves, len(plan.initial.attribute))
    with deadline.ends(workspace.buffers.n_steps):
        search(workspace, *archives, plan)
    return Searched(archives, _evaluated(rows, job.held_out, archives, workspace, settings))


def improve_up_to(
    rows: DistinctRows, searched: Searched, place: int, settings: SearchSettings, deadline: Deadline = NO_END
) -> None:
    """Improve the trees up to the size at a place, and all small ones that a person may choose instead.

    A quarter of the offspring, or all of them for a given size, have parents that are mostly about as large.
    """
    small = int(np.searchsorted(searched.archives[0].n_leaves, _SHOWN_UP_TO, side="right")) - 1
    is_given = settings.size != "auto"
    parts = [(place, True, 1.0)] if is_given else [(place, True, _OF_CHOSEN), (small, False, 1 - _OF_CHOSEN)]
    n_offspring = int(settings.effort * settings.most_offspring) * max(1, settings.n_folds)
    workspace = make_workspace(task_of(rows), settings.max_leaves)
    work = 0.0
    for most, prefers_large, share in parts:
        work += share * (1 - _OF_FRONTS) * settings.effort * settings.work
        greedy, evolved = (up_to(archive, most) for archive in searched.archives)
        plan = SearchPlan(
            starts=False,
            polished=np.zeros(0, dtype=np.int64),
            n_parents=int(np.searchsorted(greedy.n_leaves, _PARENTS_UP_TO, side="right")),
            prefers_large=prefers_large,
            uniforms=np.random.default_rng(settings.seed).random((int(share * n_offspring), N_UNIFORMS)),
            work=int(work),
            initial=NO_TREES,
        )
        with deadline.ends(workspace.buffers.n_steps):
            search(workspace, greedy, evolved, plan)
    # Of all sizes: a small tree that is as good as a larger one is the best of that size, too.
    _evaluated(rows, np.zeros_like(rows.weight), searched.archives, workspace, settings)


def _evaluated(
    rows: DistinctRows,
    held_out: Longs,
    archives: tuple[Archive, Archive],
    workspace: Workspace,
    settings: SearchSettings,
) -> HeldOut:
    """Find the best places and the gaps of fronts; return their errors on the samples held out."""
    task = workspace.task
    shape = (len(FRONTS), len(settings.shrinkages), len(archives[0].score))
    evaluation = HeldOut(
        task=task_of(rows.with_weights(held_out))._replace(unit=task.unit, error_unit=task.error_unit),
        scale=rows.scale,
        use_gaps=settings.numeric_tests != "integer",
        shrinkages=np.array(settings.shrinkages),
        errors=np.zeros(shape),
        squares=np.zeros(shape),
        leaf_of=np.zeros(int(np.count_nonzero(held_out)), dtype=np.int32),
    )
    for front, archive in enumerate(archives):
        evaluate_held_out(workspace, archive, evaluation, front)
        if settings.scoring != "accuracy" and held_out.any():
            score_probabilities(workspace, archive, evaluation, front, rows, settings.scoring)
    return evaluation


def count_all(rows: DistinctRows, archive: Archive, place: int, uses_gaps: bool) -> None:
    """Improve the tree of one size of a sample's front on all rows, and score all trees there."""
    task = task_of(rows)
    workspace = make_workspace(task, int(archive.n_leaves[-1]), grows=False)
    shape = len(workspace.one.attribute), task.cases.n_classes
    sums = ClassSums(np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64))
    refit(workspace, archive, place, rows.scale, uses_gaps, sums)


def search_all(
    rows: DistinctRows,
    samples: Samples,
    settings: SearchSettings,
    effort: Effort,
    initial: Draft = NO_TREES,
    listener: Listener = SILENT,
    deadline: Deadline = NO_END,
) -> tuple[Searched, list[HeldOut]]:
    """Return the fronts of all rows, and the evaluation of those of every fold.

    The searches of the folds start without the initial trees, which may have been trained on instances that
    are held out.
    """
    on_rows = Job(np.zeros_like(rows.weight), settings.seed, effort.on_all, initial)
    jobs = [on_rows, *jobs_of_folds(rows, samples, settings, effort)]

    def run(job: Job) -> Searched:
        return search_fronts(rows, job, settings, effort, deadline)

    searches = in_threads(run, jobs, settings.n_jobs)
    on_all = next(searches)
    listener.progress("search", 1, len(jobs))
    on_folds: list[HeldOut] = []
    for done, searched in enumerate(searches, start=2):
        on_folds.append(searched.evaluation)
        listener.progress("search", done, len(jobs))
    return on_all, on_folds


def jobs_of_folds(
    rows: DistinctRows, samples: Samples, settings: SearchSettings, effort: Effort
) -> list[Job]:
    """Return the searches of a cross-validation, repeated with other folds; none for a single size."""
    rng = np.random.default_rng(settings.seed)
    jobs = list[Job]()
    for _ in range(effort.n_repeats if settings.max_leaves > 1 else 0):
        fold_of = folds_of(rows, samples, effort.n_folds, rng)
        for fold in range(effort.n_folds):
            here = fold_of == fold
            held_out = np.bincount(
                samples.row[here], weights=samples.weight[here], minlength=len(rows.weight)
            )
            jobs.append(Job(held_out.astype(np.int64), int(rng.integers(2**63)), effort.on_folds))
    return jobs


def folds_of(
    rows: DistinctRows, samples: Samples, n_folds: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the fold of every sample: classes, or similar numbers, are spread evenly over the folds."""
    if rows.target is None:
        return fold_of_classes(rows.cases.classes[samples.row], n_folds, rng)
    return fold_of_numbers(rows.target[samples.row], n_folds, rng)


class Choice(NamedTuple):
    """The place of the chosen size, the shrinkage, and the mean errors of a cross-validation."""

    place: int
    shrinkage: float = 0.0
    errors: Floats | None = None  # [front, place], with that shrinkage; for classes, of the accuracy
    curve: Floats | None = None  # [place]: the error that the size was chosen by
    most: float = math.inf  # the chosen size is the smallest with at most this error


class SizeChoice(NamedTuple):
    """Why a size was chosen: it is the smallest with at most ``most`` of the error that it was chosen by."""

    errors: dict[int, float]  # leaves of a tree: its error
    most: float

    @classmethod
    def of(cls, choice: Choice, archive: Archive) -> SizeChoice | None:
        """Return the choice among the trees of a front; a tree stands for all sizes at which it is best."""
        if choice.curve is None:
            return None
        leaves = archive.n_leaves[archive.best].tolist()
        errors: dict[int, float] = {}
        for n, error in zip(leaves, choice.curve.tolist(), strict=True):
            errors[n] = min(error, errors.get(n, math.inf))
        return cls(errors, choice.most)

    def simplified(self, n_leaves: int, n_simplified: int) -> SizeChoice:
        """Return the choice for a chosen tree that has fewer leaves without its useless tests."""
        errors = {n: error for n, error in self.errors.items() if n != n_leaves}
        return self._replace(errors={**errors, n_simplified: self.errors[n_leaves]})


def choose(
    rows: DistinctRows, samples: Samples, settings: SearchSettings, evaluations: list[HeldOut]
) -> Choice:
    """Return the size and shrinkage that cross-validation prefers; the given size without one."""
    sizes = sizes_up_to(settings.max_leaves)
    if not evaluations:
        place = 0 if settings.size == "auto" else len(sizes) - 1
        return Choice(place, settings.shrinkages[0])
    n_held_out = sum(int(each.task.counts.sum()) for each in evaluations)
    unit = rows.mean_stake
    errors = np.sum([each.errors for each in evaluations], axis=0) / (n_held_out * unit)
    squares = np.sum([each.squares for each in evaluations], axis=0) / (n_held_out * unit**2)
    n_samples = samples.n_effective
    better = errors.argmin(axis=0)[np.newaxis]
    least, of_least = (np.take_along_axis(each, better, axis=0)[0] for each in (errors, squares))
    curves, of_squares = (smoothed(each, sizes, n_samples) for each in (least, of_least))
    row, _ = np.unravel_index(int(np.argmin(curves)), curves.shape)
    most_lost = settings.most_lost * (1.0 if rows.are_classes else float(curves[0, 0]))
    curve = curves[row]
    most = most_error(curve, of_squares[row], n_samples, settings.standard_errors, most_lost)
    if n_samples >= _ENOUGH:
        curve = not_hidden(least[row], curve)
    place = int(np.flatnonzero(curve <= most)[0])
    of_accuracy = errors[:, row] if settings.scoring == "accuracy" else None
    return Choice(place, settings.shrinkages[row], of_accuracy, curve, most)


def smoothed(errors: Floats, sizes: Longs, n_samples: float) -> Floats:
    """Return means over similar sizes, which are less noisy than the errors of a single size."""
    similar = _SIMILAR * math.sqrt(max(1.0, _FEW / n_samples))
    away = np.subtract.outer(np.log(sizes), np.log(sizes)) / similar
    near = np.exp(-0.5 * away**2)
    return np.asarray(errors @ (near / near.sum(axis=0)))


def most_error(
    errors: Floats, squares: Floats, n_samples: float, standard_errors: float, most_lost: float = math.inf
) -> float:
    """Return the error that is within ``standard_errors`` and ``most_lost`` of the smallest one."""
    best = int(np.argmin(errors))
    variance = max(0.0, float(squares[best] - errors[best] ** 2))
    tolerance = min(standard_errors * math.sqrt(variance / n_samples), most_lost)
    return float(errors[best] + tolerance + _TINY * (1 + errors[best]))


def not_hidden(errors: Floats, curve: Floats) -> Floats:
    """Return a curve in which no size is worse than the next one if it is not, before smoothing, either.

    Smoothing adds to the first good size a share of the errors of the smaller ones.
    """
    corrected = curve.copy()
    for place in range(len(curve) - 2, -1, -1):
        if errors[place] <= errors[place + 1]:
            corrected[place] = min(corrected[place], corrected[place + 1])
    return corrected


def choose_min_leaf(rows: DistinctRows, samples: Samples, settings: SearchSettings, per_sample: int) -> int:
    """Return the minimum leaf with which greedy trees do clearly best in cross-validation, else the first."""
    first, n_samples = settings.min_leaves[0], len(samples.row)
    n_folds = min(settings.n_folds, n_samples)
    steps = _GROWN * rows.cases.codes.size * math.log2(n_samples + 1) * n_folds
    if n_folds < 2 or len(settings.min_leaves) == 1 or steps * len(settings.min_leaves) > settings.work:
        return first
    least, effort = {}, Effort(n_folds, 1, 0.0)
    for min_leaf in settings.min_leaves:
        most = max(1, min(settings.max_leaves, int(rows.weight.sum()) // (per_sample * min_leaf)))
        greedy = replace(settings, max_leaves=most, polished=())
        limited = replace(rows, limits=rows.limits._replace(min_leaf=min_leaf * per_sample))
        run = partial(search_fronts, limited, settings=greedy, effort=effort)
        searches = in_threads(run, jobs_of_folds(limited, samples, greedy, effort), settings.n_jobs)
        errors = sum((each.evaluation.errors[0] for each in searches), start=np.zeros((1, 1)))
        least[min_leaf] = float(smoothed(errors, sizes_up_to(most), n_samples).min())
    best = min(least, key=lambda min_leaf: least[min_leaf])
    return best if least[best] < _CLEARLY * least[first] else first
