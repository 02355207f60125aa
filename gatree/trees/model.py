"""The decision tree: a genome, the attributes it tests, and the classes it gives.

A genome (`gatree.trees.genome`) holds numbers that mean nothing without the data set it was evolved on. A
`DecisionTree` carries what is needed to read it and to use it on other data: names, kinds, nominal values,
and the thresholds that its tests use. It knows nothing of how it was found.

The class attribute of a regression tree is numeric, and the values of that are the numbers of its leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, counted
from gatree.base.limits import MOST_COUNTS, refuse_above
from gatree.data.attribute import Attribute, Column, missing
from gatree.data.coding import Coding
from gatree.data.dataset import Dataset
from gatree.trees.align import aligned_columns, check_data_set
from gatree.trees.forms import Forms
from gatree.trees.genome import LEAF, Tree, check_tests, leaves, leaves_of_numbers, spans_of
from gatree.trees.numbers import Floats, NodeNumbers, number
from gatree.trees.shrinkage import FREQUENCIES, Shrinkage, probabilities
from gatree.trees.simplify import simplify
from gatree.trees.spread import Spread, SpreadWeights

ClassCounts = NDArray[np.int64]


def unlabelled(answer: Attribute) -> Attribute:
    """Return the class attribute of a regression tree whose leaves have no numbers yet: all predict 0."""
    return Attribute(answer.name, "numeric", ("0",))


def with_inner_nodes(tree: Tree, counts: ClassCounts) -> ClassCounts:
    """Fill in the counts of inner nodes, given those of the leaves."""
    for node in np.flatnonzero(tree.attribute != LEAF)[::-1]:
        counts[node] = counts[tree.left(node)] + counts[tree.right(node)]
    return counts


@dataclass(frozen=True, eq=False)
class DecisionTree(Forms):
    """A tree that can be read, kept in a file, and used on any data with its attributes.

    Parameters
    ----------
    tree : Tree
        The shape and the tests. A test's number counts the thresholds of `coding`.
    attributes : tuple of Attribute
        The attributes of the data it was made from.
    class_attribute : Attribute
        What it predicts.
    coding : Coding
        The tests that the tree uses, and no others.
    counts : ndarray of int64, optional
        ``[node, class]``: the training instances of each class that reached each node.
    numbers : NodeNumbers, optional
        Of a regression tree, whose classes are numbers: the training samples' numbers.
    weights : SpreadWeights, optional
        Of a tree of J48's, which sends missing values down both branches.
    spreads : ndarray of float64, optional
        The standard deviation of every attribute's training numbers; NaN where there is none.
    shrinkage : Shrinkage
        How the counts become `probabilities`; those of the leaves' frequencies by default.
    """

    tree: Tree
    attributes: tuple[Attribute, ...]
    class_attribute: Attribute
    coding: Coding
    counts: ClassCounts | None = None
    numbers: NodeNumbers | None = None
    weights: SpreadWeights | None = None
    spreads: Floats | None = None
    shrinkage: Shrinkage = FREQUENCIES

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
    def of_nodes(
        cls,
        attribute: Sequence[int] | NDArray[np.int32],
        value: Sequence[float] | Floats,
        attributes: tuple[Attribute, ...],
        class_attribute: Attribute,
        **known: Any,
    ) -> DecisionTree:
        """Return a tree of nodes in preorder; ``known`` are further fields of the tree.

        ``attribute`` has the attribute that every node tests, `LEAF` for a leaf; ``value`` the threshold of
        every numeric test, the index of a category, or a leaf's class.
        """
        tested, value = np.array(attribute, dtype=np.int32), np.array(value, dtype=np.float64)
        thresholds: list[Floats] = [np.empty(0)] * len(attributes)
        for index in np.unique(tested[tested != LEAF]).tolist():
            if not attributes[index].is_nominal:
                nodes = np.flatnonzero(tested == index)
                thresholds[index], value[nodes] = np.unique(value[nodes], return_inverse=True)
        tree = Tree(tested, value.astype(np.int32), spans_of(tested))
        return cls(tree, attributes, class_attribute, Coding.of(attributes, thresholds), **known)

    @classmethod
    def of(cls, tree: Tree, coding: Coding, dataset: Dataset) -> DecisionTree:
        """Return a genome that was evolved on a coded data set as a tree with names and class counts."""
        return cls.named(tree, coding, dataset).with_counts(dataset)

    @classmethod
    def named(cls, tree: Tree, coding: Coding, dataset: Dataset) -> DecisionTree:
        """Return a genome that was evolved on coded data as a tree with their names."""
        answer = dataset.answer.attribute
        if not answer.is_nominal:
            answer = unlabelled(answer)
        return cls(tree, dataset.attributes, answer, coding).with_used_tests()

    def with_used_tests(self) -> DecisionTree:
        """Return the tree with a coding of those thresholds only that its tests use."""
        tested, value = self.tree.attribute, self.tree.value.astype(np.float64)
        for node in np.flatnonzero(tested != LEAF).tolist():
            if not self.attribute(node).is_nominal:
                value[node] = self.threshold(node)
        names = ("counts", "numbers", "weights", "spreads", "shrinkage")
        known = {name: getattr(self, name) for name in names}
        return self.of_nodes(tested, value, self.attributes, self.class_attribute, **known)

    def simplified(self) -> DecisionTree:
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
        return replace(self, tree=tree, counts=counts, numbers=numbers).with_used_tests()

    def with_counts(self, dataset: Dataset) -> DecisionTree:
        """Return the tree with the class counts of a data set, whose classes must be this tree's.

        A regression tree has the number of rows instead. If the attributes are those of the tree, it has
        their spreads, too.
        """
        check_data_set(dataset)
        reached, known = self.apply(dataset), dataset.answer.known
        n_classes, classes = 1, np.zeros(dataset.n_instances, dtype=np.int32)
        if not self.is_regression:
            n_classes, classes = self.n_classes, self._classes_of(dataset)
        counts = np.zeros((self.n_nodes, n_classes), dtype=np.int64)
        np.add.at(counts, (reached[known], classes[known]), 1)
        spreads = dataset.spreads if dataset.attributes == self.attributes else self.spreads
        return replace(self, counts=with_inner_nodes(self.tree, counts), spreads=spreads)

    def _classes_of(self, dataset: Dataset) -> NDArray[np.int32]:
        """Return the classes of a data set, which must be this tree's."""
        if dataset.class_values != self.class_values:
            raise DataError(
                f"{dataset.name}: its classes are {', '.join(dataset.class_values)}, "
                f"but the tree's are {', '.join(self.class_values)}"
            )
        refuse_above(MOST_COUNTS, self.n_nodes * self.n_classes, "class counts", dataset.name)
        return dataset.classes

    def with_numbers(self, predicted: Floats, name: str | None = None) -> DecisionTree:
        """Return a regression tree, given what every node predicts; by default its class keeps its name."""
        at_leaves = np.flatnonzero(self.tree.attribute == LEAF)
        numbers, places = np.unique(predicted[at_leaves], return_inverse=True)
        value = self.tree.value.copy()
        value[at_leaves] = places
        return replace(
            self,
            tree=Tree(self.tree.attribute, value, self.tree.span),
            class_attribute=Attribute(
                self.class_attribute.name if name is None else name,
                "numeric",
                tuple(map(number, numbers.tolist())),
            ),
            counts=None if self.counts is None else self.counts.sum(axis=1, keepdims=True),
            numbers=None,
        )

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

    @cached_property
    def probabilities(self) -> Floats:
        """The class probabilities of every node, ``[node, class]``.

        Without counts of training instances, a leaf has its class alone.
        """
        counts = self.counts
        if counts is None or self.is_regression:
            counts = np.zeros((self.n_nodes, self.n_classes), dtype=np.int64)
        return probabilities(self.tree, counts, self.shrinkage)

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

    @cached_property
    def _thresholds(self) -> Floats:
        """The threshold of every test, given that all are numeric."""
        thresholds = np.zeros(self.n_nodes)
        for node in np.flatnonzero(self.tree.attribute != LEAF).tolist():
            thresholds[node] = self.threshold(node)
        return thresholds

    def leaves_of_numbers(self, rows: Floats) -> NDArray[np.int32]:
        """Return the leaf that every row of an array reaches, given that all attributes are numeric.

        It compares the numbers themselves, without codes, and reads nothing that the tree does not test.
        """
        return leaves_of_numbers(self.tree, self._thresholds, rows.T)

    def apply(self, dataset: Dataset) -> NDArray[np.int32]:
        """Return the leaf that every instance reaches, as a node number.

        Attributes are found by name. A missing value and a category that the tree does not know
        fail every test, so they go to the right branch.
        """
        codes = self.coding.encode(self.columns_of(dataset), dataset.n_instances)
        return leaves(self.tree, codes, self.coding.is_numeric)

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
        routes = Spread(0, dataset.n_instances, self.n_classes)
        for node, rows in routes:
            if self.tree.is_leaf(node):
                routes.end(np.asarray(shares[node]))
                continue
            cells = columns[self.tree.attribute[node]][rows]
            if self.attribute(node).is_nominal:
                passed = cells == self.tree.value[node]
            else:
                passed = cells - self.threshold(node) < _TOLERANCE
            part = np.where(missing(cells), passing[node], passed)
            routes.branch([(self.tree.left(node), part), (self.tree.right(node), 1 - part)])
        return routes.probabilities()

    def __repr__(self) -> str:
        n_nodes, n_leaves = counted(self.n_nodes, "node"), counted(self.n_leaves, "leaf", "leaves")
        return f"<DecisionTree of {self.class_attribute.name!r}: {n_nodes}, {n_leaves}, depth {self.depth}>"

    def __str__(self) -> str:
        return self.to_text()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DecisionTree) and self._as_text == other._as_text

    def __hash__(self) -> int:
        return hash(self._as_text)

    @property
    def _as_text(self) -> str:
        return replace(self, spreads=None).to_json()


_TOLERANCE = 1e-6  # numbers that exceed a threshold by less are equal to it in WEKA


def as_decision_tree(model: Any) -> DecisionTree:
    """Return the tree of a fitted classifier of ours, of J48 or of scikit-learn, or a tree as it is."""
    tree = getattr(model, "tree_", model)
    if isinstance(tree, DecisionTree):
        return tree
    if hasattr(tree, "to_decision_tree"):
        converted: DecisionTree = tree.to_decision_tree()
        return converted
    return DecisionTree.from_sklearn(model)


def export_text(decision_tree: Any, *, decimals: int = 2, show_weights: bool = False) -> str:
    """Return a tree as text, in the layout of scikit-learn's function of that name.

    Parameters
    ----------
    decision_tree : DecisionTree or fitted classifier
        What to show.
    decimals : int
        Digits of thresholds.
    show_weights : bool
        Whether leaves show their instances by class.
    """
    tree = as_decision_tree(decision_tree)
    return tree.to_text(style="sklearn", decimals=decimals, show_counts=show_weights)
