"""Selection of parents, and replacement.

A selection is a kernel that fills `parents`, one per row of uniform random numbers, with ranks (0 is the
best tree). `wheel` is a scratch array with an entry per tree. Its entry is in settings/registry.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import first_above, pick
from gatree.kernels.decorators import inlined, lean

Floats = NDArray[np.float64]

SCALING = 1.2
"""How much more often GAlib's linear scaling selects the best tree than an average one."""


@lean
def tournament(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:  # noqa: ARG001
    """Select each parent as the best of some random trees, one per column of draws."""
    for row in range(len(parents)):
        best = pick(draws[row, 0], len(payoff))
        for column in range(1, draws.shape[1]):
            challenger = pick(draws[row, column], len(payoff))
            if payoff[challenger] > payoff[best]:
                best = challenger
        parents[row] = best


@inlined
def fill_wheel(wheel: Floats, payoff: Floats, slope: float, shift: float) -> None:
    """Fill a roulette wheel with the cumulative sums of scaled payoffs; negative ones count as 0."""
    total = 0.0
    for rank in range(len(payoff)):
        total += max(0.0, payoff[rank] * slope + shift)
        wheel[rank] = total
    if not total > 0:  # no tree classifies anything correctly: uniform
        for rank in range(len(payoff)):
            wheel[rank] = rank + 1.0


@inlined
def spin(wheel: Floats, n: int, draw: float) -> int:
    """Return the tree that a draw selects on a wheel of n trees."""
    return min(first_above(wheel, n, draw * wheel[n - 1]), n - 1)


@inlined
def linear_scaling(payoff: Floats) -> tuple[float, float]:
    """Return slope and shift of GAlib's linear scaling of the payoffs.

    The mean stays the same, and the best becomes `SCALING` times the mean. If the worst would become
    negative, it becomes 0 instead.
    """
    best, worst, mean = payoff[0], payoff[0], 0.0
    for rank in range(len(payoff)):
        best, worst = max(best, payoff[rank]), min(worst, payoff[rank])
        mean += payoff[rank]
    mean /= len(payoff)
    if best == mean:
        return 1.0, 0.0
    if worst > (SCALING * mean - best) / (SCALING - 1):
        slope = (SCALING - 1) * mean / (best - mean)
        return slope, mean * (best - SCALING * mean) / (best - mean)
    return mean / (mean - worst), -worst * mean / (mean - worst)


@lean
def roulette(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:
    """Select each parent with probability proportional to its payoff, by the first number of its row."""
    fill_wheel(wheel, payoff, 1.0, 0.0)
    for row in range(len(parents)):
        parents[row] = spin(wheel, len(payoff), draws[row, 0])


@lean
def scaled_roulette(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:
    """Select each parent with probability proportional to its payoff after GAlib's linear scaling."""
    slope, shift = linear_scaling(payoff)
    fill_wheel(wheel, payoff, slope, shift)
    for row in range(len(parents)):
        parents[row] = spin(wheel, len(payoff), draws[row, 0])


@lean
def scaled_tournament(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:
    """Select each parent as the best of some trees from the scaled wheel, one per column of draws."""
    slope, shift = linear_scaling(payoff)
    fill_wheel(wheel, payoff, slope, shift)
    for row in range(len(parents)):
        best = spin(wheel, len(payoff), draws[row, 0])
        for column in range(1, draws.shape[1]):
            challenger = spin(wheel, len(payoff), draws[row, column])
            if payoff[challenger] > payoff[best]:
                best = challenger
        parents[row] = best


def keep_all_but_worst(n_living: int, n_offspring: int) -> int:
    """Return how many trees stay when the offspring replace the worst; the best tree always stays."""
    return max(1, n_living - n_offspring)


def keep_all(n_living: int, n_offspring: int) -> int:
    """Return how many trees compete with the offspring: all."""
    del n_offspring
    return n_living
