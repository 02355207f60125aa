"""Breeding: crossover of two parents (Section 3, Figure 1) and the mutations of Table 1.

A child is written into a free slot; parents are never changed. What the evaluator needs to know is
noted in `Births`: whom the child inherits from, and which nodes are *stale*, that is, at which
nodes the subtree below may classify its instances differently than in that parent.

All randomness comes in as uniform numbers, a row per child, so breeding is a pure function.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import Trees, pick
from gatree.evolution.problem import Alphabet
from gatree.jit import U, inlined, lean
from gatree.trees.genome import LEAF, Ints, widen_ancestors

NONE = -1

# What each column of a child's random numbers decides.
CUT, MUTATE, NODE, OPERATOR, ATTRIBUTE, TEST, CLASS = range(7)
N_DRAWS = 7


class Births(NamedTuple):
    """The children of a generation. The two stale nodes are in rising order, NONE where there is none."""

    slot: NDArray[np.int64]  # where the child is
    source: NDArray[np.int64]  # whom it inherits from, NONE for an initial tree
    stale: Ints  # [child, 2]
    rejected: NDArray[np.bool_]  # the crossover would have passed max_nodes


class Breeding(NamedTuple):
    """The settings of breeding, as kernels take them."""

    mutation_rate: float
    prune_share: float
    max_nodes: int
    crossover_rate: float = 1.0
    shift_share: float = 0.0
    grow_share: float = 0.0


@inlined
def copy_nodes(trees: Trees, source: int, start: int, n: int, child: int, at: int) -> None:
    """Copy n nodes of a tree, from a start, to a place in a child."""
    there, here = U(source), U(child)
    for k in range(n):
        old, new = U(start + k), U(at + k)
        trees.attribute[here, new] = trees.attribute[there, old]
        trees.value[here, new] = trees.value[there, old]
        trees.span[here, new] = trees.span[there, old]


@inlined
def crossover(trees: Trees, host: int, cut: int, donor: int, graft: int, child: int) -> None:
    """Write into a child the host's tree with the subtree at `cut` replaced by the donor's at `graft`."""
    removed = trees.span[host, cut]
    added = trees.span[donor, graft]
    behind = cut + removed
    n_behind = trees.n_nodes[host] - behind
    copy_nodes(trees, host, 0, cut, child, 0)
    copy_nodes(trees, donor, graft, added, child, cut)
    copy_nodes(trees, host, behind, n_behind, child, cut + added)
    trees.n_nodes[child] = cut + added + n_behind
    # The child's ancestors of the cut still have the host's spans, by which the way down is found:
    # the cut lies at the start of the part that changed.
    widen_ancestors(trees.span, child, cut, added - removed)


@inlined
def change_leaf(trees: Trees, child: int, node: int, alphabet: Alphabet, draw: float) -> None:
    """Leaf-Change: give a leaf one of the other classes."""
    if alphabet.n_classes > 1:
        other = pick(draw, alphabet.n_classes - 1)
        trees.value[child, node] = other + (other >= trees.value[child, node])


@inlined
def change_test(
    trees: Trees, child: int, node: int, alphabet: Alphabet, draws: NDArray[np.float64], row: int
) -> None:
    """Node-Change: give an inner node a new random test."""
    tested = alphabet.testable[pick(draws[row, ATTRIBUTE], len(alphabet.testable))]
    trees.attribute[child, node] = tested
    trees.value[child, node] = pick(draws[row, TEST], alphabet.n_tests[tested])


@inlined
def prune(trees: Trees, child: int, node: int, new_class: int) -> None:
    """Node-Prune: make an inner node a leaf, discarding all structure below."""
    removed = trees.span[child, node] - 1
    widen_ancestors(trees.span, child, node, -removed)
    trees.attribute[child, node] = LEAF
    trees.value[child, node] = new_class
    trees.span[child, node] = 1
    behind = node + 1 + removed
    copy_nodes(trees, child, behind, trees.n_nodes[child] - behind, child, node + 1)
    trees.n_nodes[child] -= removed


@inlined
def shift_test(trees: Trees, child: int, node: int, n_tests: int, draw: float) -> None:
    """Move an inner node's test to a neighbour: the next threshold or value, up or down."""
    if n_tests > 1:
        step = 1 if draw < 0.5 else -1
        moved = trees.value[child, node] + step
        trees.value[child, node] = moved if 0 <= moved < n_tests else moved - 2 * step  # the ends have one


@inlined
def grow(
    trees: Trees, child: int, node: int, alphabet: Alphabet, draws: NDArray[np.float64], row: int
) -> None:
    """Make a leaf a random test with two leaves: one of a random class, the other of the old one."""
    old_class = trees.value[child, node]
    widen_ancestors(trees.span, child, node, 2)
    for i in range(trees.n_nodes[child] - 1, node, -1):  # from the end: the two places overlap
        copy_nodes(trees, child, i, 1, child, i + 2)
    trees.n_nodes[child] += 2
    trees.span[child, node] = 3
    change_test(trees, child, node, alphabet, draws, row)
    for leaf in (node + 1, node + 2):
        trees.attribute[child, leaf] = LEAF
        trees.span[child, leaf] = 1
    trees.value[child, node + 1] = pick(draws[row, CLASS], alphabet.n_classes)
    trees.value[child, node + 2] = old_class


@inlined
def mutate(
    trees: Trees,
    child: int,
    node: int,
    alphabet: Alphabet,
    settings: Breeding,
    draws: NDArray[np.float64],
    row: int,
) -> None:
    """Apply one mutation to a node: one of Table 1, or, if they have a share, grow or shift."""
    operator, tested = draws[row, OPERATOR], trees.attribute[child, node]
    if tested == LEAF:
        may_grow = trees.n_nodes[child] + 2 <= settings.max_nodes and len(alphabet.testable) > 0
        if operator < settings.grow_share and may_grow:
            grow(trees, child, node, alphabet, draws, row)
        else:
            change_leaf(trees, child, node, alphabet, draws[row, CLASS])
    elif operator < settings.prune_share:
        prune(trees, child, node, pick(draws[row, CLASS], alphabet.n_classes))
    elif operator < settings.prune_share + settings.shift_share:
        shift_test(trees, child, node, alphabet.n_tests[tested], draws[row, TEST])
    else:
        change_test(trees, child, node, alphabet, draws, row)


@inlined
def note_stale(births: Births, k: int, span: Ints, node: int) -> None:
    """Add a node to a child's stale nodes; of two where one lies below the other, keep the outer one."""
    child, earlier = births.slot[k], births.stale[k, 0]
    if earlier == NONE or node <= earlier < node + span[child, node]:
        births.stale[k, 0] = node
    elif node < earlier:
        births.stale[k, 0], births.stale[k, 1] = node, earlier
    elif node >= earlier + span[child, earlier]:
        births.stale[k, 1] = node


@inlined
def copy_tree(trees: Trees, source: int, child: int) -> None:
    """Write a copy of a tree into a child."""
    copy_nodes(trees, source, 0, trees.n_nodes[source], child, 0)
    trees.n_nodes[child] = trees.n_nodes[source]


@inlined
def cross(trees: Trees, births: Births, k: int, donor: int, cut: int, graft: int, max_nodes: int) -> None:
    """Write into a child the crossover of its source, the host, with a donor."""
    host, child = births.source[k], births.slot[k]
    n_nodes = trees.n_nodes[host] - trees.span[host, cut] + trees.span[donor, graft]
    if cut == 0 and graft == 0:  # two roots: the trees, and all they know, are simply swapped
        births.source[k] = donor
        copy_tree(trees, donor, child)
    elif n_nodes > max_nodes:
        births.rejected[k] = True
        copy_tree(trees, host, child)
    else:
        crossover(trees, host, cut, donor, graft, child)
        births.stale[k, 0] = cut


@lean
def breed(
    trees: Trees,
    parents: NDArray[np.int64],
    births: Births,
    alphabet: Alphabet,
    settings: Breeding,
    draws: NDArray[np.float64],
) -> None:
    """Fill the births' slots with children of the parents, pair by pair, both children kept.

    A pair of rows shares its two cut points; the first one's draw also decides whether the pair is
    crossed. Parents and draws have an even number of rows; of an odd number of births the last pair's
    second child is left out.
    """
    trees, births = Trees(*trees), Births(*births)
    alphabet, settings = Alphabet(*alphabet), Breeding(*settings)
    for k in range(len(births.slot)):
        first, partner = k & ~1, k ^ 1
        host, donor, child = parents[k], parents[partner], births.slot[k]
        births.source[k] = host
        births.stale[k, 0] = births.stale[k, 1] = NONE
        births.rejected[k] = False
        if draws[first, CUT] < settings.crossover_rate:
            first_draw = draws[first, CUT] / settings.crossover_rate  # uniform again
            second_draw = draws[first + 1, CUT]
            cut = pick(first_draw if k == first else second_draw, trees.n_nodes[host])
            graft = pick(second_draw if k == first else first_draw, trees.n_nodes[donor])
            cross(trees, births, k, donor, cut, graft, settings.max_nodes)
        else:
            copy_tree(trees, host, child)
        if draws[k, MUTATE] < settings.mutation_rate:
            before = trees.n_nodes[child]
            node = pick(draws[k, NODE], before)
            note_stale(births, k, trees.span, node)
            mutate(trees, child, node, alphabet, settings, draws, k)
            if births.stale[k, 1] > node:  # pruning or growing before it has moved it
                births.stale[k, 1] -= before - trees.n_nodes[child]
