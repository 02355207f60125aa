"""Search for a front: a greedy tree first, then evolution and local search on all sizes together.

An offspring is a tree of the front with one change: a subtree from the tree of a neighbouring size, a random
test, or a new subtree grown below a random first test. Sweeps improve it, its leaves are fully grown, and its
best prunings replace trees that explain less. So one offspring may improve the front at many sizes, and no
size ever gets worse. The search is a pure function: random numbers are passed as a row of uniforms per
offspring.
"""

from __future__ import annotations

from typing import NamedTuple

from gatree.front.regression.archive import Archive, copy_archive, load, offer, prune_to
from gatree.front.regression.exact import offer_two_levels
from gatree.front.regression.grow import grow
from gatree.front.regression.numbers import Floats, Longs, Numbers
from gatree.front.regression.prune import weigh
from gatree.front.regression.room import Bench, Room, fill_rows, part_rows
from gatree.front.regression.sweep import grow_out, sweep
from gatree.front.room import ATTRIBUTE, SPAN, VALUE, Draft, copy_nodes, set_spans
from gatree.kernels.decorators import branching, lean
from gatree.trees.genome import LEAF

RUNG, KIND, NODE, PARTNER, GRAFT, TEST, CUT, MORE = range(8)  # the columns of the uniforms
N_UNIFORMS = 8

_GRAFTS, _NEW_TESTS = 0.3, 0.3  # shares of the offspring; the others get a new subtree
_SWEEPS = 4
_POLISHING = 0.5  # the share of a search's work after which no further greedy tree is polished


class Course(NamedTuple):
    """The parameters of a search."""

    proves: bool  # whether to find the smallest trees by trying all
    polished: Longs  # the rungs that local search starts with
    n_parents: int  # the number of rungs that parents come from
    uniforms: Floats  # a row per offspring
    work: int  # the maximum number of steps for new offspring


@branching
def search(bench: Bench, greedy: Archive, evolved: Archive, course: Course) -> None:
    """Fill a front with a greedy tree's prunings, and an evolved one. (One kernel, compiled only once.)"""
    offer_greedy(bench, greedy)
    copy_archive(greedy, evolved)
    if course.proves:
        offer_two_levels(bench, evolved)
    polish(bench, evolved, course.polished, int(_POLISHING * course.work))
    evolve(bench, evolved, course.n_parents, course.uniforms, course.work)


@lean
def offer_greedy(bench: Bench, archive: Archive) -> None:
    """Offer the best prunings of a greedy tree."""
    numbers, room = bench.numbers, bench.room
    fill_rows(numbers, room)
    n_nodes = grow(numbers, room, (0, len(numbers.target)), 0, bench.one, 0, 0)
    set_spans(bench.one, n_nodes)
    offer(bench, bench.one, n_nodes, archive)


@lean
def improve(bench: Bench, archive: Archive, n_nodes: int) -> int:
    """Sweep the tree in ``bench.one`` until it no longer changes, grow it fully, and offer its prunings."""
    one, other = bench.one, bench.other
    for _ in range(_SWEEPS):
        weigh(bench.numbers, bench.room, one, n_nodes)
        n_nodes, changed = sweep(bench, one, other)
        copy_nodes(other, 0, n_nodes, one, 0)
        set_spans(one, n_nodes)
        if not changed:
            break
    n_nodes = grow_out(bench, one, other)
    set_spans(other, n_nodes)
    return offer(bench, other, n_nodes, archive)


@lean
def polish(bench: Bench, archive: Archive, chosen: Longs, budget: int) -> None:
    """Improve the trees of the given rungs, one after the other, within a budget of work."""
    for rung in chosen:
        if bench.room.work[0] >= budget:
            break
        improve(bench, archive, load(archive, rung, bench.one))


@lean
def evolve(bench: Bench, archive: Archive, n_parents: int, uniforms: Floats, budget: int) -> int:
    """Breed one offspring per row of uniforms from the lower rungs; return how many improved the front."""
    n_better = 0
    for row in range(len(uniforms)):
        if bench.room.work[0] >= budget:
            break
        draws = uniforms[row]
        n_nodes = load(archive, int(draws[RUNG] * n_parents), bench.one)
        n_nodes = vary(bench, archive, n_nodes, draws)
        n_better += improve(bench, archive, n_nodes) > 0
    return n_better


@lean
def vary(bench: Bench, archive: Archive, n_nodes: int, draws: Floats) -> int:
    """Change the tree in ``bench.one`` at a random node; return its number of nodes."""
    one, node, cases = bench.one, int(draws[NODE] * n_nodes), bench.numbers.cases
    if draws[KIND] < _GRAFTS:
        return _graft(bench, archive, n_nodes, node, draws)
    attribute = int(draws[TEST] * len(cases.codes))
    if draws[KIND] < _GRAFTS + _NEW_TESTS and one[ATTRIBUTE, node] != LEAF:
        one[ATTRIBUTE, node] = attribute
        one[VALUE, node] = int(draws[CUT] * cases.n_tests[attribute])
        return n_nodes
    return _regrow(bench, n_nodes, node, attribute, draws)


@lean
def _graft(bench: Bench, archive: Archive, n_nodes: int, node: int, draws: Floats) -> int:
    """Replace a node by a random subtree of a neighbouring size's tree."""
    other, rung = bench.other, 0
    while rung < len(archive.size) and archive.size[rung] < (n_nodes + 1) // 2:
        rung += 1
    reach = 1 + rung // 4
    partner = min(len(archive.size) - 1, max(0, rung - reach + int(draws[PARTNER] * (2 * reach + 1))))
    n_partner = load(archive, partner, other)
    graft = int(draws[GRAFT] * n_partner)
    return _replace(bench, n_nodes, node, other, graft, graft + other[SPAN, graft])


@lean
def _replace(bench: Bench, n_nodes: int, node: int, source: Draft, begin: int, end: int) -> int:
    """Replace a subtree by nodes of another tree, if they fit; return the tree's number of nodes."""
    one, spare, old_end = bench.one, bench.spare, node + bench.one[SPAN, node]
    if n_nodes - (old_end - node) + (end - begin) > one.shape[1]:
        return n_nodes
    at = copy_nodes(one, old_end, n_nodes, spare, 0)
    after = copy_nodes(source, begin, end, one, node)
    n_nodes = copy_nodes(spare, 0, at, one, after)
    set_spans(one, n_nodes)
    return n_nodes


@lean
def _regrow(bench: Bench, n_nodes: int, node: int, attribute: int, draws: Floats) -> int:
    """Replace a node by a greedy tree below a random first test; prune the tree to about its old size."""
    numbers, room, other = bench.numbers, bench.room, bench.other
    n_here = _gather(numbers, room, bench.one, node)
    if n_here < 2:
        return n_nodes
    code = numbers.cases.codes[attribute, room.order[0, int(draws[CUT] * n_here)]]
    value = min(code, numbers.cases.n_tests[attribute] - 1)
    middle = part_rows(numbers, room, (0, n_here), attribute, value)
    if middle in (0, n_here):
        return n_nodes
    other[ATTRIBUTE, 0], other[VALUE, 0] = attribute, value
    at = grow(numbers, room, (0, middle), 1, other, 1, 0)
    at = grow(numbers, room, (middle, n_here), 1, other, at, 0)
    n_leaves = (n_nodes + 1) // 2
    wanted = n_leaves + 1 + int(draws[MORE] * (1 + n_leaves // 4))
    return prune_to(bench, bench.one, _replace(bench, n_nodes, node, other, 0, at), wanted)


@lean
def _gather(numbers: Numbers, room: Room, draft: Draft, target: int) -> int:
    """Fill the sorted rows with the instances that reach a node; return their number."""
    cases, n, n_here = numbers.cases, len(numbers.target), 0
    for instance in range(n):
        node = 0
        while node < target and draft[ATTRIBUTE, node] != LEAF:
            attribute = draft[ATTRIBUTE, node]
            code, value = cases.codes[attribute, instance], draft[VALUE, node]
            passes = code <= value if cases.is_numeric[attribute] else code == value
            node = node + 1 if passes else node + 1 + draft[SPAN, node + 1]
        room.passes[instance] = node == target
        n_here += node == target
    fill_rows(numbers, room)
    for row in range(len(room.order)):
        found = 0
        for rank in range(n):
            if room.passes[room.order[row, rank]]:
                room.order[row, found] = room.order[row, rank]
                found += 1
    return n_here
