"""Evolve decision trees, and measure what lossless fitness inheritance saves."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from gatree.namesake import clash

__version__ = "0.1.0"

# The public names and where they live. They are imported on first use, so that
# `import gatree` and `gatree --help` stay light.
_PUBLIC = {
    "Dataset": "gatree.data.dataset",
    "DecisionTree": "gatree.trees.model",
    "EvolutionSettings": "gatree.config",
    "GATreeClassifier": "gatree.estimator",
    "J48Classifier": "gatree.estimator",
    "evolve": "gatree.evolution.evolve",
    "export_text": "gatree.trees.model",
    "load_data": "gatree.data.load",
    "load_dataset": "gatree.data.catalog",
    "plot_tree": "gatree.trees.plot",
    "read_arff": "gatree.data.arff",
    "read_csv": "gatree.data.table",
    "write_arff": "gatree.data.arff",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'gatree' has no attribute {name!r}")
    from gatree.extras import extras

    with extras():
        return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


if _sentence := clash():
    warnings.warn(_sentence, stacklevel=2)
