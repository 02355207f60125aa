"""The size of the tree, chosen from the training data alone: by cross-validated fronts.

For every fold both fronts are searched for anew on the other folds, and every size's tree is tried on the
fold. The smallest tree is chosen whose hits are within some standard errors of the best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatree.front.archive import rungs
from gatree.front.fronts import held_out_hits, n_repeats, search_fronts
from gatree.front.gaps import Scale
from gatree.front.prune import Goal
from gatree.front.search import make_bench
from gatree.front.settings import FrontSettings
from gatree.optimum.cases import Cases

Hits = NDArray[np.int64]  # [front, rung]

FRONTS = ("greedy", "evolved")


@dataclass(frozen=True)
class Choice:
    """A front and a rung of it, and the shares of hits in the cross-validation, if there was one."""

    front: int
    rung: int
    shares: NDArray[np.float64] | None = None


def choose(cases: Cases, goal: Goal, scale: Scale, settings: FrontSettings, most_leaves: int) -> Choice:
    """Return the front and the size that cross-validation prefers; a leaf if nothing can be held out."""
    n = len(cases.classes)
    n_folds = min(settings.n_folds, n)
    if n_folds < 2 or most_leaves < 2:
        return Choice(front=FRONTS.index("evolved"), rung=0)
    rng = np.random.default_rng(settings.seed)
    hits = np.zeros((len(FRONTS), len(rungs(most_leaves))), dtype=np.int64)
    repeats = n_repeats(cases, settings)
    for _ in range(repeats):
        fold_of = stratified_folds(cases.classes, n_folds, rng)
        for fold in range(n_folds):
            seed = int(rng.integers(2**63))
            hits += _fold_hits(cases, goal, scale, settings, (fold_of != fold, most_leaves, seed))
    weight = int(goal.worth[cases.classes].sum())
    shares = hits / (repeats * weight)
    front, rung = smallest_near_best(shares, n, settings.standard_errors)
    return Choice(front, rung, shares)


def smallest_near_best(
    shares: NDArray[np.float64], n_instances: int, standard_errors: float
) -> tuple[int, int]:
    """Return front and rung of the smallest size within so many standard errors of the best share.

    Of two fronts with that size the one with the better share, of equal ones the evolved one.
    """
    best = float(shares.max())
    tolerance = standard_errors * math.sqrt(best * (1 - best) / n_instances)
    near = shares >= best - tolerance - 1e-12
    rung = int(np.flatnonzero(near.any(axis=0))[0])
    front = max(range(len(shares)), key=lambda front: (shares[front, rung], front))
    return front, rung


def stratified_folds(classes: NDArray[np.int32], n_folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of every instance: every class spread evenly over the folds."""
    shuffled = rng.permutation(len(classes))
    by_class = shuffled[np.argsort(classes[shuffled], kind="stable")]
    fold_of = np.empty(len(classes), dtype=np.int64)
    fold_of[by_class] = np.arange(len(classes)) % n_folds
    return fold_of


def _fold_hits(
    cases: Cases, goal: Goal, scale: Scale, settings: FrontSettings, fold: tuple[NDArray[np.bool_], int, int]
) -> Hits:
    """Return the hits on the instances that a fold holds out; a front that ends early goes on as it ended."""
    learnt, most_leaves, seed = fold
    training, held_out = part_of(cases, learnt), part_of(cases, ~learnt)
    fronts = search_fronts(training, goal, settings, most_leaves, seed)
    bench = make_bench(training, goal, most_leaves)
    use_gaps = settings.numeric_tests == "observed"
    return np.array([held_out_hits(bench, front, scale, held_out, use_gaps) for front in fronts])


def part_of(cases: Cases, rows: NDArray[np.bool_]) -> Cases:
    """Return some of the instances."""
    codes = np.ascontiguousarray(cases.codes[:, rows])
    return cases._replace(
        codes=codes,
        classes=cases.classes[rows],
        order=np.argsort(codes, axis=1, kind="stable").astype(np.int32),
    )
