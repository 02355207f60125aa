"""The loop of a search: local search and evolution on all sizes together.

An offspring is a tree of the front with one change: a subtree from the tree of a neighbouring size, a random
test, or a new subtree grown below a random first test. Sweeps improve it, its leaves are fully grown, and its
best prunings replace worse trees. So one offspring may improve the front at many sizes, and no size ever gets
worse. The search is a pure function: random numbers are passed as a row of uniforms per offspring.
"""

from __future__ import annotations

from gatree.kernels.decorators import jit, lean
from gatree.smalltree.archive import Archive, load, offer, prune_to
from gatree.smalltree.draft import (
    ATTRIBUTE,
    DEPTH,
    SPAN,
    STALE,
    VALUE,
    Draft,
    copy_nodes,
    fill_rows,
    gather,
    replace_subtree,
    set_depths,
    set_spans,
)
from gatree.smalltree.grow import ENTROPY, GAIN_RATIO, MEANS, grow
from gatree.smalltree.room import Bench
from gatree.smalltree.sweep import grow_out, sweep
from gatree.smalltree.task import Floats, Longs
from gatree.smalltree.worth import prunings, weigh
from gatree.trees.genome import LEAF

RUNG, KIND, NODE, PARTNER, GRAFT, TEST, CUT, MORE, WALK, SECOND, THIRD = range(11)  # of the uniforms
N_UNIFORMS = 11

POLISHING = 0.5
"""The share of a search's work after which no further greedy tree is polished."""

_GRAFTS, _NEW_TESTS = 0.3, 0.3  # shares of the offspring; the others get a new subtree
_WALKS = 0.5  # share of the offspring that change at a node found by a walk from the root
_SWEEPS = 4
_OFFERED = 2  # steps per value, and per node and size, to grow a tree fully and to offer its prunings


@jit
def offer_prunings(bench: Bench, draft: Draft, n_nodes: int, archive: Archive) -> int:
    """Offer the best prunings of a tree; return how many rungs they improve."""
    found = prunings(bench, draft, n_nodes, archive.rungs[len(archive.rungs) - 1]["size"])
    return offer(draft, found, archive, bench.spare)


@lean
def offer_greedy(bench: Bench, archive: Archive, criterion: int) -> None:
    """Offer the best prunings of a greedy tree."""
    fill_rows(bench.task.cases, bench.room.order)
    segment = (0, len(bench.task.counts))
    n_nodes = grow(bench.task, bench.room, segment, criterion, (LEAF, 0), bench.one, 0, 0)
    set_spans(bench.one, n_nodes)
    offer_prunings(bench, bench.one, n_nodes, archive)


@lean
def sweep_all(bench: Bench, n_nodes: int) -> tuple[int, bool]:
    """Sweep the tree in ``bench.one`` until it no longer changes; return its nodes, and whether it did."""
    task, room, one, changed = bench.task, bench.room, bench.one, True
    stale = room.nodes[STALE]
    for node in range(n_nodes):
        stale[node] = 1
    for _ in range(_SWEEPS):
        if not task.are_classes:
            weigh(task, room, one)
        n_nodes, changed = sweep(task, room, one, bench.other)
        copy_nodes(bench.other, 0, n_nodes, one, 0)
        set_spans(one, n_nodes)
        if not changed:
            break
        for node in range(n_nodes - 1, -1, -1):  # a change makes the tests above it stale
            if one[ATTRIBUTE, node] != LEAF:
                left = node + 1
                stale[node] = max(stale[node], stale[left], stale[left + one[SPAN, left]])
    return n_nodes, changed


@lean
def improve(bench: Bench, archive: Archive, n_nodes: int) -> int:
    """Sweep the tree in ``bench.one`` until it no longer changes, grow it fully, and offer its prunings."""
    task, room = bench.task, bench.room
    n_nodes, _ = sweep_all(bench, n_nodes)
    criterion = ENTROPY if task.are_classes else MEANS
    n_nodes = grow_out(task, room, bench.one, n_nodes, criterion, bench.other)
    set_spans(bench.other, n_nodes)
    room.work[0] += _OFFERED * (task.cases.codes.size + n_nodes * len(archive.rungs))
    return offer_prunings(bench, bench.other, n_nodes, archive)


@lean
def polish(bench: Bench, archive: Archive, chosen: Longs, budget: int) -> None:
    """Improve the trees of the given rungs, one after the other, within a budget of work."""
    for rung in chosen:
        if bench.room.work[0] >= budget:
            break
        improve(bench, archive, load(archive, rung, bench.one))


@lean
def evolve(
    bench: Bench, archive: Archive, n_parents: int, prefers_large: bool, uniforms: Floats, budget: int
) -> int:
    """Breed one offspring per row of uniforms from the lower rungs; return how many improved the front.

    Parents are drawn evenly over the sizes, or mostly among the largest if only these are wanted.
    """
    n_better = 0
    for row in range(len(uniforms)):
        if bench.room.work[0] >= budget:
            break
        draws = uniforms[row]
        place = max(draws[RUNG], draws[SECOND], draws[THIRD]) if prefers_large else draws[RUNG]
        n_nodes = load(archive, int(place * n_parents), bench.one)
        n_nodes = _vary(bench, archive, n_nodes, draws)
        if bench.task.is_limited:
            n_nodes = _prune(bench, n_nodes, (n_nodes + 1) // 2)
        n_better += improve(bench, archive, n_nodes) > 0
    return n_better


@lean
def _walk(draft: Draft, draw: float) -> int:
    """Return a node on a random path from the root: each node on it is as likely to be the last."""
    node = 0
    while draft[ATTRIBUTE, node] != LEAF:
        draw *= 3.0
        if draw < 1.0:
            break
        goes_left = draw < 2.0
        draw -= 1.0 if goes_left else 2.0
        node = node + 1 if goes_left else node + 1 + draft[SPAN, node + 1]
    return node


@lean
def _vary(bench: Bench, archive: Archive, n_nodes: int, draws: Floats) -> int:
    """Change the tree in ``bench.one`` at a random node; return its number of nodes."""
    one, cases, first = bench.one, bench.task.cases, bench.task.limits.first
    node = _walk(one, draws[NODE]) if draws[WALK] < _WALKS else int(draws[NODE] * n_nodes)
    if draws[KIND] < _GRAFTS:
        return _graft(bench, archive, n_nodes, node, draws)
    attribute = int(draws[TEST] * len(cases.codes))
    if node == 0 and first != LEAF:
        attribute = first
    if draws[KIND] < _GRAFTS + _NEW_TESTS and one[ATTRIBUTE, node] != LEAF:
        one[ATTRIBUTE, node] = attribute
        one[VALUE, node] = int(draws[CUT] * cases.n_tests[attribute])
        return n_nodes
    return _regrow(bench, n_nodes, node, attribute, draws)


@lean
def _graft(bench: Bench, archive: Archive, n_nodes: int, node: int, draws: Floats) -> int:
    """Replace a node by a random subtree of a neighbouring size's tree."""
    rung, n_rungs, other = 0, len(archive.rungs), bench.other
    while rung < n_rungs and archive.rungs[rung]["size"] < (n_nodes + 1) // 2:
        rung += 1
    reach = 1 + rung // 4
    partner = min(n_rungs - 1, max(0, rung - reach + int(draws[PARTNER] * (2 * reach + 1))))
    n_partner = load(archive, partner, other)
    graft = int(draws[GRAFT] * n_partner)
    return replace_subtree(bench.one, n_nodes, node, other, graft, graft + other[SPAN, graft], bench.spare)


@lean
def _regrow(bench: Bench, n_nodes: int, node: int, attribute: int, draws: Floats) -> int:
    """Replace a node by a greedy tree below a random first test; prune the tree to about its old size."""
    task, room, order = bench.task, bench.room, bench.room.order
    cases = task.cases
    n_here = gather(cases, order, room.passes, bench.one, node)
    if n_here < 2:
        return n_nodes
    code = cases.codes[attribute, order[0, int(draws[CUT] * n_here)]]
    test = (attribute, min(code, cases.n_tests[attribute] - 1))
    set_depths(bench.one, n_nodes, room.nodes)
    criterion = (ENTROPY if draws[GRAFT] < 0.5 else GAIN_RATIO) if task.are_classes else MEANS
    end = grow(task, room, (0, n_here), criterion, test, bench.other, 0, room.nodes[DEPTH, node])
    n_leaves = (n_nodes + 1) // 2
    wanted = n_leaves + 1 + int(draws[MORE] * (1 + n_leaves // 4))
    n_nodes = replace_subtree(bench.one, n_nodes, node, bench.other, 0, end, bench.spare)
    return _prune(bench, n_nodes, wanted)


@jit
def _prune(bench: Bench, n_nodes: int, n_leaves: int) -> int:
    """Prune the tree in ``bench.one`` within the limits to at most ``n_leaves`` leaves; return its nodes."""
    found = prunings(bench, bench.one, n_nodes, n_leaves)
    return prune_to(bench.one, found, n_leaves, bench.spare)
