"""The payoff of a tree, Eq. 1: accuracy squared, discounted by size.

Computed from integers; floats appear here and nowhere before.
A user's own function may take its place: it is given ``(n_correct, n_instances, n_nodes, n_leaves, x)``,
all of them arrays with an entry per tree but for the numbers ``n_instances`` and ``x``, and returns the
payoffs, the higher the better. With class weights, ``n_correct`` and ``n_instances`` are sums of weights.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gatree.errors import ConfigError
from gatree.jit import inlined, jit

PayoffFunction = Callable[
    [NDArray[np.int64], int, NDArray[np.int64], NDArray[np.int64], float], NDArray[np.float64]
]


@inlined
def accuracy_squared(n_correct: int, n_instances: int) -> float:
    """Return the first factor of Eq. 1."""
    accuracy = n_correct / n_instances
    return accuracy * accuracy


@inlined
def discount(size: int, x: float) -> float:
    """Return the second factor of Eq. 1."""
    return x / (size * size + x)


@jit
def payoff(
    n_correct: NDArray[np.int64], n_instances: int, size: NDArray[np.int64], x: float
) -> NDArray[np.float64]:
    """Return the payoff of trees from their correct counts and sizes (Eq. 1).

    >>> payoff(np.array([2]), 4, np.array([4]), 1.0).tolist()
    [0.014705882352941176]
    """
    payoffs = np.empty(len(n_correct))
    for k in range(len(n_correct)):
        payoffs[k] = accuracy_squared(n_correct[k], n_instances) * discount(size[k], x)  # Eq. 1
    return payoffs


def custom_payoff(
    function: PayoffFunction,
    n_correct: NDArray[np.int64],
    n_instances: int,
    n_nodes: NDArray[np.int64],
    x: float,
) -> NDArray[np.float64]:
    """Return what a user's function makes of a generation, if it can be used."""
    payoffs = np.asarray(function(n_correct, n_instances, n_nodes, (n_nodes + 1) // 2, x), dtype=np.float64)
    if payoffs.shape != n_correct.shape:
        raise ConfigError(
            f"payoff: should return an array with one number per tree, of shape {n_correct.shape}, "
            f"got {payoffs.shape}"
        )
    if not np.isfinite(payoffs).all():
        raise ConfigError("payoff: should return finite numbers, got NaN or infinity")
    return payoffs
