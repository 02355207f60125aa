"""Who become parents, and who may stay: selection and replacement.

A selection is a kernel that fills `parents`, one per row of uniform random numbers, with ranks (0 is the
best of the living); `wheel` is scratch with room for a number per tree. Its entry is in settings/registry.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import first_above, pick
from gatree.kernels.decorators import inlined, lean

Floats = NDArray[np.float64]

SCALING = 1.2
"""How often the best tree is chosen, beside a mean one, by GAlib's linear scaling."""


@lean
def tournament(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:  # noqa: ARG001
    """Choose each parent as the best of as many random trees as there are columns of draws."""
    for row in range(len(parents)):
        best = pick(draws[row, 0], len(payoff))
        for column in range(1, draws.shape[1]):
            challenger = pick(draws[row, column], len(payoff))
            if payoff[challenger] > payoff[best]:
                best = challenger
        parents[row] = best


@inlined
def fill_wheel(wheel: Floats, payoff: Floats, slope: float, shift: float) -> None:
    """Give each tree the share of a wheel that its payoff, scaled, is of the sum; the negative get none."""
    total = 0.0
    for rank in range(len(payoff)):
        total += max(0.0, payoff[rank] * slope + shift)
        wheel[rank] = total
    if not total > 0:  # nobody classifies anything correctly: all are equal
        for rank in range(len(payoff)):
            wheel[rank] = rank + 1.0


@inlined
def spin(wheel: Floats, n: int, draw: float) -> int:
    """Return the tree at which a wheel of n stops."""
    return min(first_above(wheel, n, draw * wheel[n - 1]), n - 1)


@inlined
def linear_scaling(payoff: Floats) -> tuple[float, float]:
    """Return slope and shift of GAlib's linear scaling of the payoffs.

    The mean stays, the best becomes `SCALING` times the mean; if the worst would become negative by that, it
    becomes 0 instead.
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
    """Choose each parent with a probability proportional to its payoff, by its row's first number."""
    fill_wheel(wheel, payoff, 1.0, 0.0)
    for row in range(len(parents)):
        parents[row] = spin(wheel, len(payoff), draws[row, 0])


@lean
def scaled_roulette(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:
    """Choose each parent with a probability proportional to its payoff as GAlib scales it."""
    slope, shift = linear_scaling(payoff)
    fill_wheel(wheel, payoff, slope, shift)
    for row in range(len(parents)):
        parents[row] = spin(wheel, len(payoff), draws[row, 0])


@lean
def scaled_tournament(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:
    """Choose each parent as the best of as many as there are columns of draws, drawn by the scaled wheel."""
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
    """Let the offspring take the place of the worst; but the best tree is never lost."""
    return max(1, n_living - n_offspring)


def keep_all(n_living: int, n_offspring: int) -> int:
    """Let all living compete with all offspring."""
    del n_offspring
    return n_living
