"""The payoff of a tree, Eq. 1: accuracy squared, discounted by size.

It is computed from integers: the engine has no floats before this step.
A custom payoff function replaces it. It is called with ``(n_correct, n_instances, n_nodes, n_leaves, x)``,
where ``n_instances`` and ``x`` are numbers and the others arrays with an entry per tree, and returns the
payoffs; higher is better.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.evolution.population import Slots, Trees
from gatree.kernels.decorators import lean
from gatree.settings.evolution_settings import EvolutionSettings, XFactor

PayoffFunction = Callable[
    [NDArray[np.int64], int, NDArray[np.int64], NDArray[np.int64], float], NDArray[np.float64]
]


def payoff(n_correct: Any, n_instances: Any, size: Any, x: Any) -> Any:
    """Return the payoff of trees from their correct counts and sizes (Eq. 1); fractions are accepted, too.

    >>> payoff(np.array([2]), 4, np.array([4]), 1.0).tolist()
    [0.014705882352941176]
    """
    accuracy = n_correct / n_instances
    return accuracy * accuracy * (x / (size * size + x))  # Eq. 1


@lean
def fill_payoffs(
    payoffs: NDArray[np.float64],
    slots: Slots,
    trees: Trees,
    n_instances: int,
    counts_leaves: bool,
    x: float,
) -> None:
    """Fill in the payoffs of the trees in some slots, as `payoff` does; numpy takes ten times as long."""
    trees = Trees(*trees)
    for k in range(len(slots)):
        n_nodes = np.int64(trees.n_nodes[slots[k]])
        size = (n_nodes + 1) // 2 if counts_leaves else n_nodes
        accuracy = trees.n_correct[slots[k]] / n_instances
        payoffs[k] = accuracy * accuracy * (x / (size * size + x))  # Eq. 1


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
