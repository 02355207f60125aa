"""The decision tree that users hold: a tree with names that can be written in many forms, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from gatree.base.errors import counted
from gatree.trees import json_form, render
from gatree.trees.named_tree import NamedTree
from gatree.trees.render import explain


@dataclass(frozen=True, eq=False)
class DecisionTree(NamedTree):
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
    weights : Weights, optional
        Of a tree of J48's, which sends missing values down both branches.
    """

    def explain(self, row: Mapping[str, Any]) -> str:
        """Return the way of a row, values by attribute names, to its class in words."""
        return explain(self, row)

    def __repr__(self) -> str:
        size = (
            f"{counted(self.n_nodes, 'node')}, {counted(self.n_leaves, 'leaf', 'leaves')}, depth {self.depth}"
        )
        return f"<DecisionTree of {self.class_attribute.name!r}: {size}>"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        """Return the tree as notebooks show it."""
        from gatree.trees.picture import draw_tree, inline_svg

        return inline_svg(draw_tree(self))

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
        """Return the tree as an SQL expression, or as a SELECT; see `gatree.trees.export.code`."""
        from gatree.trees.export.code import to_sql

        return to_sql(self, dialect, table)

    def to_python(self, function: str = "predict") -> str:
        """Return the tree as the source of a function; see `gatree.trees.export.code`."""
        from gatree.trees.export.code import to_python

        return to_python(self, function)

    def to_pandas(self) -> str:
        """Return the tree as queries of pandas; see `gatree.trees.export.code`."""
        from gatree.trees.export.code import to_pandas

        return to_pandas(self)

    def to_markdown(self) -> str:
        """Return the tree as a list in Markdown; see `gatree.trees.export.rules`."""
        from gatree.trees.export.rules import to_markdown

        return to_markdown(self)

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

        return cls(**from_sklearn(classifier, class_name))

    @classmethod
    def from_json(cls, text: str, where: str = "tree") -> DecisionTree:
        """Read a tree back. ``where`` names the source in complaints."""
        return cls(**json_form.from_json(text, where))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DecisionTree) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())


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
