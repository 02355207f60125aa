"""All forms that a tree can be exported in, by name: what `gatree export --to` knows.

Packages add their own by an entry point of the group ``gatree.exports``, which names an `Export`.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from gatree.base.plugins import guarded, load_plugins
from gatree.trees.export.code import to_markdown, to_pandas, to_python, to_rules, to_sql
from gatree.trees.export.onnx_model import to_onnx
from gatree.trees.export.sklearn_tree import to_sklearn
from gatree.trees.json_form import to_json
from gatree.trees.render import to_dot, to_text

_GROUP = "gatree.exports"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Export:
    """One form of a tree."""

    meaning: str  # what it is, in a few words, for the help of ``gatree export``
    write: Callable[[Any], str | bytes]  # returns a `DecisionTree` in this form: text, or bytes for a file


_OWN = {
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


@cache
def exports() -> Mapping[str, Export]:
    """Return all exports by name, gatree's own first; plug-ins without use are logged and left out."""
    found = dict(_OWN)
    for name, part in load_plugins(_GROUP).items():
        if name in _OWN:
            _log.warning("%s: a plug-in called %r is left out: it is a name of gatree's own", _GROUP, name)
        elif isinstance(part, Export):
            found[name] = Export(part.meaning, guarded(_GROUP, name, part.write))
        else:
            _log.warning("%s: %r is left out: it is no gatree.trees.export.registry.Export", _GROUP, name)
    return found
