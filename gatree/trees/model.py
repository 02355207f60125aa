"""A decision tree with names: a genome, the attributes it tests, and the classes it gives.

A genome (`gatree.trees.genome`) holds numbers that mean nothing without the data set it was evolved
on. A `DecisionTree` carries what is needed to read it and to use it on other data: names, kinds,
nominal values, and the thresholds that its tests use. It knows nothing of how it was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.data.coding import Codes, Coding
from gatree.data.dataset import Attribute, Dataset
from gatree.errors import DataError
from gatree.trees import json_form, render
from gatree.trees.align import aligned_columns
from gatree.trees.genome import LEAF, Tree
from gatree.trees.predict import leaves

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DecisionTree:
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
    """

    tree: Tree
    attributes: tuple[Attribute, ...]
    class_attribute: Attribute
    coding: Coding
    counts: Counts | None = None

    @classmethod
    def of(cls, tree: Tree, coding: Coding, dataset: Dataset) -> DecisionTree:
        """Return a genome that was evolved on a coded data set as a tree with names and class counts."""
        value = tree.value.copy()
        thresholds = []
        for index, candidates in enumerate(coding.thresholds):
            nodes = np.flatnonzero(tree.attribute == index)
            if coding.is_numeric[index]:
                used, value[nodes] = np.unique(tree.value[nodes], return_inverse=True)
                thresholds.append(candidates[used])
            else:
                thresholds.append(candidates)
        named = cls(
            tree=Tree(tree.attribute, value, tree.span),
            attributes=dataset.attributes,
            class_attribute=dataset.class_attribute,
            coding=coding_of(dataset.attributes, thresholds),
        )
        return named.with_counts(dataset)

    def with_counts(self, dataset: Dataset) -> DecisionTree:
        """Return the tree with the class counts of a data set, whose classes must be this tree's."""
        if dataset.class_values != self.class_values:
            raise DataError(
                f"{dataset.name}: its classes are {', '.join(dataset.class_values)}, "
                f"but the tree's are {', '.join(self.class_values)}"
            )
        known = dataset.classes >= 0
        counts = np.zeros((self.n_nodes, self.n_classes), dtype=np.int64)
        np.add.at(counts, (self.apply(dataset)[known], dataset.classes[known]), 1)
        for node in np.flatnonzero(self.tree.attribute != LEAF)[::-1]:
            counts[node] = counts[self.tree.left(node)] + counts[self.tree.right(node)]
        return replace(self, counts=counts)

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

    def encode(self, dataset: Dataset) -> Codes:
        """Return the codes of a data set, whose attributes are found by their names."""
        tested = np.unique(self.tree.attribute[self.tree.attribute != LEAF])
        columns = aligned_columns(self.attributes, tested, dataset)
        return self.coding.encode(columns, dataset.n_instances)

    def apply(self, dataset: Dataset) -> NDArray[np.int32]:
        """Return the leaf that every instance reaches, as a node number.

        Attributes are found by name. A missing value and a category that the tree does not know
        fail every test, so they go to the right branch.
        """
        return leaves(self.tree, self.encode(dataset), self.coding.is_numeric)

    def predict(self, dataset: Dataset) -> NDArray[np.int32]:
        """Return the class of every instance, as an index into `class_values`."""
        return self.tree.value[self.apply(dataset)]

    def explain(self, row: Mapping[str, Any]) -> str:
        """Return the way of a row, values by attribute names, to its class in words."""
        from gatree.trees.explain import explain

        return explain(self, row)

    def __repr__(self) -> str:
        size = f"{self.n_nodes} nodes, {self.n_leaves} leaves, depth {self.depth}"
        return f"<DecisionTree of {self.class_attribute.name!r}: {size}>"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, **options: Any) -> str:
        """Return the tree as text, one line per test or leaf; see `gatree.trees.render.to_text`."""
        return render.to_text(self, **options)

    def to_dot(self) -> str:
        """Return the tree as a graph for Graphviz."""
        return render.to_dot(self)

    def to_json(self) -> str:
        """Return the tree in the form that `from_json` reads; see `gatree.trees.json_form`."""
        return json_form.to_json(self)

    def to_rules(self) -> str:
        """Return the tree as rules that each stand alone; see `gatree.trees.export.rules`."""
        from gatree.trees.export.rules import to_rules

        return to_rules(self)

    def to_sql(self, dialect: str = "ansi", table: str | None = None) -> str:
        """Return the tree as an SQL expression, or as a SELECT; see `gatree.trees.export.sql`."""
        from gatree.trees.export.sql import to_sql

        return to_sql(self, dialect, table)

    def to_python(self, function: str = "predict") -> str:
        """Return the tree as the source of a function; see `gatree.trees.export.python_source`."""
        from gatree.trees.export.python_source import to_python

        return to_python(self, function)

    def to_onnx(self) -> Any:
        """Return the tree as an ``onnx.ModelProto``; see `gatree.trees.export.onnx_model`."""
        from gatree.trees.export.onnx_model import to_onnx

        return to_onnx(self)

    def to_sklearn(self, classes: NDArray[Any] | None = None) -> Any:
        """Return the tree as a fitted scikit-learn classifier; see `gatree.trees.export.sklearn_tree`."""
        from gatree.trees.export.sklearn_tree import to_sklearn

        return to_sklearn(self, classes)

    @classmethod
    def from_sklearn(cls, classifier: Any, class_name: str = "class") -> DecisionTree:
        """Return a fitted DecisionTreeClassifier as a tree; see `gatree.trees.export.sklearn_tree`."""
        from gatree.trees.export.sklearn_tree import from_sklearn

        return from_sklearn(classifier, class_name)

    @classmethod
    def from_json(cls, text: str, where: str = "tree") -> DecisionTree:
        """Read a tree back. ``where`` names the source in complaints."""
        return cls(**json_form.from_json(text, where))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DecisionTree) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())


def coding_of(attributes: tuple[Attribute, ...], thresholds: Iterable[NDArray[np.float64]]) -> Coding:
    """Return the coding of attributes whose numeric ones have these thresholds."""
    thresholds = tuple(thresholds)
    n_tests = [
        len(attribute.values) if attribute.is_nominal else len(candidates)
        for attribute, candidates in zip(attributes, thresholds, strict=True)
    ]
    return Coding(
        is_numeric=np.array([not attribute.is_nominal for attribute in attributes], dtype=np.bool_),
        n_tests=np.array(n_tests, dtype=np.int32),
        thresholds=thresholds,
    )


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
