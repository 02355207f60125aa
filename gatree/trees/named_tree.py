"""A decision tree with names: a genome, the attributes it tests, and the classes it gives.

A genome (`gatree.trees.genome`) holds numbers that mean nothing without the data set it was evolved
on. A named tree carries what is needed to read it and to use it on other data: names, kinds,
nominal values, and the thresholds that its tests use. It knows nothing of how it was found, nor of the
forms in which it can be written: those are of `gatree.trees.model.DecisionTree`, which is one.

`with_numbers` makes a regression tree: its class attribute is numeric, and the values of that are the numbers
of its leaves.

`simplify` drops what never matters: the prediction stays the same for every input, missing values
included. A test goes if the tests above it have decided it: ``x <= 7`` below ``x <= 5``, or ``a = red``
where ``a = blue`` holds. So does a test whose two branches have become alike, such as two leaves of one
class. A leaf that no training instance reaches stays if some input can reach it: without it that input's
class would change.
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

        See `gatree.trees.named_tree`. The class counts are those of what is left.
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


class Simplified(NamedTuple):
    """A simplified tree, and the nodes of the raw one whose instances reach each of its nodes."""

    tree: Tree
    sources: list[list[int]]


class _Node(NamedTuple):
    attribute: int
    value: int
    sources: list[int]


class Passed(NamedTuple):
    """What the tests on the way to a node say of one attribute; a missing value fails every test."""

    at_most: int | None = None  # numeric: the smallest test passed; nominal: the value it has
    failed: tuple[int, ...] = ()

    def after(self, value: int, passed: bool) -> Passed:
        """Return the same after one more test, which was not decided before."""
        return Passed(value, self.failed) if passed else Passed(self.at_most, (*self.failed, value))


def simplify(tree: Tree, is_numeric: NDArray[np.bool_]) -> Simplified:
    """Return the tree with every test left out that never matters."""
    return _without_equal_branches(*_without_decided_tests(tree, is_numeric))


def _without_decided_tests(tree: Tree, is_numeric: NDArray[np.bool_]) -> tuple[Tree, list[int]]:
    """Leave out tests that the tests above them have decided; say which raw node each node was."""
    attributes, values, sources = [], [], []
    stack: list[tuple[int, dict[int, Passed]]] = [(0, {})]
    while stack:  # not recursive: a tree may be deeper than Python's stack
        source, known = stack.pop()
        node = source
        while (answer := decided(tree, node, known, is_numeric)) is not None:
            node = tree.left(node) if answer else tree.right(node)
        attribute, value = int(tree.attribute[node]), int(tree.value[node])
        attributes.append(attribute)
        values.append(value)
        sources.append(source)
        if attribute != LEAF:
            before = known.get(attribute, Passed())
            stack.append((tree.right(node), {**known, attribute: before.after(value, False)}))
            stack.append((tree.left(node), {**known, attribute: before.after(value, True)}))
    return Tree.from_preorder(attributes, values), sources


def decided(tree: Tree, node: int, known: dict[int, Passed], is_numeric: NDArray[np.bool_]) -> bool | None:
    """Return the answer that every instance gives which comes to a node, or None if they may differ."""
    attribute, value = int(tree.attribute[node]), int(tree.value[node])
    if attribute == LEAF or attribute not in known:
        return None
    at_most, failed = known[attribute]
    if is_numeric[attribute]:
        if at_most is not None and value >= at_most:
            return True
        return False if any(value <= other for other in failed) else None
    if at_most is not None:
        return value == at_most
    return False if value in failed else None


def _without_equal_branches(tree: Tree, sources: list[int]) -> Simplified:
    """Leave out tests whose branches are alike, from the leaves up."""
    done: list[list[_Node]] = []  # subtrees in preorder, the leftmost on top
    for node in range(tree.n_nodes - 1, -1, -1):
        top = _Node(int(tree.attribute[node]), int(tree.value[node]), [sources[node]])
        if tree.is_leaf(node):
            done.append([top])
            continue
        left, right = done.pop(), done.pop()
        if [a[:2] for a in left] == [b[:2] for b in right]:
            merged = [a._replace(sources=a.sources + b.sources) for a, b in zip(left, right, strict=True)]
            done.append([merged[0]._replace(sources=top.sources), *merged[1:]])
        else:
            done.append([top, *left, *right])
    attributes, values, reached_from = zip(*done.pop(), strict=True)
    return Simplified(Tree.from_preorder(attributes, values), list(reached_from))
