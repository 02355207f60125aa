"""Search for a front: greedy trees first, then evolution and local search on all sizes together.

An offspring is a tree of the front with one change: a subtree from the tree of a neighbouring size, a random
test, or a new subtree grown below a random first test. Sweeps improve it, its leaves are fully grown, and its
best prunings replace trees that are less accurate. So one offspring may improve the front at many sizes, and
no size ever gets worse. The search is a pure function: random numbers are passed as a row of uniforms per
offspring.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.front.archive import Archive, load, offer, prune_to, take_equals
from gatree.front.bench import Bench
from gatree.front.grow import ENTROPY, GAIN_RATIO, GINI, grow
from gatree.front.room import (
    ATTRIBUTE,
    SPAN,
    VALUE,
    Draft,
    Room,
    copy_nodes,
    next_node,
    set_depths,
    set_spans,
)
from gatree.front.sweep import grow_out, sweep
from gatree.front.trial import Trial, try_out
from gatree.kernels.decorators import branching, lean
from gatree.trees.genome import LEAF

RUNG, KIND, NODE, PARTNER, GRAFT, TEST, CUT, MORE = range(8)  # the columns of the uniforms
N_UNIFORMS = 8

_GRAFTS, _NEW_TESTS = 0.3, 0.3  # shares of the offspring; the others get a new subtree
_SWEEPS = 4
_POLISHING = 0.5  # the share of a search's work after which no further greedy tree is polished
_OFFERED = 2  # steps per value, and per node and size, to grow a tree fully and to offer its prunings


class Course(NamedTuple):
    """The parameters of a search."""

    greedy_start: bool  # whether to start with greedy trees instead of a leaf
    polished: NDArray[np.int64]  # the rungs that local search starts with
    n_parents: int  # the number of rungs that parents come from
    uniforms: NDArray[np.float64]  # a row per offspring
    work: int  # the maximum number of steps for new offspring
    initial: Draft  # initial trees, one after the other


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
    polish(bench, evolved, course.polished, int(_POLISHING * course.work))
    evolve(bench, evolved, course.n_parents, course.uniforms, course.work)
    if course.greedy_start:
        take_equals(greedy, evolved)
    try_out(bench, greedy, trial)
    try_out(bench, evolved, trial)


@lean
def offer_greedy(bench: Bench, archive: Archive, criterion: int) -> None:
    """Offer the best prunings of a greedy tree."""
    cases, room, draft = bench.cases, bench.room, bench.one
    for row in range(len(cases.codes)):
        for rank in range(len(cases.classes)):
            room.order[row, rank] = cases.order[row, rank]
    n_nodes = grow(cases, room, (0, len(cases.classes)), criterion, (LEAF, 0), draft, 0, 0)
    set_spans(draft, n_nodes)
    offer(cases, bench.goal, draft, n_nodes, archive, bench.spare)


@lean
def _offer_leaf(bench: Bench, archive: Archive) -> None:
    bench.one[ATTRIBUTE, 0] = LEAF
    set_spans(bench.one, 1)
    offer(bench.cases, bench.goal, bench.one, 1, archive, bench.spare)


@lean
def _offer_initial(bench: Bench, archive: Archive, trees: Draft) -> None:
    """Offer the best prunings of the initial trees."""
    begin = 0
    while begin < trees.shape[1]:
        end = begin + trees[SPAN, begin]
        n_nodes = copy_nodes(trees, begin, end, bench.one, 0)
        offer(bench.cases, bench.goal, bench.one, n_nodes, archive, bench.spare)
        begin = end


@lean
def improve(bench: Bench, archive: Archive, n_nodes: int) -> int:
    """Sweep the tree in ``bench.one`` until it no longer changes, grow it fully, and offer its prunings."""
    cases, room, one, other = bench.cases, bench.room, bench.one, bench.other
    for _ in range(_SWEEPS):
        n_nodes, changed = sweep(cases, bench.goal, room, one, other)
        copy_nodes(other, 0, n_nodes, one, 0)
        set_spans(one, n_nodes)
        if not changed:
            break
    n_nodes = grow_out(cases, room, one, n_nodes, ENTROPY, other)
    set_spans(other, n_nodes)
    room.work[0] += _OFFERED * (cases.codes.size + n_nodes * len(archive.rungs))
    return offer(cases, bench.goal, other, n_nodes, archive, bench.spare)


@lean
def polish(bench: Bench, archive: Archive, chosen: NDArray[np.int64], budget: int) -> None:
    """Improve the trees of the given rungs, one after the other, within a budget of work."""
    for rung in chosen:
        if bench.room.work[0] >= budget:
            break
        improve(bench, archive, load(archive, rung, bench.one))


@lean
def evolve(bench: Bench, archive: Archive, n_parents: int, uniforms: NDArray[np.float64], budget: int) -> int:
    """Breed one offspring per row of uniforms from the lower rungs; return how many improved the front."""
    n_better = 0
    for row in range(len(uniforms)):
        if bench.room.work[0] >= budget:
            break
        draws = uniforms[row]
        n_nodes = load(archive, int(draws[RUNG] * n_parents), bench.one)
        n_nodes = vary(bench, archive, n_nodes, draws)
        if bench.goal.limits.apply:
            n_nodes = prune_to(bench.cases, bench.goal, bench.one, n_nodes, (n_nodes + 1) // 2, bench.spare)
        n_better += improve(bench, archive, n_nodes) > 0
    return n_better


@lean
def vary(bench: Bench, archive: Archive, n_nodes: int, draws: NDArray[np.float64]) -> int:
    """Change the tree in ``bench.one`` at a random node; return its number of nodes."""
    one, node = bench.one, int(draws[NODE] * n_nodes)
    if draws[KIND] < _GRAFTS:
        return _graft(bench, archive, n_nodes, node, draws)
    if draws[KIND] < _GRAFTS + _NEW_TESTS and one[ATTRIBUTE, node] != LEAF:
        attribute = int(draws[TEST] * len(bench.cases.codes))
        one[ATTRIBUTE, node] = attribute
        one[VALUE, node] = int(draws[CUT] * bench.cases.n_tests[attribute])
        return n_nodes
    return _regrow(bench, n_nodes, node, draws)


@lean
def _graft(bench: Bench, archive: Archive, n_nodes: int, node: int, draws: NDArray[np.float64]) -> int:
    """Replace a node by a random subtree of a neighbouring size's tree."""
    one, other, spare = bench.one, bench.other, bench.spare
    rung = 0
    while rung < len(archive.rungs) and archive.rungs[rung]["size"] < (n_nodes + 1) // 2:
        rung += 1
    reach = 1 + rung // 4
    partner = min(len(archive.rungs) - 1, max(0, rung - reach + int(draws[PARTNER] * (2 * reach + 1))))
    n_partner = load(archive, partner, other)
    graft = int(draws[GRAFT] * n_partner)
    old_end = node + one[SPAN, node]
    at = copy_nodes(one, 0, node, spare, 0)
    at = copy_nodes(other, graft, graft + other[SPAN, graft], spare, at)
    at = copy_nodes(one, old_end, n_nodes, spare, at)
    copy_nodes(spare, 0, at, one, 0)
    set_spans(one, at)
    return at


@lean
def _regrow(bench: Bench, n_nodes: int, node: int, draws: NDArray[np.float64]) -> int:
    """Replace a node by a greedy tree below a random first test; prune the tree to about its old size."""
    cases, room, one, spare = bench.cases, bench.room, bench.one, bench.spare
    n_here = _gather(cases, room, one, node)
    if n_here < 2:
        return n_nodes
    attribute = int(draws[TEST] * len(cases.codes))
    instance = room.order[0, int(draws[CUT] * n_here)]
    root = (attribute, min(cases.codes[attribute, instance], cases.n_tests[attribute] - 1))
    criterion = ENTROPY if draws[GRAFT] < 0.5 else GAIN_RATIO
    old_end = node + one[SPAN, node]
    at = copy_nodes(one, 0, node, spare, 0)
    set_depths(one, n_nodes, room.depth)
    at = grow(cases, room, (0, n_here), criterion, root, spare, at, room.depth[node])
    if at + n_nodes - old_end >= spare.shape[1]:
        return n_nodes
    at = copy_nodes(one, old_end, n_nodes, spare, at)
    copy_nodes(spare, 0, at, one, 0)
    set_spans(one, at)
    n_leaves = (n_nodes + 1) // 2
    wanted = n_leaves + 1 + int(draws[MORE] * (1 + n_leaves // 4))
    return prune_to(cases, bench.goal, one, at, wanted, spare)


@lean
def _gather(cases: Cases, room: Room, draft: Draft, target: int) -> int:
    """Fill the sorted rows with the instances that reach a node; return their number."""
    n_here = 0
    for instance in range(len(cases.classes)):
        node = 0
        while node < target and draft[ATTRIBUTE, node] != LEAF:
            node = next_node(cases, draft, node, instance)
        room.passes[instance] = node == target
        n_here += node == target
    for row in range(len(cases.codes)):
        found = 0
        for rank in range(len(cases.classes)):
            if room.passes[cases.order[row, rank]]:
                room.order[row, found] = cases.order[row, rank]
                found += 1
    return n_here
