"""The payoff of a tree, Eq. 1: accuracy squared, discounted by size.

It is computed from integers: the engine has no floats before this step.
A custom payoff function replaces it. It is called with ``(n_correct, n_instances, n_nodes, n_leaves, x)``,
where ``n_instances`` and ``x`` are numbers and the others arrays with an entry per tree, and returns the
payoffs; higher is better. With class weights, ``n_correct`` and ``n_instances`` are sums of weights.

Trees that violate a monotonic constraint (the class may only rise, or only fall, with an attribute) have a
payoff of 0. The check compares the leaves' classes on the two sides of each test of the attribute: every one
on the left must be at most, or at least, every one on the right. It also rejects some monotonic trees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.evolution.population import Trees
from gatree.kernels.decorators import inlined, shared
from gatree.settings.evolution_settings import EvolutionSettings, XFactor
from gatree.trees.genome import LEAF

PayoffFunction = Callable[
    [NDArray[np.int64], int, NDArray[np.int64], NDArray[np.int64], float], NDArray[np.float64]
]

# Eq. 1 as two factors: the engine stores one per tree and one per size. In Python they also accept fractions
# and arrays.


@shared
def accuracy_squared(n_correct: Any, n_instances: Any) -> Any:
    """Return the first factor of Eq. 1."""
    accuracy = n_correct / n_instances
    return accuracy * accuracy


@shared
def discount(size: Any, x: Any) -> Any:
    """Return the second factor of Eq. 1."""
    return x / (size * size + x)


def payoff(n_correct: Any, n_instances: Any, size: Any, x: Any) -> Any:
    """Return the payoff of trees from their correct counts and sizes (Eq. 1).

    >>> payoff(np.array([2]), 4, np.array([4]), 1.0).tolist()
    [0.014705882352941176]
    """
    return accuracy_squared(n_correct, n_instances) * discount(size, x)


def x_of_generations(settings: EvolutionSettings) -> NDArray[np.float64]:
    """Return the x of Eq. 1 for the initial population and for every generation after it."""
    first, last = settings.x_factor.first, settings.x_factor.last
    schedule = XFactor(first if settings.x_start is None else settings.x_start, last)
    n = settings.n_generations
    return np.atleast_1d(schedule.at(np.arange(n + 1), n, settings.x_steps))


def custom_payoff(
    function: PayoffFunction,
    n_correct: NDArray[np.int64],
    n_instances: int,
    n_nodes: NDArray[np.int64],
    x: float,
) -> NDArray[np.float64]:
    """Return the payoffs of a custom function; raise an error if they are invalid."""
    payoffs = np.asarray(function(n_correct, n_instances, n_nodes, (n_nodes + 1) // 2, x), dtype=np.float64)
    if payoffs.shape != n_correct.shape:
        raise ConfigError(
            f"payoff: should return an array with one number per tree, of shape {n_correct.shape}, "
            f"got {payoffs.shape}"
        )
    if not np.isfinite(payoffs).all():
        raise ConfigError("payoff: should return finite numbers, got NaN or infinity")
    return payoffs


@inlined
def classes_below(trees: Trees, slot: int, node: int) -> tuple[int, int]:
    """Return the lowest and the highest class of the leaves below a node."""
    lowest, highest = np.int32(2**31 - 1), np.int32(-1)
    for here in range(node, node + trees.span[slot, node]):
        if trees.attribute[slot, here] == LEAF:
            lowest = min(lowest, trees.value[slot, here])
            highest = max(highest, trees.value[slot, here])
    return int(lowest), int(highest)


@inlined
def is_monotonic(trees: Trees, slot: int, directions: NDArray[np.int8]) -> bool:
    """Return whether a tree respects the direction of each attribute: 1 to rise, -1 to fall, 0 for any."""
    for node in range(trees.n_nodes[slot]):
        tested = trees.attribute[slot, node]
        if tested != LEAF and directions[tested] != 0:
            left = node + 1
            left_lowest, left_highest = classes_below(trees, slot, left)
            right_lowest, right_highest = classes_below(trees, slot, left + trees.span[slot, left])
            if directions[tested] > 0 and left_highest > right_lowest:
                return False
            if directions[tested] < 0 and left_lowest < right_highest:
                return False
    return True
