"""The loop of a search for trees of classes or numbers: local search and evolution on all sizes together.

An offspring is a tree of the front with one change: a subtree from the tree of a neighbouring size, a random
test, or a new subtree grown below a random first test. Sweeps improve it, its leaves are fully grown, and its
best prunings replace worse trees. So one offspring may improve the front at many sizes, and no size ever gets
worse. The search is a pure function: random numbers are passed as a row of uniforms per offspring.

The functions are templates (`specialised`): `Loop.of` compiles them for the kernels of one kind of tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.front.archive import Archive, load
from gatree.front.draft import ATTRIBUTE, SPAN, VALUE, copy_nodes, gather, replace_subtree, set_spans
from gatree.kernels.decorators import lean, specialised
from gatree.trees.genome import LEAF

RUNG, KIND, NODE, PARTNER, GRAFT, TEST, CUT, MORE = range(8)  # the columns of the uniforms
N_UNIFORMS = 8

POLISHING = 0.5
"""The share of a search's work after which no further greedy tree is polished."""

_GRAFTS, _NEW_TESTS = 0.3, 0.3  # shares of the offspring; the others get a new subtree
_SWEEPS = 4

Kernel = Callable[..., Any]


class Loop(NamedTuple):
    """The compiled loop of a search."""

    improve: Kernel
    polish: Kernel
    evolve: Kernel

    @classmethod
    def of(cls, name: str, **kernels: Kernel) -> Loop:
        """Compile the loop for the kernels of one kind of tree, named after it.

        - ``sweep(bench, n_nodes)`` writes the tree in ``bench.one`` with better tests into ``bench.other``;
          it returns the number of nodes, and whether the tree changed.
        - ``grow_out(bench, archive, n_nodes)`` fully grows the leaves of the tree in ``bench.one`` and offers
          the prunings of the result; it returns how many rungs they improve.
        - ``grow_below(bench, n_here, node, test, draws)`` grows a tree with this first test on the gathered
          instances of a node into ``bench.other``; it returns the number of nodes, 0 for no tree.
        - ``prune(bench, n_nodes, n_leaves)`` prunes the tree in ``bench.one`` and returns its nodes.
        - ``is_limited(bench)`` returns whether an offspring must be pruned before it is improved.
        - ``first(bench)`` returns the attribute that the root tests, or LEAF for any.
        """

        def compiled(template: Kernel, **others: Kernel) -> Kernel:
            own = f"{template.__name__.removeprefix('_')}_{name}"
            return lean(specialised(template, own, **kernels, **others))

        improve, regrow = compiled(_improve), compiled(_regrow)
        return cls(
            improve,
            polish=compiled(_polish, improve=improve),
            evolve=compiled(_evolve, improve=improve, vary=compiled(_vary, regrow=regrow)),
        )


def _stand_in(*arguments: Any) -> Any:
    """Stand for a kernel that `Loop.of` puts in its place."""


sweep = grow_out = grow_below = prune = is_limited = first = improve = vary = regrow = _stand_in


def _improve(bench: Any, archive: Archive, n_nodes: int) -> Any:
    """Sweep the tree in ``bench.one`` until it no longer changes, grow it fully, and offer its prunings."""
    for _ in range(_SWEEPS):
        n_nodes, changed = sweep(bench, n_nodes)
        copy_nodes(bench.other, 0, n_nodes, bench.one, 0)
        set_spans(bench.one, n_nodes)
        if not changed:
            break
    return grow_out(bench, archive, n_nodes)


def _polish(bench: Any, archive: Archive, chosen: NDArray[np.int64], budget: int) -> None:
    """Improve the trees of the given rungs, one after the other, within a budget of work."""
    for rung in chosen:
        if bench.room.work[0] >= budget:
            break
        improve(bench, archive, load(archive, rung, bench.one))


def _evolve(bench: Any, archive: Archive, n_parents: int, uniforms: NDArray[np.float64], budget: int) -> int:
    """Breed one offspring per row of uniforms from the lower rungs; return how many improved the front."""
    n_better = 0
    for row in range(len(uniforms)):
        if bench.room.work[0] >= budget:
            break
        draws = uniforms[row]
        n_nodes = load(archive, int(draws[RUNG] * n_parents), bench.one)
        n_nodes = vary(bench, archive, n_nodes, draws)
        if is_limited(bench):
            n_nodes = prune(bench, n_nodes, (n_nodes + 1) // 2)
        n_better += improve(bench, archive, n_nodes) > 0
    return n_better


def _vary(bench: Any, archive: Archive, n_nodes: int, draws: NDArray[np.float64]) -> Any:
    """Change the tree in ``bench.one`` at a random node; return its number of nodes."""
    one, node, cases = bench.one, int(draws[NODE] * n_nodes), bench.cases
    if draws[KIND] < _GRAFTS:
        return _graft(bench.one, bench.other, bench.spare, archive, n_nodes, node, draws)
    attribute = int(draws[TEST] * len(cases.codes))
    if node == 0 and first(bench) != LEAF:
        attribute = first(bench)
    if draws[KIND] < _GRAFTS + _NEW_TESTS and one[ATTRIBUTE, node] != LEAF:
        one[ATTRIBUTE, node] = attribute
        one[VALUE, node] = int(draws[CUT] * cases.n_tests[attribute])
        return n_nodes
    return regrow(bench, n_nodes, node, attribute, draws)


@lean
def _graft(
    one: Any, other: Any, spare: Any, archive: Archive, n_nodes: int, node: int, draws: NDArray[np.float64]
) -> int:
    """Replace a node by a random subtree of a neighbouring size's tree."""
    rung, n_rungs = 0, len(archive.rungs)
    while rung < n_rungs and archive.rungs[rung]["size"] < (n_nodes + 1) // 2:
        rung += 1
    reach = 1 + rung // 4
    partner = min(n_rungs - 1, max(0, rung - reach + int(draws[PARTNER] * (2 * reach + 1))))
    n_partner = load(archive, partner, other)
    graft = int(draws[GRAFT] * n_partner)
    return replace_subtree(one, n_nodes, node, other, graft, graft + other[SPAN, graft], spare)


def _regrow(bench: Any, n_nodes: int, node: int, attribute: int, draws: NDArray[np.float64]) -> Any:
    """Replace a node by a greedy tree below a random first test; prune the tree to about its old size."""
    cases, order = bench.cases, bench.room.order
    n_here = gather(cases, order, bench.room.passes, bench.one, node)
    if n_here < 2:
        return n_nodes
    code = cases.codes[attribute, order[0, int(draws[CUT] * n_here)]]
    test = (attribute, min(code, cases.n_tests[attribute] - 1))
    end = grow_below(bench, n_here, node, test, draws)
    if end == 0:
        return n_nodes
    n_leaves = (n_nodes + 1) // 2
    wanted = n_leaves + 1 + int(draws[MORE] * (1 + n_leaves // 4))
    n_nodes = replace_subtree(bench.one, n_nodes, node, bench.other, 0, end, bench.spare)
    return prune(bench, n_nodes, wanted)
