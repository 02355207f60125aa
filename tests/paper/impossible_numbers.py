"""Which published pairs of accuracy and size no tree can have, proven by the exact solver.

The paper prints means over five folds. Whatever the trees were, a tree of s nodes classifies at most as many
instances correctly as the best one of s nodes, and a mean over trees of several sizes lies below the concave
curve through those bests. What cross-validation may add by chance is allowed for with three standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gatree.data.catalog import load_dataset
from gatree.optimum import AllowedTrees, optimum
from gatree.paper.published import BASELINES, Spot, published

_STANDARD_ERRORS = 3


def best_shares(dataset: str, most_tests: int = 4) -> list[tuple[int, float]]:
    """Return nodes and proven best accuracy on all instances, for every number of tests."""
    data = load_dataset(dataset)
    allowed = [AllowedTrees(k, numeric_tests="integer") for k in range(most_tests + 1)]
    return [(2 * k + 1, optimum(data, trees).accuracy) for k, trees in enumerate(allowed)]


def most_accurate(shares: Sequence[tuple[int, float]], mean_size: float) -> float:
    """Return what trees of a mean size can reach at most; larger trees than were solved may be perfect."""
    points = [*shares, (shares[-1][0] + 2, 1.0)]
    if mean_size >= points[-1][0]:
        return 1.0
    return max(
        _between(low, high, mean_size) for low in points for high in points if low[0] <= mean_size <= high[0]
    )


def _between(low: tuple[int, float], high: tuple[int, float], size: float) -> float:
    if low[0] == high[0]:
        return max(low[1], high[1])
    return low[1] + (high[1] - low[1]) * (size - low[0]) / (high[0] - low[0])


def impossible(dataset: str) -> dict[Spot, float]:
    """Return GATree's published accuracies that no trees of the published size have, and what these can."""
    shares, n = best_shares(dataset), load_dataset(dataset).n_instances
    found = {}
    for spot, accuracy in published().items():
        if spot.dataset == dataset and spot.metric == "accuracy" and spot.column not in BASELINES:
            most = most_accurate(shares, published()[spot._replace(metric="size")])
            if accuracy > most + _STANDARD_ERRORS * math.sqrt(most * (1 - most) / n):
                found[spot] = most
    return found
