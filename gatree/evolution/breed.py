"""Breeding: crossover of two parents (Section 3, Figure 1), followed by an occasional mutation.

A child is written into a free slot; parents never change. `Births` records what the evaluator needs: the
parent that the child inherits from, and its *stale* nodes. Below a stale node the subtree may classify
instances differently than in that parent.

Random numbers are passed in, a row of uniform numbers per child, so breeding is a pure function.
"""

from __future__ import annotations

from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.mutations import (
    CUT,
    MUTATE,
    NO_LIMIT,
    NODE,
    OPERATOR,
    Materials,
    change_leaf,
    change_test,
    copy_nodes,
    grow,
    prune,
    shift_test,
)
from gatree.evolution.population import Slots, Trees, pick
from gatree.evolution.problem import Alphabet
from gatree.kernels.decorators import lean
from gatree.settings.evolution_settings import EvolutionSettings, Unchanged
from gatree.trees.genome import LEAF, Ints, depth_of, height_of, widen_ancestors

NONE = -1

_UNCHANGED = get_args(Unchanged)
SAVED, NOT_EVALUATED, EVALUATED = range(len(_UNCHANGED))


class Births(NamedTuple):
    """The children of a generation. The two stale nodes are in ascending order, NONE if absent."""

    slot: Slots  # the slot of the child
    source: Slots  # the slot of the parent it inherits from, NONE for an initial tree
    stale: Ints  # [child, 2]
    rejected: NDArray[np.bool_]  # the crossover would have exceeded max_nodes or max_depth
    is_known: NDArray[np.bool_]  # the child equals its source and is not evaluated


class Breeding(NamedTuple):
    """The settings of breeding, in the form that kernels take."""

    mutation_rate: float
    crossover_rate: float
    max_nodes: int
    max_depth: int
    max_added_nodes: int  # by a mutation
    grow_share: float  # of the mutations of leaves; the others change the class
    prune_share: float  # of the mutations of inner nodes; the others change the test
    shift_share: float
    copies: int  # how they are counted, see `mark_unchanged`
    root_swaps: int
    root_share: float  # see `crossover_point`

    def largest_child(self, largest: int) -> int:
        """Return the maximum size of a child of trees with up to ``largest`` nodes."""
        return min(2 * largest + self.max_added_nodes, self.max_nodes)


def breeding_of(settings: EvolutionSettings) -> Breeding:
    """Return the settings of breeding in the form that kernels take."""
    return Breeding(
        mutation_rate=settings.mutation_rate,
        crossover_rate=settings.crossover_rate,
        max_nodes=settings.max_nodes or NO_LIMIT,
        max_depth=settings.max_depth or NO_LIMIT,
        max_added_nodes=2 if settings.grow_share > 0 else 0,
        grow_share=settings.grow_share,
        prune_share=settings.prune_share,
        shift_share=settings.shift_share,
        copies=_UNCHANGED.index(settings.copies),
        root_swaps=_UNCHANGED.index(settings.root_swaps),
        root_share=settings.root_share,
    )


def empty_births(n: int) -> Births:
    """Allocate ``n`` births."""
    return Births(
        slot=np.zeros(n, dtype=np.int64),
        source=np.full(n, NONE, dtype=np.int64),
        stale=np.full((n, 2), NONE, dtype=np.int32),
        rejected=np.zeros(n, dtype=np.bool_),
        is_known=np.zeros(n, dtype=np.bool_),
    )


@lean
def crossover_point(uniform: float, n_nodes: int, root_share: float) -> int:
    """Return the root with probability root_share / n_nodes, else one of the other nodes, uniformly."""
    if root_share == 1.0:
        return pick(uniform, n_nodes)
    place = uniform * n_nodes
    if n_nodes == 1 or place < root_share:
        return 0
    other = pick((place - root_share) / (n_nodes - root_share), n_nodes - 1)
    return min(1 + other, n_nodes - 1)


@lean
def crossover(trees: Trees, host: int, cut: int, donor: int, graft: int, child: int) -> None:
    """Write the host's tree into a child, with the subtree at `cut` replaced by the donor's at `graft`."""
    removed = trees.span[host, cut]
    added = trees.span[donor, graft]
    behind = cut + removed
    n_behind = trees.n_nodes[host] - behind
    copy_nodes(trees, host, 0, cut, child, 0)
    copy_nodes(trees, donor, graft, added, child, cut)
    copy_nodes(trees, host, behind, n_behind, child, cut + added)
    trees.n_nodes[child] = cut + added + n_behind
    # The ancestors of the cut still have the host's spans, so the path down to the cut is found: it lies
    # at the start of the part that changed.
    widen_ancestors(trees.span, child, cut, added - removed)


@lean
def mutate(trees: Trees, child: int, node: int, breeding: Breeding, materials: Materials, row: int) -> None:
    """Apply one mutation to a node."""
    share = materials.draws[row, OPERATOR]
    if trees.attribute[child, node] == LEAF:
        if share < breeding.grow_share:
            grow(trees, child, node, materials, row)
        else:
            change_leaf(trees, child, node, materials, row)
    elif share < breeding.prune_share:
        prune(trees, child, node, materials, row)
    elif share < breeding.prune_share + breeding.shift_share:
        shift_test(trees, child, node, materials, row)
    else:
        change_test(trees, child, node, materials, row)


@lean
def mark_stale(births: Births, k: int, span: Ints, node: int) -> None:
    """Add a node to a child's stale nodes; of two nested ones keep the outer one."""
    child, earlier = births.slot[k], births.stale[k, 0]
    if earlier == NONE or node <= earlier < node + span[child, node]:
        births.stale[k, 0] = node
    elif node < earlier:
        births.stale[k, 0], births.stale[k, 1] = node, earlier
    elif node >= earlier + span[child, earlier]:
        births.stale[k, 1] = node


@lean
def copy_tree(trees: Trees, source: int, child: int) -> None:
    """Copy a tree into a child."""
    copy_nodes(trees, source, 0, trees.n_nodes[source], child, 0)
    trees.n_nodes[child] = trees.n_nodes[source]


@lean
def too_large(trees: Trees, host: int, cut: int, donor: int, graft: int, breeding: Breeding) -> bool:
    """Return whether a crossover would exceed the maximum size or depth."""
    n_nodes = trees.n_nodes[host] - trees.span[host, cut] + trees.span[donor, graft]
    if n_nodes > breeding.max_nodes:
        return True
    if breeding.max_depth == NO_LIMIT:
        return False
    above, below = depth_of(trees.span, host, 0, cut), height_of(trees.attribute, trees.span, donor, graft)
    return bool(above + below > breeding.max_depth)


@lean
def cross(trees: Trees, births: Births, k: int, donor: int, cut: int, graft: int, breeding: Breeding) -> None:
    """Write the crossover of a child's source, the host, with a donor into the child."""
    host, child = births.source[k], births.slot[k]
    if cut == 0 and graft == 0:  # two roots: the children are copies of the parents, swapped
        births.source[k] = donor
        copy_tree(trees, donor, child)
    elif too_large(trees, host, cut, donor, graft, breeding):
        births.rejected[k] = True
        copy_tree(trees, host, child)
    else:
        crossover(trees, host, cut, donor, graft, child)
        births.stale[k, 0] = cut


@lean
def mark_unchanged(births: Births, k: int, counts_as: int) -> None:
    """Mark a child that equals its source: nothing is stale, everything is, or it is not evaluated."""
    births.is_known[k] = counts_as == NOT_EVALUATED
    if counts_as == EVALUATED:
        births.stale[k, 0] = 0


@lean
def breed(
    trees: Trees,
    births: Births,
    parents: Slots,
    alphabet: Alphabet,
    breeding: Breeding,
    draws: NDArray[np.float64],
) -> int:
    """Fill the births' slots with children of the parents, two per pair; return how many were rejected.

    A pair of rows shares its two cut points. The draw of the first row also decides whether the pair is
    crossed. Parents and draws have an even number of rows; if the number of births is odd, the second child
    of the last pair is dropped. The tuples may be plain ones.
    """
    trees, births = Trees(*trees), Births(*births)
    alphabet, breeding = Alphabet(*alphabet), Breeding(*breeding)
    materials = Materials(alphabet, breeding.max_nodes, breeding.max_depth, draws)
    n_rejected = 0
    for k in range(len(births.slot)):
        first, partner = k & ~1, k ^ 1
        host, donor, child = parents[k], parents[partner], births.slot[k]
        births.source[k] = host
        births.stale[k, 0] = births.stale[k, 1] = NONE
        births.rejected[k] = births.is_known[k] = False
        is_crossed = draws[first, CUT] < breeding.crossover_rate
        if is_crossed:
            first_draw = draws[first, CUT] / breeding.crossover_rate  # uniform again
            second_draw = draws[first + 1, CUT]
            own_draw, other_draw = (first_draw, second_draw) if k == first else (second_draw, first_draw)
            cut = crossover_point(own_draw, trees.n_nodes[host], breeding.root_share)
            graft = crossover_point(other_draw, trees.n_nodes[donor], breeding.root_share)
            cross(trees, births, k, donor, cut, graft, breeding)
            n_rejected += births.rejected[k]
        else:
            copy_tree(trees, host, child)
        if draws[k, MUTATE] < breeding.mutation_rate:
            before = trees.n_nodes[child]
            node = pick(draws[k, NODE], before)
            mark_stale(births, k, trees.span, node)
            mutate(trees, child, node, breeding, materials, k)
            if births.stale[k, 1] > node:  # pruning or growing an earlier node has moved it
                births.stale[k, 1] -= before - trees.n_nodes[child]
        if births.stale[k, 0] == NONE:
            roots_swapped = is_crossed and not births.rejected[k]
            mark_unchanged(births, k, breeding.root_swaps if roots_swapped else breeding.copies)
    return n_rejected
