"""All forms that a tree can be exported in, by name: what `gatree export --to` knows."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import NamedTuple

from gatree.trees.export.code import to_markdown, to_pandas, to_python, to_rules, to_sql
from gatree.trees.export.onnx_model import to_onnx
from gatree.trees.export.sklearn_tree import to_sklearn
from gatree.trees.json_form import to_json
from gatree.trees.model import DecisionTree
from gatree.trees.render import to_dot, to_text


class Export(NamedTuple):
    """One form of a tree."""

    meaning: str  # what it is, in a few words, for the help of ``gatree export``
    write: Callable[[DecisionTree], str | bytes]  # text, or bytes for a file


EXPORTS = {
    "text": Export("as it is printed", to_text),
    "rules": Export("IF ... THEN, one per leaf", to_rules),
    "sql": Export("a CASE expression", to_sql),
    "python": Export("a function that needs no packages", to_python),
    "pandas": Export("a query of pandas for the rows of every leaf", to_pandas),
    "markdown": Export("a list of rules", to_markdown),
    "dot": Export("a graph for Graphviz", to_dot),
    "json": Export("what gatree predict reads", to_json),
    "onnx": Export("for onnxruntime", lambda tree: to_onnx(tree).SerializeToString()),
    "sklearn": Export("a pickled tree of scikit-learn", lambda tree: pickle.dumps(to_sklearn(tree))),
}
