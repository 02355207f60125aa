"""The loop of a search: local search and evolution on all sizes together.

An offspring is a tree of the front with one change: a subtree from the tree of a neighbouring size, a random
test, or a new subtree grown below a random first test. Sweeps improve it, its leaves are fully grown, and its
best prunings replace worse trees. So one offspring may improve the front at many sizes, and no size ever gets
worse. The search is a pure function: random numbers are passed as a row of uniforms per offspring.
"""

from __future__ import annotations

from gatree.kernels.decorators import jit, lean
from gatree.smalltree.draft import (
    Draft,
    Workspace,
    copy_nodes,
    fill_rows,
    gather,
    replace_subtree,
    set_depths,
    set_spans,
)
from gatree.smalltree.grow import ENTROPY, GAIN_RATIO, MEANS, grow
from gatree.smalltree.prune import Archive, load, offer, prune_to, prunings, weigh
from gatree.smalltree.sweep import grow_out, sweep
from gatree.smalltree.task import Floats, Longs
from gatree.trees.genome import LEAF

SIZE, KIND, NODE, PARTNER, GRAFT, TEST, CUT, MORE, WALK, SECOND, THIRD = range(11)  # of the uniforms
N_UNIFORMS = 11

POLISHING = 0.5
"""The share of a search's work after which no further tree is polished."""

_GRAFTS, _NEW_TESTS = 0.3, 0.3  # shares of the offspring; the others get a new subtree
_WALKS = 0.5  # share of the offspring that change at a node found by a walk from the root
_SWEEPS = 4
_OFFERED = 2  # steps per value, and per node and size, to grow a tree fully and to offer its prunings


@jit
def offer_prunings(workspace: Workspace, draft: Draft, n_nodes: int, archive: Archive) -> int:
    """Offer the best prunings of a tree; return how many sizes they improve."""
    found = prunings(workspace, draft, n_nodes, archive.n_leaves[len(archive.score) - 1])
    return offer(draft, found, archive, workspace.spare)


@lean
def offer_greedy(workspace: Workspace, archive: Archive, criterion: int) -> None:
    """Offer the best prunings of a greedy tree."""
    fill_rows(workspace.task.cases, workspace.buffers.order)
    segment = (0, len(workspace.task.counts))
    n_nodes = grow(workspace.task, workspace.buffers, segment, criterion, (LEAF, 0), workspace.one, 0, 0)
    set_spans(workspace.one, n_nodes)
    offer_prunings(workspace, workspace.one, n_nodes, archive)


@lean
def sweep_all(workspace: Workspace, n_nodes: int) -> tuple[int, bool]:
    """Sweep the tree in ``workspace.one`` while it changes; return its nodes, and whether it still does."""
    task, buffers, one, changed = workspace.task, workspace.buffers, workspace.one, True
    stale = buffers.nodes.stale
    for node in range(n_nodes):
        stale[node] = 1
    for _ in range(_SWEEPS):
        if not task.are_classes:
            weigh(task, buffers, one)
        n_nodes, changed = sweep(task, buffers, one, workspace.other)
        copy_nodes(workspace.other, 0, n_nodes, one, 0)
        set_spans(one, n_nodes)
        if not changed:
            break
        for node in range(n_nodes - 1, -1, -1):  # a change makes the tests above it stale
            if one.attribute[node] != LEAF:
                left = node + 1
                stale[node] = max(stale[node], stale[left], stale[left + one.span[left]])
    return n_nodes, changed


@lean
def improve(workspace: Workspace, archive: Archive, n_nodes: int) -> int:
    """Sweep the tree in ``workspace.one`` while it changes, grow it fully, and offer its prunings."""
    task, buffers = workspace.task, workspace.buffers
    n_nodes, _ = sweep_all(workspace, n_nodes)
    criterion = ENTROPY if task.are_classes else MEANS
    n_nodes = grow_out(task, buffers, workspace.one, n_nodes, criterion, workspace.other)
    set_spans(workspace.other, n_nodes)
    buffers.n_steps[0] += _OFFERED * (task.cases.codes.size + n_nodes * len(archive.score))
    return offer_prunings(workspace, workspace.other, n_nodes, archive)


@lean
def polish(workspace: Workspace, archive: Archive, chosen: Longs, budget: int) -> None:
    """Improve the trees of the given sizes, one after the other, within a budget of work."""
    for place in chosen:
        if workspace.buffers.n_steps[0] >= budget:
            break
        improve(workspace, archive, load(archive, place, workspace.one))


@lean
def evolve(
    workspace: Workspace, archive: Archive, n_parents: int, prefers_large: bool, uniforms: Floats, budget: int
) -> int:
    """Breed one offspring per row of uniforms from the lower sizes; return how many improved the front.

    Parents are drawn evenly over the sizes, or mostly among the largest if only these are wanted.
    """
    n_better = 0
    for row in range(len(uniforms)):
        if workspace.buffers.n_steps[0] >= budget:
            break
        draws = uniforms[row]
        share = max(draws[SIZE], draws[SECOND], draws[THIRD]) if prefers_large else draws[SIZE]
        n_nodes = load(archive, int(share * n_parents), workspace.one)
        n_nodes = _vary(workspace, archive, n_nodes, draws)
        if workspace.task.is_limited:
            n_nodes = _prune(workspace, n_nodes, (n_nodes + 1) // 2)
        n_better += improve(workspace, archive, n_nodes) > 0
    return n_better


@lean
def _walk(draft: Draft, draw: float) -> int:
    """Return a node on a random path from the root: each node on it is as likely to be the last."""
    node = 0
    while draft.attribute[node] != LEAF:
        draw *= 3.0
        if draw < 1.0:
            break
        goes_left = draw < 2.0
        draw -= 1.0 if goes_left else 2.0
        node = node + 1 if goes_left else node + 1 + draft.span[node + 1]
    return node


@lean
def _vary(workspace: Workspace, archive: Archive, n_nodes: int, draws: Floats) -> int:
    """Change the tree in ``workspace.one`` at a random node; return its number of nodes."""
    one, cases, first = workspace.one, workspace.task.cases, workspace.task.limits.first
    node = _walk(one, draws[NODE]) if draws[WALK] < _WALKS else int(draws[NODE] * n_nodes)
    if draws[KIND] < _GRAFTS:
        return _graft(workspace, archive, n_nodes, node, draws)
    attribute = int(draws[TEST] * len(cases.codes))
    if node == 0 and first != LEAF:
        attribute = first
    if draws[KIND] < _GRAFTS + _NEW_TESTS and one.attribute[node] != LEAF:
        one.attribute[node] = attribute
        one.value[node] = int(draws[CUT] * cases.n_tests[attribute])
        return n_nodes
    return _regrow(workspace, n_nodes, node, attribute, draws)


@lean
def _graft(workspace: Workspace, archive: Archive, n_nodes: int, node: int, draws: Floats) -> int:
    """Replace a node by a random subtree of a neighbouring size's tree."""
    place, n_sizes, other = 0, len(archive.score), workspace.other
    while place < n_sizes and archive.n_leaves[place] < (n_nodes + 1) // 2:
        place += 1
    reach = 1 + place // 4
    partner = min(n_sizes - 1, max(0, place - reach + int(draws[PARTNER] * (2 * reach + 1))))
    n_partner = load(archive, partner, other)
    graft = int(draws[GRAFT] * n_partner)
    return replace_subtree(
        workspace.one, n_nodes, node, other, graft, graft + other.span[graft], workspace.spare
    )


@lean
def _regrow(workspace: Workspace, n_nodes: int, node: int, attribute: int, draws: Floats) -> int:
    """Replace a node by a greedy tree below a random first test; prune the tree to about its old size."""
    task, buffers, order = workspace.task, workspace.buffers, workspace.buffers.order
    cases = task.cases
    n_here = gather(cases, order, buffers.passes, workspace.one, node)
    if n_here < 2:
        return n_nodes
    code = cases.codes[attribute, order[0, int(draws[CUT] * n_here)]]
    test = (attribute, min(code, cases.n_tests[attribute] - 1))
    set_depths(workspace.one, n_nodes, buffers.nodes)
    criterion = (ENTROPY if draws[GRAFT] < 0.5 else GAIN_RATIO) if task.are_classes else MEANS
    end = grow(task, buffers, (0, n_here), criterion, test, workspace.other, 0, buffers.nodes.depth[node])
    n_leaves = (n_nodes + 1) // 2
    wanted = n_leaves + 1 + int(draws[MORE] * (1 + n_leaves // 4))
    n_nodes = replace_subtree(workspace.one, n_nodes, node, workspace.other, 0, end, workspace.spare)
    return _prune(workspace, n_nodes, wanted)


@jit
def _prune(workspace: Workspace, n_nodes: int, n_leaves: int) -> int:
    """Prune the tree in ``workspace.one`` to at most ``n_leaves`` leaves; return its nodes."""
    found = prunings(workspace, workspace.one, n_nodes, n_leaves)
    return prune_to(workspace.one, found, n_leaves, workspace.spare)
