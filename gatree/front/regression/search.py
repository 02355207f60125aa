"""Search for a front: a greedy tree first, then evolution and local search; and evaluate it."""

from __future__ import annotations

from typing import NamedTuple

from gatree.data.cases import Cases
from gatree.front.archive import Archive, load, note_best_rungs, offer, prune_to, take_equals
from gatree.front.draft import ATTRIBUTE, SPAN, VALUE, Draft, fill_rows, leaf_of, set_spans
from gatree.front.gaps import Scale, center, middles
from gatree.front.loop import POLISHING, Loop
from gatree.front.regression.exact import two_levels
from gatree.front.regression.grow import grow
from gatree.front.regression.numbers import Floats, Longs
from gatree.front.regression.prune import prunings, weigh
from gatree.front.regression.room import Bench, Room, part
from gatree.front.regression.sweep import grow_out, sweep
from gatree.kernels.decorators import branching, inlined, jit, lean
from gatree.trees.genome import LEAF


class Course(NamedTuple):
    """The parameters of a search."""

    proves: bool  # whether to find the smallest trees by trying all
    polished: Longs  # the rungs that local search starts with
    n_parents: int  # the number of rungs that parents come from
    uniforms: Floats  # a row per offspring
    work: int  # the maximum number of steps for new offspring


class Trial(NamedTuple):
    """The data that the trees of a front are evaluated on, and the results."""

    held_out: Cases
    target: Longs  # [instance]
    leaf_of: Longs  # [instance], of the current tree
    scale: Scale
    use_gaps: bool  # whether thresholds move to the middle of their gaps
    shrinkages: Floats
    errors: Floats  # [shrinkage, rung]: the sum of all squared or absolute errors
    squares: Floats  # [shrinkage, rung]: the sum of their squares


@jit
def offer_prunings(bench: Bench, draft: Draft, n_nodes: int, archive: Archive) -> int:
    """Offer the best prunings of a tree; return how many rungs they improve."""
    found = prunings(bench, draft, n_nodes, archive.rungs[len(archive.rungs) - 1]["size"])
    bench.room.work[0] += 2 * len(found.score)
    return offer(draft, found, archive, bench.spare)


@lean
def offer_greedy(bench: Bench, archive: Archive) -> None:
    """Offer the best prunings of a greedy tree."""
    numbers, room = bench.numbers, bench.room
    fill_rows(bench.cases, room.order)
    n_nodes = grow(numbers, room, (0, len(numbers.target)), 0, bench.one, 0, 0)
    set_spans(bench.one, n_nodes)
    offer_prunings(bench, bench.one, n_nodes, archive)


@lean
def offer_two_levels(bench: Bench, archive: Archive) -> None:
    """Offer the best tree of two tests, and the best of three in two levels."""
    of_two, of_three = two_levels(bench)
    if of_two:
        offer_prunings(bench, bench.one, 5, archive)
    if of_three:
        offer_prunings(bench, bench.other, 7, archive)


@lean
def _sweep(bench: Bench, n_nodes: int) -> tuple[int, bool]:
    weigh(bench.numbers, bench.room, bench.one, n_nodes)
    return sweep(bench, bench.one, bench.other)


@lean
def _grow_out(bench: Bench, archive: Archive, n_nodes: int) -> int:
    n_nodes = grow_out(bench, bench.one, bench.other)
    set_spans(bench.other, n_nodes)
    return offer_prunings(bench, bench.other, n_nodes, archive)


@lean
def _grow_below(bench: Bench, n_here: int, node: int, test: tuple[int, int], draws: Floats) -> int:  # noqa: ARG001
    numbers, room, other = bench.numbers, bench.room, bench.other
    middle = part(numbers, room, (0, n_here), test[0], test[1])
    if middle in (0, n_here):
        return 0
    other[ATTRIBUTE, 0], other[VALUE, 0] = test[0], test[1]
    at = grow(numbers, room, (0, middle), 1, other, 1, 0)
    return grow(numbers, room, (middle, n_here), 1, other, at, 0)


@jit
def _prune(bench: Bench, n_nodes: int, n_leaves: int) -> int:
    found = prunings(bench, bench.one, n_nodes, n_leaves)
    return prune_to(bench.one, found, n_leaves, bench.spare)


@inlined
def _is_limited(bench: Bench) -> bool:  # noqa: ARG001
    return False


@inlined
def _first(bench: Bench) -> int:
    return bench.numbers.first


_, polish, evolve = Loop.of(
    "numbers",
    sweep=_sweep,
    grow_out=_grow_out,
    grow_below=_grow_below,
    prune=_prune,
    is_limited=_is_limited,
    first=_first,
)


@branching
def search(bench: Bench, greedy: Archive, evolved: Archive, course: Course) -> None:
    """Fill a front with a greedy tree's prunings, and an evolved one. (One kernel, compiled only once.)"""
    offer_greedy(bench, greedy)
    take_equals(greedy, evolved)
    if course.proves:
        offer_two_levels(bench, evolved)
    polish(bench, evolved, course.polished, int(POLISHING * course.work))
    evolve(bench, evolved, course.n_parents, course.uniforms, course.work)


@branching
def try_out(bench: Bench, archive: Archive, trial: Trial) -> None:
    """Set the best rungs of a front, the middles of their gaps, and their errors on held-out instances."""
    numbers, room, draft = bench.numbers, bench.room, bench.one
    note_best_rungs(archive, 1)
    for rung in range(len(archive.rungs)):
        if archive.rungs[rung]["best"] != rung:
            for row in range(len(trial.shrinkages)):
                trial.errors[row, rung] = trial.errors[row, rung - 1]
                trial.squares[row, rung] = trial.squares[row, rung - 1]
            continue
        n_nodes = load(archive, rung, draft)
        weigh(numbers, room, draft, n_nodes)
        if trial.use_gaps:
            middles(numbers.cases, trial.scale, draft, n_nodes, room.gaps, room.middle)
            for node in range(n_nodes):
                archive.middle[archive.rungs[rung]["first"] + node] = room.middle[node]
            center(numbers.cases, trial.scale, draft, n_nodes, room.gaps, room.middle)
        for instance in range(len(trial.target)):
            trial.leaf_of[instance] = leaf_of(trial.held_out, draft, 0, instance)
        for row in range(len(trial.shrinkages)):
            shrink(room, draft, n_nodes, trial.shrinkages[row])
            total, squares = 0.0, 0.0
            for instance in range(len(trial.target)):
                off = float(trial.target[instance]) - room.shrunk[trial.leaf_of[instance]]
                error = abs(off) if numbers.absolute else off * off
                total, squares = total + error, squares + error * error
            trial.errors[row, rung], trial.squares[row, rung] = total, squares


@lean
def shrink(room: Room, draft: Draft, n_nodes: int, shrinkage: float) -> None:
    """Write the shrunk prediction of every node, given the results of `weigh`.

    The difference between a node and its parent, of n instances, is multiplied by n / (n + shrinkage)
    (hierarchical shrinkage: Agarwal et al., 2022).
    """
    room.shrunk[0] = room.value[0]
    for node in range(n_nodes):
        if draft[ATTRIBUTE, node] != LEAF:
            left = node + 1
            share = room.n_here[node] / (room.n_here[node] + shrinkage) if room.n_here[node] > 0 else 0.0
            for child in (left, left + draft[SPAN, left]):
                room.shrunk[child] = room.shrunk[node] + share * (room.value[child] - room.value[node])
