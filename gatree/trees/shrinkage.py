"""Class probabilities of a tree's nodes: frequencies, drawn towards those of the node above.

A pure leaf of three rows says little, so its frequencies are shrunk towards what the rows above it say
(hierarchical shrinkage: Agarwal et al., 2022). The tree and the class of every leaf stay as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.trees.genome import LEAF, Tree
from gatree.trees.numbers import Floats

MARGIN = 1e-6
"""By how much the probability of a leaf's class leads at least, so that numbers of 32 bits show it, too."""


class Shrinkage(NamedTuple):
    """How the class frequencies of nodes become probabilities.

    A node differs from the one above, of n samples, by n / (n + strength) of its own difference; the root's
    frequencies count one more sample of every class. A strength of 0 leaves all frequencies as they are.
    """

    strength: float = 0.0
    class_weight: tuple[int, ...] | None = None  # of a correct row of every class
    per_sample: int = 1  # what the counts of a tree have for a sample of weight one


FREQUENCIES = Shrinkage()


def probabilities(tree: Tree, counts: NDArray[np.int64], shrinkage: Shrinkage) -> Floats:
    """Return the class probabilities of every node, ``[node, class]``.

    Where shrinkage would put another class level with a leaf's own or ahead of it, although no class is more
    frequent there, it is reduced until the leaf's class leads.
    """
    strengths = np.array([shrinkage.strength])
    return np.asarray(probabilities_by_strength(tree, counts, shrinkage, strengths)[0])


def probabilities_by_strength(
    tree: Tree, counts: NDArray[np.int64], shrinkage: Shrinkage, strengths: Floats
) -> Floats:
    """Return the same for other strengths than that of ``shrinkage``, ``[strength, node, class]``."""
    weight = np.ones(counts.shape[1]) if shrinkage.class_weight is None else np.array(shrinkage.class_weight)
    frequencies = _frequencies(tree, np.asarray(counts * weight, dtype=np.float64))
    found, parents = np.tile(frequencies, (len(strengths), 1, 1)), tree.parents()
    one_more = (counts[0] + shrinkage.per_sample) * weight
    is_shrunk = strengths > 0
    found[is_shrunk, 0] = one_more / one_more.sum()
    n_samples = counts.sum(axis=1) / shrinkage.per_sample
    n_above = n_samples[parents]
    known = n_samples > 0  # a node without rows says nothing of its own
    kept = np.divide(
        n_above, n_above + strengths[:, None], where=known, out=np.zeros((len(strengths), len(known)))
    )
    for nodes in _levels(parents):
        above = found[:, parents[nodes]]
        found[:, nodes] = above + kept[:, nodes, None] * (frequencies[nodes] - above)
    found[~is_shrunk] = frequencies
    for row in np.flatnonzero(is_shrunk).tolist():
        for leaf in _not_leading(tree, found[row]).tolist():
            above = found[row, parents[leaf]]
            found[row, leaf] = _leading(int(tree.value[leaf]), found[row, leaf], frequencies[leaf], above)
    return found


def _levels(parents: NDArray[np.integer]) -> list[NDArray[np.intp]]:
    """Return the nodes of every level below the root, from the top."""
    depth = np.zeros(len(parents), dtype=np.int64)
    for node, parent in enumerate(parents[1:].tolist(), 1):
        depth[node] = depth[parent] + 1
    return [np.flatnonzero(depth == level) for level in range(1, int(depth.max()) + 1)]


def _not_leading(tree: Tree, found: Floats) -> NDArray[np.intp]:
    """Return the leaves whose class does not lead by a margin."""
    leaves = np.flatnonzero(tree.attribute == LEAF)
    others, own = found[leaves], (np.arange(len(leaves)), tree.value[leaves])
    lead = others[own]
    others[own] = -np.inf
    return np.asarray(leaves[lead - others.max(axis=1) < MARGIN])


def _frequencies(tree: Tree, weights: Floats) -> Floats:
    """Return the class frequencies of every node; a leaf without rows has its class alone."""
    alone = np.flatnonzero((tree.attribute == LEAF) & (weights.sum(axis=1) == 0))
    weights[alone, tree.value[alone]] = 1
    return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny))


def _leading(label: int, shrunk: Floats, own: Floats, above: Floats) -> Floats:
    """Return the probabilities of a leaf, shrunk less where its class would not lead.

    A leaf whose class is not the most frequent one, as costs may demand, keeps what shrinkage gives.
    """
    others = np.arange(len(own)) != label
    if own[label] < own.max() or np.all(shrunk[label] - shrunk[others] >= MARGIN):
        return shrunk
    ahead, own_lead = above[others] - above[label], own[label] - own[others]
    if np.any(own_lead < MARGIN):  # tied counts
        found = own + MARGIN * ~others
        return np.asarray(found / found.sum())
    kept = float(np.max((ahead + MARGIN) / (ahead + own_lead), where=ahead > -MARGIN, initial=0.0))
    return np.asarray(above + kept * (own - above))
