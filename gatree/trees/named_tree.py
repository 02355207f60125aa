"""A decision tree with names: a genome, the attributes it tests, and the classes it gives.

A genome (`gatree.trees.genome`) holds numbers that mean nothing without the data set it was evolved
on. A named tree carries what is needed to read it and to use it on other data: names, kinds,
nominal values, and the thresholds that its tests use. It knows nothing of how it was found, nor of the
forms in which it can be written: those are of `gatree.trees.model.DecisionTree`, which is one.

`with_numbers` makes a regression tree: its class attribute is numeric, and the values of that are the numbers
of its leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, did_you_mean
from gatree.base.limits import MOST_COUNTS, refuse_above
from gatree.data.attribute import Attribute, Column, Schema, missing
from gatree.data.coding import Coding
from gatree.data.dataset import Dataset
from gatree.trees.align import aligned_columns, check_data_set
from gatree.trees.genome import LEAF, Tree, check_tests, leaves
from gatree.trees.numbers import Floats, NodeNumbers, number
from gatree.trees.simplify import simplify

ClassCounts = NDArray[np.int64]


def with_inner_nodes(tree: Tree, counts: ClassCounts) -> ClassCounts:
    """Fill in the counts of inner nodes, given those of the leaves."""
    for node in np.flatnonzero(tree.attribute != LEAF)[::-1]:
        counts[node] = counts[tree.left(node)] + counts[tree.right(node)]
    return counts


class Weights(NamedTuple):
    """How a tree of J48's treats missing values: they go down both branches of a test."""

    passing: Floats  # [node]: the share of a missing value that passes the test of an inner node
    classes: Floats  # [node, class]: the weights that give a leaf its class probabilities


_TOLERANCE = 1e-6  # numbers that exceed a threshold by less are equal to it in WEKA


@dataclass(frozen=True, eq=False)
class NamedTree:
    """A tree that can be read, and used on any data with its attributes; `DecisionTree` has the fields."""

    tree: Tree
    attributes: tuple[Attribute, ...]
    class_attribute: Attribute
    coding: Coding
    counts: ClassCounts | None = None
    numbers: NodeNumbers | None = None
    weights: Weights | None = None

    def __post_init__(self) -> None:
        check_tests(self.tree, self.coding.n_tests, self.n_classes)
        if len(self.coding.n_tests) != len(self.attributes):
            raise DataError(
                f"a tree of {len(self.attributes)} attributes has a coding of {len(self.coding.n_tests)}"
            )
        width = 1 if self.is_regression else self.n_classes
        if self.counts is not None and self.counts.shape != (self.n_nodes, width):
            raise DataError(
                f"a tree of {self.n_nodes} nodes and {self.n_classes} classes has counts of the shape "
                f"{self.counts.shape}"
            )

    @classmethod
    def of(cls, tree: Tree, coding: Coding, dataset: Dataset) -> Self:
        """Return a genome that was evolved on a coded data set as a tree with names and class counts."""
        return cls.named(tree, coding, dataset).with_counts(dataset)

    @classmethod
    def named(
        cls, tree: Tree, coding: Coding, data: Dataset | Schema, counts: ClassCounts | None = None
    ) -> Self:
        """Return a genome that was evolved on coded data as a tree with their names."""
        return cls(tree, data.attributes, data.class_attribute, coding, counts)._with_used_tests()

    def _with_used_tests(self) -> Self:
        """Return the tree with a coding of those thresholds only that its tests use."""
        tree, value = self.tree, self.tree.value.copy()
        thresholds = [np.empty(0)] * len(self.attributes)
        for index in np.unique(tree.attribute[tree.attribute != LEAF]).tolist():
            if self.coding.is_numeric[index]:
                nodes = np.flatnonzero(tree.attribute == index)
                used, value[nodes] = np.unique(tree.value[nodes], return_inverse=True)
                thresholds[index] = self.coding.thresholds[index][used]
        narrowed = Tree(tree.attribute, value, tree.span)
        return replace(self, tree=narrowed, coding=Coding.of(self.attributes, thresholds))

    def simplified(self) -> Self:
        """Return a tree that predicts the same for every input, without tests that never matter.

        See `gatree.trees.simplify`. The class counts are those of what is left.
        """
        tree, sources = simplify(self.tree, self.coding.is_numeric)
        if tree.n_nodes == self.n_nodes or self.weights is not None:
            return self
        counts, numbers = self.counts, self.numbers
        if counts is not None:
            counts = np.array([counts[nodes].sum(axis=0) for nodes in sources])
        if numbers is not None:
            numbers = numbers.merged(sources)
        return replace(self, tree=tree, counts=counts, numbers=numbers)._with_used_tests()

    def with_counts(self, dataset: Dataset) -> Self:
        """Return the tree with the class counts of a data set, whose classes must be this tree's."""
        check_data_set(dataset)
        if dataset.class_values != self.class_values:
            raise DataError(
                f"{dataset.name}: its classes are {', '.join(dataset.class_values)}, "
                f"but the tree's are {', '.join(self.class_values)}"
            )
        known = dataset.classes >= 0
        refuse_above(MOST_COUNTS, self.n_nodes * self.n_classes, "class counts", dataset.name)
        counts = np.zeros((self.n_nodes, self.n_classes), dtype=np.int64)
        np.add.at(counts, (self.apply(dataset)[known], dataset.classes[known]), 1)
        return replace(self, counts=with_inner_nodes(self.tree, counts))

    @property
    def n_nodes(self) -> int:
        return self.tree.n_nodes

    @property
    def n_leaves(self) -> int:
        return self.tree.n_leaves

    @property
    def depth(self) -> int:
        return self.tree.depth

    @property
    def n_classes(self) -> int:
        return len(self.class_values)

    @property
    def class_values(self) -> tuple[str, ...]:
        return self.class_attribute.values

    @property
    def is_regression(self) -> bool:
        """Whether the tree predicts numbers."""
        return not self.class_attribute.is_nominal

    @property
    def n_rows(self) -> NDArray[np.int64] | None:
        """The number of training instances at every node, if it is known."""
        if self.counts is not None:
            return np.asarray(self.counts.sum(axis=1))
        return None if self.numbers is None else self.numbers.n

    def prediction(self, leaf: int) -> float:
        """Return the number that a leaf of a regression tree predicts."""
        return float(self.label(leaf))

    def attribute(self, node: int) -> Attribute:
        """Return the attribute that an inner node tests."""
        return self.attributes[int(self.tree.attribute[node])]

    def threshold(self, node: int) -> float:
        """Return the threshold of an inner node that tests a numeric attribute."""
        return float(self.coding.thresholds[self.tree.attribute[node]][self.tree.value[node]])

    def category(self, node: int) -> str:
        """Return the value that an inner node tests a nominal attribute for."""
        return self.attribute(node).values[int(self.tree.value[node])]

    def label(self, node: int) -> str:
        """Return the class that a leaf gives."""
        return self.class_values[int(self.tree.value[node])]

    def columns_of(self, dataset: Dataset) -> tuple[Column, ...]:
        """Return the columns of a data set that the tree tests, which are found by their names."""
        check_data_set(dataset)
        tested = np.unique(self.tree.attribute[self.tree.attribute != LEAF])
        return aligned_columns(self.attributes, tested, dataset)

    def leaves_of(self, columns: tuple[Column, ...], n: int) -> NDArray[np.int32]:
        """Return the leaf that every instance reaches, given a column for each of the tree's attributes."""
        return leaves(self.tree, self.coding.encode(columns, n), self.coding.is_numeric)

    def apply(self, dataset: Dataset) -> NDArray[np.int32]:
        """Return the leaf that every instance reaches, as a node number.

        Attributes are found by name. A missing value and a category that the tree does not know
        fail every test, so they go to the right branch.
        """
        return self.leaves_of(self.columns_of(dataset), dataset.n_instances)

    def predict(self, dataset: Dataset) -> NDArray[np.int32]:
        """Return the class of every instance, as an index into `class_values`."""
        if self.weights is not None:
            return np.asarray(self.spread(dataset).argmax(axis=1), dtype=np.int32)
        return self.tree.value[self.apply(dataset)]

    def spread(self, dataset: Dataset) -> Floats:
        """Return the class probabilities of instances whose missing values go down both branches, as in WEKA.

        Only a tree with `weights` has them.
        """
        assert self.weights is not None
        columns, classes, passing = self.columns_of(dataset), self.weights.classes, self.weights.passing
        shares = classes / np.maximum(classes.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)

        def step(node: int, rows: NDArray[np.intp]) -> Floats | list[tuple[int, Floats]]:
            if self.tree.is_leaf(node):
                return np.asarray(shares[node])
            cells = columns[self.tree.attribute[node]][rows]
            part = np.where(missing(cells), passing[node], self._passes(node, cells))
            return [(self.tree.left(node), part), (self.tree.right(node), 1 - part)]

        return spread(step, 0, dataset.n_instances, self.n_classes)

    def _passes(self, node: int, cells: Column) -> NDArray[np.bool_]:
        if self.attribute(node).is_nominal:
            return np.asarray(cells == self.tree.value[node])
        return np.asarray(cells - self.threshold(node) < _TOLERANCE)


Place = TypeVar("Place")


def spread(
    step: Callable[[Place, NDArray[np.intp]], Floats | Sequence[tuple[Place, Floats]]],
    root: Place,
    n_rows: int,
    n_classes: int,
) -> Floats:
    """Return the class probabilities of rows that may go down several branches, weighted.

    Parameters
    ----------
    step : callable
        Gets a node and the rows there; returns the class shares of a leaf, or the children of a test, each
        with the share of every row that goes there.
    root
        The first node.
    n_rows, n_classes : int

    The sums go from the leaves to the root, the first branch first: rounding decides between classes of equal
    probability, and this is WEKA's order.
    """
    entries: list[tuple[int, NDArray[np.intp], Floats, Floats | None]] = []
    pending = [(0, root, np.arange(n_rows), np.ones(n_rows))]
    while pending:  # the last branch first
        parent, place, rows, weights = pending.pop()
        below, here = step(place, rows), len(entries)
        if isinstance(below, np.ndarray):
            entries.append((parent, rows, weights, below))
            continue
        entries.append((parent, rows, weights, None))
        for child, share in below:
            some = share > 0
            pending.append((here, child, rows[some], share[some] * weights[some]))
    totals: dict[int, Floats] = {}
    for here in range(len(entries) - 1, -1, -1):
        parent, rows, weights, shares = entries[here]
        if shares is not None:
            totals[here] = weights[:, np.newaxis] * shares
        if here > 0:
            above = entries[parent][1]
            if parent not in totals:
                totals[parent] = np.zeros((len(above), n_classes))
            totals[parent][np.searchsorted(above, rows)] += totals.pop(here)
    return totals[0]


def recoded(model: NamedTree, coding: Coding, dataset: Dataset) -> Tree:
    """Return a tree as a genome in the tests of a data set's coding."""
    recoder = _Recoder(model, coding, dataset)
    nodes = [recoder.leaf(i) if model.tree.is_leaf(i) else recoder.test(i) for i in range(model.n_nodes)]
    return Tree.from_preorder([attribute for attribute, _ in nodes], [value for _, value in nodes])


class _Recoder:
    def __init__(self, model: NamedTree, coding: Coding, dataset: Dataset) -> None:
        self.model, self.coding, self.dataset = model, coding, dataset

    def leaf(self, node: int) -> tuple[int, int]:
        return LEAF, self._index(self.model.label(node), self.dataset.class_values, "class")

    def test(self, node: int) -> tuple[int, int]:
        index = self.dataset.attribute_index(self.model.attribute(node).name)
        attribute = self.dataset.attributes[index]
        if attribute.is_nominal != self.model.attribute(node).is_nominal:
            raise DataError(
                f"{self.dataset.name}: the tree tests {attribute.name!r} as another kind of attribute"
            )
        if attribute.is_nominal:
            return index, self._index(
                self.model.category(node), attribute.values, f"value of {attribute.name}"
            )
        if self.coding.n_tests[index] == 0:
            raise DataError(f"{self.dataset.name}: {attribute.name!r} has one value only, nothing to test")
        return index, self._nearest(index, self.model.threshold(node))

    def _index(self, name: str, known: tuple[str, ...], what: str) -> int:
        if name not in known:
            raise DataError(f"{self.dataset.name}: no {what} {name!r}{did_you_mean(name, known)}")
        return known.index(name)

    def _nearest(self, index: int, threshold: float) -> int:
        """Return the candidate below which are as many instances as below a threshold."""
        column: NDArray[np.float64] = self.dataset.columns[index].astype(np.float64)
        known = np.sort(column[~np.isnan(column)])
        below = np.searchsorted(known, self.coding.thresholds[index], side="right")
        return int(np.abs(below - np.searchsorted(known, threshold, side="right")).argmin())


Model = TypeVar("Model", bound=NamedTree)


def with_numbers(model: Model, predicted: Floats, name: str = "mean") -> Model:
    """Return a regression tree, given what every node predicts; its classes are the numbers of its leaves."""
    tree = model.tree
    at_leaves = np.flatnonzero(tree.attribute == LEAF)
    numbers, places = np.unique(predicted[at_leaves], return_inverse=True)
    value = tree.value.copy()
    value[at_leaves] = places
    return replace(
        model,
        tree=Tree(tree.attribute, value, tree.span),
        class_attribute=Attribute(name, "numeric", tuple(map(number, numbers.tolist()))),
        counts=None if model.counts is None else model.counts.sum(axis=1, keepdims=True),
        numbers=None,
    )
