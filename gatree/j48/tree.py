"""A finished J48 tree: flat arrays in preorder, class probabilities, WEKA's text form, and its conversion.

An instance with a missing value goes down every branch of the test, weighted by the branch's share of the
training instances. A branch without training instances predicts with the class weights of its parent.

A J48 tree can be converted to a `DecisionTree`, to draw, save, export or evolve it. A test with a branch per
value becomes a chain of tests for single values. The `DecisionTree` keeps the weights, so it predicts as J48
does, also for missing values and for numbers up to 1e-6 above a threshold, which are equal to it in WEKA.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, counted, visible
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.j48.problem import as_floats
from gatree.j48.tables import (
    EVERY_VALUE,
    NUMERIC,
    ONE_VALUE,
    TOLERANCE,
    Floats,
    Ints,
    equal,
    greater,
    majority,
)
from gatree.trees.model import DecisionTree
from gatree.trees.spread import Spread, SpreadWeights

Int32s = NDArray[np.int32]


class Nodes(NamedTuple):
    """The nodes in preorder, one entry each; node 0 is the root."""

    attribute: Ints  # the tested attribute, -1 for a leaf
    kind: Ints  # of the test: see gatree.j48.tables
    threshold: Floats  # or the index of the value
    parent: Ints  # the root is its own
    children: list[list[int]]
    counts: Floats  # the training weight of every class, and their sum
    branch_counts: Floats  # the same for the branch to the node, as its parent counted it
    is_empty: NDArray[np.bool_]  # a leaf that no training instance reached


class _Converted(NamedTuple):
    """A node of a `DecisionTree`: a test of a node of J48's, which may need several, or a leaf."""

    tested: int
    value: float
    counts: Floats
    passing: float  # the share of missing values that pass
    deciding: Floats  # the weights that decide the class


@dataclass(frozen=True, eq=False)
class J48Tree:
    """A decision tree built by J48. As in WEKA, trees with binary splits print thresholds in full."""

    attributes: tuple[Attribute, ...]
    class_attribute: Attribute
    nodes: Nodes
    binary_splits: bool
    laplace: bool = False

    @property
    def size(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.nodes.attribute)

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.nodes.attribute < 0))

    def distribution(self, dataset: Dataset) -> Floats:
        """Return the probability of every class for every instance.

        A row of zeros means that the instance cannot be classified: pruning left a leaf without instances.
        """
        if dataset.attributes != self.attributes:
            raise DataError(f"{dataset.name}: the attributes are not those that the tree was built from")
        values, nodes = as_floats(dataset), self.nodes
        routes = Spread(0, dataset.n_instances, len(self.class_attribute.values))
        for node, rows in routes:
            children = nodes.children[node]
            if not children:
                routes.end(self._frequencies(node))
                continue
            kind, threshold = nodes.kind[node], nodes.threshold[node]
            cells = values[nodes.attribute[node], rows]
            taken = np.nan_to_num(cells)
            if kind != EVERY_VALUE:
                taken = taken != threshold if kind == ONE_VALUE else taken - threshold >= TOLERANCE
            shares = nodes.branch_counts[children, -1] / nodes.counts[node, -1]
            shares[nodes.is_empty[children]] = 0.0
            routes.branch(
                [
                    (child, np.where(np.isnan(cells), shares[branch], taken == branch))
                    for branch, child in enumerate(children)
                ]
            )
        return routes.probabilities()

    def _frequencies(self, leaf: int) -> Floats:
        """Return the class shares of a leaf; one that no training instance reached has its parent's."""
        counts = self.nodes.counts[leaf]
        if self.nodes.is_empty[leaf] and leaf > 0:
            at_branch = self.nodes.branch_counts[leaf]
            counts = at_branch if greater(at_branch[-1], 0.0) else self.nodes.counts[self.nodes.parent[leaf]]
        extra = 1.0 if self.laplace else 0.0
        total = counts[-1] + extra * (len(counts) - 1)
        return np.zeros(len(counts) - 1) if equal(total, 0.0) else (counts[:-1] + extra) / total

    def predict(self, dataset: Dataset) -> Int32s:
        """Return the most probable class of every instance, -1 if it cannot be classified."""
        return most_probable(self.distribution(dataset))

    def __repr__(self) -> str:
        size = f"{counted(self.size, 'node')}, {counted(self.n_leaves, 'leaf', 'leaves')}"
        return f"<J48Tree of {self.class_attribute.name!r}: {size}>"

    def __str__(self) -> str:
        return self.to_text() + "\n"

    def to_decision_tree(self) -> DecisionTree:
        """Convert the tree to a `DecisionTree`.

        Its counts are J48's weights, rounded: with missing values the weights are fractional.
        """
        nodes, extra = self.nodes, 1.0 if self.laplace else 0.0
        converted: list[_Converted] = []
        pending = [(0, 0)]  # a node, and the first of its branches that has no test yet
        while pending:
            node, branch = pending.pop()
            later = nodes.children[node][branch:]
            deciding = self._deciding_weights(node)[:-1] + extra
            there = nodes.branch_counts[later, -1] * ~nodes.is_empty[later]
            value = float(branch if nodes.kind[node] == EVERY_VALUE else nodes.threshold[node])
            converted.append(
                _Converted(
                    tested=nodes.attribute[node],
                    value=value if later else float(deciding.argmax()),
                    counts=nodes.counts[node] if branch == 0 else nodes.branch_counts[later].sum(axis=0),
                    passing=float(there[0] / there.sum()) if there.sum() > 0 else 0.0,
                    deciding=deciding,
                )
            )
            if later:
                failed = (later[1], 0) if len(later) == 2 else (node, branch + 1)
                pending += [failed, (later[0], 0)]
        return DecisionTree.of_nodes(
            [each.tested for each in converted],
            [each.value for each in converted],
            self.attributes,
            self.class_attribute,
            counts=np.rint(np.array([each.counts for each in converted])[:, :-1]).astype(np.int64),
            weights=SpreadWeights(
                np.array([each.passing for each in converted]),
                np.array([each.deciding for each in converted]),
            ),
        )

    def _deciding_weights(self, node: int) -> Floats:
        """Return the weights that decide a leaf's class: its parent's if no training instance reached it."""
        for weights in (self.nodes.counts[node], self.nodes.branch_counts[node]):
            if weights[-1] > 0:
                return np.asarray(weights)
        return np.asarray(self.nodes.counts[self.nodes.parent[node]])

    def to_text(self) -> str:
        """Return the tree as WEKA prints it."""
        if self.size == 1:
            return f": {self._label(0)}"
        lines, depths = [], [-1]
        branch_to = {child: at for children in self.nodes.children for at, child in enumerate(children)}
        for node, parent in enumerate(self.nodes.parent.tolist()[1:], 1):
            depths.append(depths[parent] + 1)
            label = "" if self.nodes.children[node] else f": {self._label(node)}"
            lines.append("|   " * depths[node] + self._test(parent, branch_to[node]) + label)
        return "\n".join(lines)

    def _test(self, node: int, branch: int) -> str:
        attribute = self.attributes[self.nodes.attribute[node]]
        name = visible(attribute.name)
        kind, threshold = self.nodes.kind[node], float(self.nodes.threshold[node])
        if kind == NUMERIC:
            number = java_double(threshold) if self.binary_splits else decimals(threshold, 6)
            return f"{name} {('<=', '>')[branch]} {number}"
        if kind == ONE_VALUE:
            return f"{name} {('=', '!=')[branch]} {visible(attribute.values[int(threshold)])}"
        return f"{name} = {visible(attribute.values[branch])}"

    def _label(self, leaf: int) -> str:
        """Return a leaf's class, the training weight that reached it, and the errors among it."""
        counts, parent = self.nodes.branch_counts[leaf], self.nodes.parent[leaf]
        label = majority(counts if greater(counts[-1], 0.0) else self.nodes.counts[parent])
        errors = counts[-1] - counts[label]
        numbers = two_decimals(counts[-1])
        if greater(errors, 0.0):
            numbers += f"/{two_decimals(errors)}"
        return f"{visible(self.class_attribute.values[label])} ({numbers})"


def most_probable(distribution: Floats) -> Int32s:
    """Return the most probable class of every row, -1 if all probabilities are zero."""
    best = distribution.argmax(axis=1)
    known = distribution[np.arange(len(best)), best] > 0
    return np.where(known, best, -1).astype(np.int32)


def decimals(value: float, at_most: int) -> str:
    """Return a number with at most ``at_most`` decimals, and a question mark if it is not one."""
    if math.isnan(value):
        return "?"
    scaled = value * 10**at_most
    if abs(scaled) >= 2**63:
        return java_double(value)
    rounded = int(abs(scaled) + 0.5)
    text = f"{rounded // 10**at_most}.{rounded % 10**at_most:0{at_most}d}".rstrip("0").rstrip(".")
    return f"-{text}" if scaled < 0 and rounded else text


def two_decimals(value: float) -> str:
    """Return a weight rounded to two decimals."""
    return java_double(math.floor(value * 100 + 0.5) / 100)


def java_double(value: float) -> str:
    """Return a number as Java prints it, with the fewest digits that identify it."""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(float(value))
    mantissa, exponent = f"{Decimal(repr(float(value))).normalize():E}".split("E")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"
