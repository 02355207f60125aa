"""The mutations of Table 1, by name, and besides them growing and shifting.

A mutation is a kernel that changes one node of a child, given the child's row of random numbers, of which
NODE and OPERATOR are already used. The caller infers how later nodes have moved from the child's number of
nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import Trees, pick
from gatree.evolution.problem import Alphabet
from gatree.kernels.decorators import U, lean
from gatree.trees.genome import LEAF, depth_of, widen_ancestors

N_DRAWS = 7
CUT, MUTATE, NODE, OPERATOR, ATTRIBUTE, TEST, CLASS = range(-N_DRAWS, 0)
"""The last columns of a child's random numbers, by what they decide; those of selection come before."""

NO_LIMIT = np.iinfo(np.int32).max

Draws = NDArray[np.float64]


class Materials(NamedTuple):
    """The inputs of mutations: what nodes are drawn from, and the size limits; used in kernels only."""

    alphabet: Alphabet
    max_nodes: int
    max_depth: int
    draws: Draws  # [child, column]


@lean
def copy_nodes(trees: Trees, source: int, start: int, n: int, child: int, at: int) -> None:
    """Copy n nodes of a tree, from `start` on, to position `at` of a child."""
    there, here = U(source), U(child)
    for k in range(n):
        old, new = U(start + k), U(at + k)
        trees.attribute[here, new] = trees.attribute[there, old]
        trees.value[here, new] = trees.value[there, old]
        trees.span[here, new] = trees.span[there, old]


@lean
def change_leaf(trees: Trees, child: int, node: int, materials: Materials, row: int) -> None:
    """Leaf-Change: give a leaf one of the other classes."""
    n_classes = materials.alphabet.n_classes
    if n_classes > 1:
        other = pick(materials.draws[row, CLASS], n_classes - 1)
        trees.value[child, node] = other + (other >= trees.value[child, node])


@lean
def change_test(trees: Trees, child: int, node: int, materials: Materials, row: int) -> None:
    """Node-Change: give an inner node a new random test."""
    alphabet, draws = materials.alphabet, materials.draws
    tested = alphabet.testable[pick(draws[row, ATTRIBUTE], len(alphabet.testable))]
    trees.attribute[child, node] = tested
    trees.value[child, node] = pick(draws[row, TEST], alphabet.n_tests[tested])


@lean
def prune(trees: Trees, child: int, node: int, materials: Materials, row: int) -> None:
    """Node-Prune: replace an inner node and everything below it by a leaf."""
    removed = trees.span[child, node] - 1
    widen_ancestors(trees.span, child, node, -removed)
    trees.attribute[child, node] = LEAF
    trees.value[child, node] = pick(materials.draws[row, CLASS], materials.alphabet.n_classes)
    trees.span[child, node] = 1
    behind = node + 1 + removed
    copy_nodes(trees, child, behind, trees.n_nodes[child] - behind, child, node + 1)
    trees.n_nodes[child] -= removed


@lean
def shift_test(trees: Trees, child: int, node: int, materials: Materials, row: int) -> None:
    """Shift an inner node's test to the next threshold or value, up or down."""
    n_tests = materials.alphabet.n_tests[trees.attribute[child, node]]
    if n_tests > 1:
        step = 1 if materials.draws[row, TEST] < 0.5 else -1
        moved = trees.value[child, node] + step
        trees.value[child, node] = moved if 0 <= moved < n_tests else moved - 2 * step  # ends: one way only


@lean
def grow(trees: Trees, child: int, node: int, materials: Materials, row: int) -> None:
    """Replace a leaf by a random test with two leaves: one of a random class, the other of the old class.

    If the size or depth limit forbids that, or nothing can be tested, change the leaf's class instead.
    """
    no_room = trees.n_nodes[child] + 2 > materials.max_nodes or len(materials.alphabet.testable) == 0
    if no_room or (
        materials.max_depth < NO_LIMIT and depth_of(trees.span, child, 0, node) >= materials.max_depth
    ):
        change_leaf(trees, child, node, materials, row)
        return
    old_class = trees.value[child, node]
    widen_ancestors(trees.span, child, node, 2)
    for i in range(trees.n_nodes[child] - 1, node, -1):  # from the end: source and target overlap
        copy_nodes(trees, child, i, 1, child, i + 2)
    trees.n_nodes[child] += 2
    trees.span[child, node] = 3
    change_test(trees, child, node, materials, row)
    for leaf in (node + 1, node + 2):
        trees.attribute[child, leaf] = LEAF
        trees.span[child, leaf] = 1
    trees.value[child, node + 1] = pick(materials.draws[row, CLASS], materials.alphabet.n_classes)
    trees.value[child, node + 2] = old_class
