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
    wheel = np.maximum(payoff, 0.0).cumsum()
    if not wheel[-1] > 0:  # no tree classifies anything correctly: uniform
        wheel = np.arange(1.0, len(payoff) + 1)
    stops: Ranks = wheel.searchsorted(draws[:, 0] * wheel[-1], side="right")
    return np.minimum(stops, len(payoff) - 1)


def scaled_roulette(payoff: Floats, draws: Floats) -> Ranks:
    """Select each parent with probability proportional to its linearly scaled payoff (GAlib's default)."""
    slope, shift = linear_scaling(payoff)
    return roulette(payoff * slope + shift, draws)


def linear_scaling(payoff: Floats) -> tuple[float, float]:
    """Return slope and shift of GAlib's linear scaling of the payoffs, which are in descending order.

    The mean stays the same, and the best becomes `SCALING` times the mean. If the worst would become
    negative, it becomes 0 instead.
    """
    best, worst = float(payoff[0]), float(payoff[-1])
    mean = float(payoff.cumsum()[-1]) / len(payoff)  # in this order: `sum` would add pairs
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
