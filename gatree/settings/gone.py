"""Names of earlier versions: settings, options and parameters, each with what to use instead."""

from __future__ import annotations

from collections.abc import Mapping

_SEARCHES = "an evolution takes the size from its payoff"


def _small_tree(option: str, parameter: str = "", why: str = "this is for small trees") -> str:
    """Return what to use instead of what only the search for small trees has."""
    estimator = f" or SmallTreeClassifier({parameter}=...)" if parameter else ""
    return f"{why}; use gatree tree --{option}{estimator}"


RENAMED: Mapping[str, str] = {"size_measure": "size"}
"""Settings with a name of earlier versions that files may still have."""

GONE: Mapping[str, str] = {
    "subtree_cache": "this setting was removed, since the cache no longer saved time; leave it out",
    "enter": "this setting was removed: offspring enter together, at the end of a generation; leave it out",
    "class_weight": _small_tree("class-weight", "class_weight", "an evolution counts every instance once"),
    "compare": _small_tree("compare", "", "an evolution is not compared"),
    "cost_matrix": _small_tree("costs", "cost_matrix"),
    "costs": _small_tree("costs", "cost_matrix"),
    "details": _small_tree("details", "", "an evolution is not cross-validated"),
    "effort": _small_tree("effort", "effort"),
    "first": _small_tree("first", "first"),
    "folds": _small_tree("folds", "", "an evolution is not cross-validated"),
    "initial_trees": "this is for small trees; use SmallTreeClassifier(initial_trees=...)",
    "laplace": "this was removed; SmallTreeClassifier(shrinkage=...) draws probabilities together",
    "leaves": _small_tree("leaves", "size", _SEARCHES),
    "max_leaf_nodes": "an evolution limits the nodes, with max_nodes; a tree of L leaves has 2 L - 1",
    "max_thresholds": "this was removed; leave it out",
    "min_samples_split": _small_tree("min-split", "min_samples_split"),
    "monotonic_cst": "this is for small trees; use SmallTreeClassifier(monotonic_cst=...)",
    "per_size": _small_tree("per-size", "", _SEARCHES),
    "prefer": "this was removed; give an x-factor: 1e3 for small trees, 1e4..1e6 for accurate ones",
    "preset": "an evolution has the paper's settings unless they are given; for good trees use gatree tree "
    "or SmallTreeClassifier",
    "regression": _small_tree("regression", "", "an evolution predicts classes") + " or SmallTreeRegressor",
    "size": _small_tree("leaves", "size", _SEARCHES),
    "size_rule": _small_tree("size-rule", "size_rule", _SEARCHES),
    "warm_start": "an evolution always starts from random trees; leave it out",
}
