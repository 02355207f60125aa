"""Selections of parents and replacements of the population; registry.py has their entries.

A selection takes the payoffs of the population, best first, and a row of uniform random numbers per parent.
It returns a rank per row; 0 is the best tree.

A replacement returns how many of the best trees compete with the offspring for a place in the population.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import pick
from gatree.kernels.decorators import lean

Floats = NDArray[np.float64]
Ranks = NDArray[np.int64]

SCALING = 1.2
"""How much more often GAlib's linear scaling selects the best tree than an average one."""


def tournament(payoff: Floats, draws: Floats) -> Ranks:
    """Select each parent as the best of some random trees, one per column of draws."""
    winners = np.empty(len(draws), dtype=np.int64)
    _fill_winners(payoff, draws, winners)
    return winners


@lean
def _fill_winners(payoff: Floats, draws: Floats, winners: Ranks) -> None:
    """Fill in the winner of every row's tournament; of equal trees it is the one drawn first."""
    for row in range(len(winners)):
        best = pick(draws[row, 0], len(payoff))
        for column in range(1, draws.shape[1]):
            challenger = pick(draws[row, column], len(payoff))
            if payoff[challenger] > payoff[best]:
                best = challenger
        winners[row] = best


def roulette(payoff: Floats, draws: Floats) -> Ranks:
    """Select each parent with probability proportional to its payoff, by the first number of its row."""
    return _spun(payoff, draws, False)


def scaled_roulette(payoff: Floats, draws: Floats) -> Ranks:
    """Select each parent with probability proportional to its linearly scaled payoff (GAlib's default)."""
    return _spun(payoff, draws, True)


def _spun(payoff: Floats, draws: Floats, is_scaled: bool) -> Ranks:
    ranks = np.empty(len(draws), dtype=np.int64)
    _spin(payoff, draws, is_scaled, np.empty(len(payoff)), ranks)
    return ranks


@lean
def _spin(payoff: Floats, draws: Floats, is_scaled: bool, wheel: Floats, ranks: Ranks) -> None:
    """Fill in the rank at which a wheel stops for every row; each tree has a part as large as its payoff."""
    n, total = len(payoff), 0.0
    slope, shift = linear_scaling(payoff) if is_scaled else (1.0, 0.0)
    for rank in range(n):
        total += max(0.0, payoff[rank] * slope + shift)
        wheel[rank] = total
    if not total > 0:  # no tree classifies anything correctly: uniform
        for rank in range(n):
            wheel[rank] = rank + 1.0
    for row in range(len(ranks)):
        ranks[row] = min(first_above(wheel, draws[row, 0] * wheel[n - 1]), n - 1)


@lean
def first_above(ascending: Floats, limit: float) -> int:
    """Return the index of the first number above a limit, or that after the last one."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) >> 1
        if ascending[middle] > limit:
            high = middle
        else:
            low = middle + 1
    return low


@lean
def linear_scaling(payoff: Floats) -> tuple[float, float]:
    """Return slope and shift of GAlib's linear scaling of the payoffs, which are in descending order.

    The mean stays the same, and the best becomes `SCALING` times the mean. If the worst would become
    negative, it becomes 0 instead.
    """
    best, worst, mean = payoff[0], payoff[len(payoff) - 1], 0.0
    for rank in range(len(payoff)):
        mean += payoff[rank]
    mean /= len(payoff)
    if best == mean:
        return 1.0, 0.0
    if worst > (SCALING * mean - best) / (SCALING - 1):
        slope = (SCALING - 1) * mean / (best - mean)
        return slope, mean * (best - SCALING * mean) / (best - mean)
    return mean / (mean - worst), -worst * mean / (mean - worst)


def keep_all_but_worst(n_living: int, n_offspring: int) -> int:
    """Return how many trees stay when the offspring replace the worst; the best tree always stays."""
    return max(1, n_living - n_offspring)


def keep_all(n_living: int, n_offspring: int) -> int:
    """Return how many trees compete with the offspring: all."""
    del n_offspring
    return n_living
