"""The decision tree that users hold: a tree with names that can be written in many forms, and read back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gatree.base.errors import counted
from gatree.trees import json_form, render
from gatree.trees.export import code, sklearn_tree
from gatree.trees.export.onnx_model import to_onnx
from gatree.trees.named_tree import NamedTree
from gatree.trees.picture import draw_tree, inline_svg


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

    explain = render.explain
    to_text = render.to_text
    to_dot = render.to_dot
    to_json = json_form.to_json
    to_rules = code.to_rules
    to_markdown = code.to_markdown
    to_sql = code.to_sql
    to_python = code.to_python
    to_pandas = code.to_pandas
    to_onnx = to_onnx
    to_sklearn = sklearn_tree.to_sklearn

    def __repr__(self) -> str:
        size = (
            f"{counted(self.n_nodes, 'node')}, {counted(self.n_leaves, 'leaf', 'leaves')}, depth {self.depth}"
        )
        return f"<DecisionTree of {self.class_attribute.name!r}: {size}>"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        """Return the tree as notebooks show it."""
        return inline_svg(draw_tree(self))

    @classmethod
    def from_sklearn(cls, classifier: Any, class_name: str = "class") -> DecisionTree:
        """Return a fitted DecisionTreeClassifier as a tree; see `gatree.trees.export.sklearn_tree`."""
        return cls(**sklearn_tree.from_sklearn(classifier, class_name))

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
