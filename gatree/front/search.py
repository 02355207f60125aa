"""Search for a front: greedy trees first, then evolution and local search; then evaluate it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.front.archive import Archive, load, note_best_rungs, offer, prune_to, take_equals
from gatree.front.draft import ATTRIBUTE, SPAN, Draft, copy_nodes, fill_rows, set_depths, set_spans
from gatree.front.gaps import Scale, center, middles
from gatree.front.goal import CORRECT_UNIT, Goal, prunings
from gatree.front.grow import ENTROPY, GAIN_RATIO, GINI, grow
from gatree.front.loop import GRAFT, POLISHING, Loop
from gatree.front.room import Bench
from gatree.front.sweep import class_given, grow_out, sweep
from gatree.kernels.decorators import branching, inlined, jit, lean
from gatree.trees.genome import LEAF

_OFFERED = 2  # steps per value, and per node and size, to grow a tree fully and to offer its prunings


class Course(NamedTuple):
    """The parameters of a search."""

    greedy_start: bool  # whether to start with greedy trees instead of a leaf
    polished: NDArray[np.int64]  # the rungs that local search starts with
    n_parents: int  # the number of rungs that parents come from
    uniforms: NDArray[np.float64]  # a row per offspring
    work: int  # the maximum number of steps for new offspring
    initial: Draft  # initial trees, one after the other


class Trial(NamedTuple):
    """The data that fronts are evaluated on."""

    held_out: Cases
    scale: Scale
    use_gaps: bool  # whether thresholds move to the middle of their gaps


@jit
def offer_prunings(bench: Bench, draft: Draft, n_nodes: int, archive: Archive) -> int:
    """Offer the best prunings of a tree; return how many rungs they improve."""
    most_leaves = archive.rungs[len(archive.rungs) - 1]["size"]
    found = prunings(bench.cases, bench.goal, draft, n_nodes, most_leaves)
    return offer(draft, found, archive, bench.spare)


@lean
def offer_greedy(bench: Bench, archive: Archive, criterion: int) -> None:
    """Offer the best prunings of a greedy tree."""
    cases, room, draft = bench.cases, bench.room, bench.one
    fill_rows(cases, room.order)
    n_nodes = grow(cases, room, (0, len(cases.classes)), criterion, (LEAF, 0), draft, 0, 0)
    set_spans(draft, n_nodes)
    offer_prunings(bench, draft, n_nodes, archive)


@lean
def _offer_leaf(bench: Bench, archive: Archive) -> None:
    bench.one[ATTRIBUTE, 0] = LEAF
    set_spans(bench.one, 1)
    offer_prunings(bench, bench.one, 1, archive)


@lean
def _offer_initial(bench: Bench, archive: Archive, trees: Draft) -> None:
    """Offer the best prunings of the initial trees."""
    begin = 0
    while begin < trees.shape[1]:
        end = begin + trees[SPAN, begin]
        n_nodes = copy_nodes(trees, begin, end, bench.one, 0)
        offer_prunings(bench, bench.one, n_nodes, archive)
        begin = end


@lean
def _sweep(bench: Bench, n_nodes: int) -> tuple[int, bool]:  # noqa: ARG001
    return sweep(bench.cases, bench.goal, bench.room, bench.one, bench.other)


@lean
def _grow_out(bench: Bench, archive: Archive, n_nodes: int) -> int:
    n_nodes = grow_out(bench.cases, bench.room, bench.one, n_nodes, ENTROPY, bench.other)
    set_spans(bench.other, n_nodes)
    bench.room.work[0] += _OFFERED * (bench.cases.codes.size + n_nodes * len(archive.rungs))
    return offer_prunings(bench, bench.other, n_nodes, archive)


@lean
def _grow_below(
    bench: Bench, n_here: int, node: int, test: tuple[int, int], draws: NDArray[np.float64]
) -> int:
    set_depths(bench.one, bench.one[SPAN, 0], bench.room.depth)
    criterion = ENTROPY if draws[GRAFT] < 0.5 else GAIN_RATIO
    return grow(bench.cases, bench.room, (0, n_here), criterion, test, bench.other, 0, bench.room.depth[node])


@jit
def _prune(bench: Bench, n_nodes: int, n_leaves: int) -> int:
    found = prunings(bench.cases, bench.goal, bench.one, n_nodes, n_leaves)
    return prune_to(bench.one, found, n_leaves, bench.spare)


@inlined
def _is_limited(bench: Bench) -> bool:
    return bench.goal.limits.apply


@inlined
def _first(bench: Bench) -> int:
    return bench.goal.limits.first


_, polish, evolve = Loop.of(
    "classes",
    sweep=_sweep,
    grow_out=_grow_out,
    grow_below=_grow_below,
    prune=_prune,
    is_limited=_is_limited,
    first=_first,
)


@branching
def search(bench: Bench, greedy: Archive, evolved: Archive, course: Course, trial: Trial) -> None:
    """Fill a greedy and an evolved front, and evaluate them. (One kernel, compiled only once.)

    Evolution drifts among trees that are equally good. Where it finds none better than the greedy tree, the
    greedy tree is kept: its tests are good from the root on, not by the chance of a search.
    """
    offer_greedy(bench, greedy, GINI)
    if course.greedy_start:
        take_equals(greedy, evolved)
        offer_greedy(bench, evolved, ENTROPY)
        offer_greedy(bench, evolved, GAIN_RATIO)
    else:
        _offer_leaf(bench, evolved)
    _offer_initial(bench, evolved, course.initial)
    polish(bench, evolved, course.polished, int(POLISHING * course.work))
    evolve(bench, evolved, course.n_parents, course.uniforms, course.work)
    if course.greedy_start:
        take_equals(greedy, evolved)
    try_out(bench, greedy, trial)
    try_out(bench, evolved, trial)


@lean
def try_out(bench: Bench, archive: Archive, trial: Trial) -> None:
    """Set the best rungs of a front, their trees' thresholds, and their hits on held-out instances."""
    note_best_rungs(archive, CORRECT_UNIT)
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
