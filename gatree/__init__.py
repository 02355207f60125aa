"""Evolve decision trees, and measure what lossless fitness inheritance saves."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.3.0"

# Where the public names live. They are imported on first use, so that `import gatree` and `gatree --help`
# stay light; __init__.pyi tells type checkers what they are.
_HOMES = {
    "Dataset": "gatree.data.dataset",
    "DecisionTree": "gatree.trees.model",
    "EvolutionSettings": "gatree.settings.evolution_settings",
    "GATreeClassifier": "gatree.estimator",
    "J48Classifier": "gatree.estimator",
    "SmallTreeClassifier": "gatree.estimator",
    "SmallTreeRegressor": "gatree.estimator",
    "evolve": "gatree.evolution.evolve",
    "export_text": "gatree.trees.model",
    "load_data": "gatree.data.load",
    "load_dataset": "gatree.data.catalog",
    "plot_fronts": "gatree.smalltree.front",
    "plot_tree": "gatree.trees.plot",
    "read_arff": "gatree.data.arff",
    "read_csv": "gatree.data.csv_file",
    "write_arff": "gatree.data.arff",
}

__all__ = ["__version__", *_HOMES]


_GONE = {"GATreeRegressor": "SmallTreeRegressor"}  # by what replaces it


def __getattr__(name: str) -> Any:
    if name in _GONE:  # not an AttributeError, whose text `from gatree import ...` would replace
        raise ImportError(f"gatree has no {name}: use gatree.{_GONE[name]}", name="gatree")
    if name not in _HOMES:
        raise AttributeError(f"module 'gatree' has no attribute {name!r}")
    from gatree.base.extras import extras

    try:
        with extras():
            return getattr(importlib.import_module(_HOMES[name]), name)
    except AttributeError as error:  # which `from gatree import ...` would take for a missing name
        raise ImportError(f"{_HOMES[name]} cannot be imported: {error}", name=_HOMES[name]) from error


def __dir__() -> list[str]:
    return sorted(__all__)
