"""Evaluate a finished front: find its best rungs, set their thresholds, count held-out hits."""

from __future__ import annotations

from typing import NamedTuple

from gatree.data.cases import Cases
from gatree.front.archive import Archive, load, note_best_rungs
from gatree.front.bench import Bench
from gatree.front.gaps import Scale, center, middles
from gatree.front.prune import Goal
from gatree.front.room import Draft
from gatree.front.sweep import class_given
from gatree.kernels.decorators import lean


class Trial(NamedTuple):
    """The data that fronts are evaluated on."""

    held_out: Cases
    scale: Scale
    use_gaps: bool  # whether thresholds move to the middle of their gaps


@lean
def try_out(bench: Bench, archive: Archive, trial: Trial) -> None:
    """Set the best rungs of a front, their trees' thresholds, and their hits on held-out instances."""
    note_best_rungs(archive)
    rungs = archive.rungs
    for rung in range(len(rungs)):
        if rungs[rung]["best"] != rung:
            rungs[rung]["hits"] = rungs[rung - 1]["hits"]
            continue
        n_nodes = load(archive, rung, bench.one)
        if trial.use_gaps:
            middles(bench.cases, trial.scale, bench.one, n_nodes, bench.room.segments, bench.room.middle)
            begin = rungs[rung]["first"]
            for node in range(n_nodes):
                archive.middle[begin + node] = bench.room.middle[node]
            center(bench.cases, trial.scale, bench.one, n_nodes, bench.room.segments, bench.room.middle)
        rungs[rung]["hits"] = _hits(trial.held_out, bench.goal, bench.one)


@lean
def _hits(cases: Cases, goal: Goal, draft: Draft) -> int:
    total = 0
    for instance in range(len(cases.classes)):
        label, given = cases.classes[instance], class_given(cases, draft, 0, instance)
        if len(goal.gain) > 0:
            total += goal.gain[label, given]
        elif given == label:
            total += goal.worth[label]
    return total
