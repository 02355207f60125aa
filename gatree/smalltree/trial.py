"""Evaluate the trees of a front on held-out instances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import branching, inlined, lean
from gatree.smalltree.archive import Archive, load, note_best_rungs
from gatree.smalltree.draft import ATTRIBUTE, MEAN, MIDDLE, N_HERE, SHRUNK, SPAN, VALUE, Draft, leaf_of
from gatree.smalltree.gaps import Scale, center, gaps, middles
from gatree.smalltree.room import Bench, Room
from gatree.smalltree.task import CORRECT_UNIT, Floats, Task
from gatree.smalltree.worth import weigh
from gatree.trees.genome import LEAF


class Trial(NamedTuple):
    """The instances that fronts are evaluated on, and the results."""

    held_out: Task
    scale: Scale
    use_gaps: bool  # whether thresholds move to the middle of their gaps
    shrinkages: Floats
    errors: Floats  # [front, shrinkage, rung]: the sum of all samples' errors
    squares: Floats  # [front, shrinkage, rung]: the sum of their squares
    leaf_of: NDArray[np.int32]  # [instance], of the current tree


@branching
def try_out(bench: Bench, archive: Archive, trial: Trial, front: int) -> None:
    """Set the best rungs of a front, their trees' thresholds, and their errors on held-out instances."""
    task, room, draft, held_out = bench.task, bench.room, bench.one, trial.held_out
    note_best_rungs(archive, CORRECT_UNIT if task.are_classes else 1)
    errors, squares = trial.errors[front], trial.squares[front]
    for rung in range(len(archive.rungs)):
        if archive.rungs[rung]["best"] != rung:
            for row in range(len(trial.shrinkages)):
                errors[row, rung], squares[row, rung] = errors[row, rung - 1], squares[row, rung - 1]
            continue
        n_nodes = load(archive, rung, draft)
        if not task.are_classes:
            weigh(task, room, draft)
        if trial.use_gaps:
            gaps(task.cases, draft, n_nodes, room.nodes, room.leaf_of)
            middles(task.cases, trial.scale, draft, n_nodes, room.nodes, room.values)
            for node in range(n_nodes):
                archive.middle[archive.rungs[rung]["first"] + node] = room.values[MIDDLE, node]
            center(task.cases, trial.scale, draft, n_nodes, room.nodes, room.values)
        for instance in range(len(held_out.counts)):
            trial.leaf_of[instance] = leaf_of(held_out.cases, draft, 0, instance)
        for row in range(len(trial.shrinkages)):
            if not task.are_classes:
                shrink(room, draft, n_nodes, trial.shrinkages[row])
            total, of_squares = 0.0, 0.0
            for instance in range(len(held_out.counts)):
                n = held_out.counts[instance]
                error = _error(held_out, room, draft, instance, trial.leaf_of[instance])
                total, of_squares = total + n * error, of_squares + n * error * error
            errors[row, rung], squares[row, rung] = total, of_squares


@inlined
def _error(task: Task, room: Room, draft: Draft, instance: int, leaf: int) -> float:
    """Return the error of one sample of an instance: its lost weight, or its squared distance."""
    if not task.are_classes:
        off = float(task.target[instance]) - room.values[SHRUNK, leaf]
        return float(off * off)
    label, given = task.cases.classes[instance], draft[VALUE, leaf]
    if len(task.gain) > 0:
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
