"""Search for a front: greedy trees first, then evolution and local search; then evaluate it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.front.archive import IMPOSSIBLE, Archive, load, note_best_rungs, take_equals
from gatree.front.draft import (
    ATTRIBUTE,
    LABEL,
    MEAN,
    MIDDLE,
    N_HERE,
    SCORE,
    SHRUNK,
    SPAN,
    VALUE,
    Draft,
    copy_nodes,
    leaf_of,
)
from gatree.front.gaps import Scale, center, middles
from gatree.front.grow import ENTROPY, GAIN_RATIO, GINI, MEANS
from gatree.front.kinds import ARE_CLASSES, HAS_DEMANDS, of_kind
from gatree.front.loop import POLISHING, evolve, offer_greedy, offer_prunings, polish, sweep_all
from gatree.front.room import Bench, Room
from gatree.front.task import CORRECT_UNIT, Floats, Longs, Task
from gatree.front.worth import weigh
from gatree.kernels.decorators import branching, inlined, lean
from gatree.trees.genome import LEAF


class Course(NamedTuple):
    """The parameters of a search."""

    polished: Longs  # the rungs that local search starts with
    n_parents: int  # the number of rungs that parents come from
    prefers_large: bool  # whether most parents are among the largest
    uniforms: Floats  # a row per offspring
    work: int  # the maximum number of steps for new offspring
    initial: Draft  # initial trees, one after the other


class Trial(NamedTuple):
    """The instances that fronts are evaluated on, and the results."""

    held_out: Task
    scale: Scale
    use_gaps: bool  # whether thresholds move to the middle of their gaps
    shrinkages: Floats
    errors: Floats  # [front, shrinkage, rung]: the sum of all samples' errors
    squares: Floats  # [front, shrinkage, rung]: the sum of their squares
    leaf_of: NDArray[np.int32]  # [instance], of the current tree


@of_kind(branching)
def search(bench: Bench, greedy: Archive, evolved: Archive, course: Course, trial: Trial) -> None:
    """Fill a greedy and an evolved front, and evaluate them. (One kernel, compiled only once.)

    Evolution drifts among trees that are equally good. Where it finds none better than the greedy tree, the
    greedy tree is kept: its tests are good from the root on, not by the chance of a search.
    """
    offer_greedy(bench, greedy, GINI if ARE_CLASSES else MEANS)
    take_equals(greedy, evolved)
    if ARE_CLASSES:
        for criterion in (ENTROPY, GAIN_RATIO):
            if bench.room.work[0] < course.work:  # on large data, the first tree takes more
                offer_greedy(bench, evolved, criterion)
    _offer_initial(bench, evolved, course.initial)
    polish(bench, evolved, course.polished, int(POLISHING * course.work))
    evolve(bench, evolved, course.n_parents, course.prefers_large, course.uniforms, course.work)
    take_equals(greedy, evolved)
    try_out(bench, greedy, trial, 0)
    try_out(bench, evolved, trial, 1)


@of_kind(lean)
def _offer_initial(bench: Bench, archive: Archive, trees: Draft) -> None:
    """Offer the best prunings of the initial trees."""
    begin = 0
    while begin < trees.shape[1]:
        end = begin + trees[SPAN, begin]
        n_nodes = copy_nodes(trees, begin, end, bench.one, 0)
        offer_prunings(bench, bench.one, n_nodes, archive)
        begin = end


@of_kind(lean)
def try_out(bench: Bench, archive: Archive, trial: Trial, front: int) -> None:
    """Set the best rungs of a front, their trees' thresholds, and their errors on held-out instances."""
    task, room, draft, held_out = bench.task, bench.room, bench.one, trial.held_out
    note_best_rungs(archive, CORRECT_UNIT if ARE_CLASSES else 1)
    errors, squares = trial.errors[front], trial.squares[front]
    for rung in range(len(archive.rungs)):
        if archive.rungs[rung]["best"] != rung:
            for row in range(len(trial.shrinkages)):
                errors[row, rung], squares[row, rung] = errors[row, rung - 1], squares[row, rung - 1]
            continue
        n_nodes = load(archive, rung, draft)
        weigh(task, room, draft)
        if trial.use_gaps:
            middles(task.cases, trial.scale, draft, n_nodes, room.nodes, room.values)
            for node in range(n_nodes):
                archive.middle[archive.rungs[rung]["first"] + node] = room.values[MIDDLE, node]
            center(task.cases, trial.scale, draft, n_nodes, room.nodes, room.values)
        for instance in range(len(held_out.counts)):
            trial.leaf_of[instance] = leaf_of(held_out.cases, draft, 0, instance)
        for row in range(len(trial.shrinkages)):
            shrink(room, draft, n_nodes, trial.shrinkages[row])
            total, of_squares = 0.0, 0.0
            for instance in range(len(held_out.counts)):
                n = held_out.counts[instance]
                error = _error(held_out, room, draft, instance, trial.leaf_of[instance])
                total, of_squares = total + n * error, of_squares + n * error * error
            errors[row, rung], squares[row, rung] = total, of_squares


@of_kind(branching)
def refit(bench: Bench, archive: Archive, chosen: int, scale: Scale, use_gaps: bool) -> None:
    """Score a front on other instances than it was searched on; improve the tree of one rung by sweeps.

    The classes of leaves and the middles of gaps become those of the new instances.
    """
    task, room, draft, rungs = bench.task, bench.room, bench.one, archive.rungs
    for rung in range(len(rungs)):
        if rungs[rung]["score"] == IMPOSSIBLE:
            continue
        n_nodes, begin = load(archive, rung, draft), rungs[rung]["first"]
        weigh(task, room, draft)
        if rung == rungs[chosen]["best"]:
            n_swept, _ = sweep_all(bench, n_nodes)
            if n_swept != n_nodes:
                load(archive, rung, draft)
            weigh(task, room, draft)
        if use_gaps:
            middles(task.cases, scale, draft, n_nodes, room.nodes, room.values)
        score = 0
        for node in range(n_nodes):
            archive.middle[begin + node] = room.values[MIDDLE, node] if use_gaps else np.inf
            if draft[ATTRIBUTE, node] == LEAF:
                draft[VALUE, node] = room.nodes[LABEL, node]
                score += room.nodes[SCORE, node]
        copy_nodes(draft, 0, n_nodes, archive.nodes, begin)
        rungs[rung]["score"] = score
    note_best_rungs(archive, CORRECT_UNIT if ARE_CLASSES else 1)


@of_kind(inlined)
def _error(task: Task, room: Room, draft: Draft, instance: int, leaf: int) -> float:
    """Return the error of one sample of an instance: its lost weight, or its squared distance."""
    if not ARE_CLASSES:
        off = float(task.target[instance]) - room.values[SHRUNK, leaf]
        return float(off * off)
    label, given = task.cases.classes[instance], draft[VALUE, leaf]
    if HAS_DEMANDS and len(task.gain) > 0:
        most = 0
        for other in range(len(task.gain)):
            most = max(most, task.gain[label, other])
        return float(most - task.gain[label, given])
    return 0.0 if given == label else task.stakes[instance] / task.counts[instance]


@lean
def shrink(room: Room, draft: Draft, n_nodes: int, shrinkage: float) -> None:
    """Write the shrunk prediction of every node, given the results of `weigh`.

    The difference between a node and its parent, of n samples, is multiplied by n / (n + shrinkage)
    (hierarchical shrinkage: Agarwal et al., 2022).
    """
    nodes, values = room.nodes, room.values
    values[SHRUNK, 0] = values[MEAN, 0]
    for node in range(n_nodes):
        if draft[ATTRIBUTE, node] != LEAF:
            left = node + 1
            n = nodes[N_HERE, node]
            share = n / (n + shrinkage) if n > 0 else 0.0
            for child in (left, left + draft[SPAN, left]):
                away = values[MEAN, child] - values[MEAN, node]
                values[SHRUNK, child] = values[SHRUNK, node] + share * away
