"""What `GATreeClassifier` lays upon a problem beside its data: costs and monotonic features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import did_you_mean
from gatree.evolution.problem import Problem


def constrained(classifier: Any, problem: Problem) -> Problem:
    """Return the problem with the costs and the monotonic features."""
    if classifier.cost_matrix is not None:
        # A copy, so that warm_start notices a matrix that was changed in place.
        problem = problem.with_costs(np.array(classifier.cost_matrix, dtype=np.float64))
    if classifier.monotonic_cst is not None:
        names = [attribute.name for attribute in problem.dataset.attributes]
        problem = problem.with_monotonic(_directions(classifier.monotonic_cst, names))
    return problem


def _directions(given: Any, names: list[str]) -> NDArray[np.int8]:
    """Return the direction of every feature, given for all of them or by names."""
    if not isinstance(given, Mapping):
        return np.array(given, dtype=np.int8)  # a copy, as of the costs
    directions = np.zeros(len(names), dtype=np.int8)
    for name, direction in given.items():
        if name not in names:
            raise ValueError(f"monotonic_cst: no feature {name!r}{did_you_mean(str(name), names)}")
        directions[names.index(name)] = direction
    return directions
