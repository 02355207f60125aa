"""The numbers of the training samples at every node of a regression tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatree.trees.genome import Tree

Floats = NDArray[np.float64]

N_BINS = 16


@dataclass(frozen=True)
class NodeNumbers:
    """The numbers of the samples at every node of a regression tree."""

    n: NDArray[np.int64]
    mean: Floats  # of a node without samples its parent's
    errors: Floats  # sums of squared deviations from the mean
    bins: NDArray[np.int64]  # [node, bin]: histograms with the same edges
    edges: Floats

    @classmethod
    def of(cls, tree: Tree, reached: NDArray[np.integer], target: Floats) -> NodeNumbers:
        """Return the numbers at the nodes of a tree, given the leaf that every sample reaches."""
        n_nodes = tree.n_nodes
        edges = np.histogram_bin_edges(target, N_BINS)
        bin_of = (np.searchsorted(edges, target, side="right") - 1).clip(0, N_BINS - 1)
        n, bins = np.zeros(n_nodes, dtype=np.int64), np.zeros((n_nodes, N_BINS), dtype=np.int64)
        mean, errors = np.full(n_nodes, target.mean()), np.zeros(n_nodes)
        for node in range(n_nodes):
            end = node + int(tree.span[node])
            here = (reached >= node) & (reached < end)
            numbers = target[here]
            n[node] = len(numbers)
            mean[node:end] = numbers.mean() if len(numbers) else mean[node]  # those below follow
            errors[node] = ((numbers - mean[node]) ** 2).sum()
            bins[node] = np.bincount(bin_of[here], minlength=N_BINS)
        return cls(n, mean, errors, bins, edges)

    @property
    def deviation(self) -> Floats:
        """The standard deviation at every node."""
        return np.sqrt(self.errors / np.maximum(self.n, 1))

    def merged(self, sources: Sequence[Sequence[int]]) -> NodeNumbers:
        """Return the numbers of nodes that each take the place of some nodes of this tree."""
        n = np.array([self.n[nodes].sum() for nodes in map(list, sources)])
        mean, errors = np.zeros(len(n)), np.zeros(len(n))
        for node, old in enumerate(map(list, sources)):
            weights = self.n[old] if n[node] else np.ones(len(old))
            mean[node] = np.average(self.mean[old], weights=weights)
            errors[node] = (self.errors[old] + self.n[old] * (self.mean[old] - mean[node]) ** 2).sum()
        bins = np.array([self.bins[nodes].sum(axis=0) for nodes in map(list, sources)])
        return NodeNumbers(n, mean, errors, bins, self.edges)
