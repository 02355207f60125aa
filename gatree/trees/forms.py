"""All forms that a tree can be written in, by name: what `gatree export --to` knows."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass

from gatree.trees.model import DecisionTree


@dataclass(frozen=True)
class Form:
    """One form: how it is called in help texts, and what writes it."""

    meaning: str
    write: Callable[[DecisionTree], str | bytes]


FORMS: dict[str, Form] = {
    "text": Form("as it is printed", lambda tree: tree.to_text()),
    "rules": Form("IF ... THEN, one per leaf", lambda tree: tree.to_rules()),
    "sql": Form("a CASE expression", lambda tree: tree.to_sql()),
    "python": Form("a function without imports", lambda tree: tree.to_python()),
    "dot": Form("a graph for Graphviz", lambda tree: tree.to_dot()),
    "json": Form("what gatree predict reads", lambda tree: tree.to_json()),
    "onnx": Form("for onnxruntime", lambda tree: tree.to_onnx().SerializeToString()),
    "sklearn": Form("a pickled scikit-learn classifier", lambda tree: pickle.dumps(tree.to_sklearn())),
}
