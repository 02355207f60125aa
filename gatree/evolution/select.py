"""Who become parents: tournament or roulette, both on the payoff.

Parents are given by rank (0 is the best of the living), one per row of uniform random numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import pick
from gatree.jit import jit


@jit
def tournament(payoff: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.int64]:
    """Choose each parent as the best of as many random trees as there are columns of draws."""
    parents = np.empty(len(draws), dtype=np.int64)
    for row in range(len(draws)):
        best = pick(draws[row, 0], len(payoff))
        for column in range(1, draws.shape[1]):
            rival = pick(draws[row, column], len(payoff))
            if payoff[rival] > payoff[best]:
                best = rival
        parents[row] = best
    return parents


def roulette(payoff: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.int64]:
    """Choose each parent with a probability proportional to its payoff."""
    wheel = np.cumsum(payoff)
    if not wheel[-1] > 0:  # nobody classifies anything correctly: all are equal
        wheel = np.arange(1.0, len(payoff) + 1)
    chosen: NDArray[np.int64] = np.searchsorted(wheel, draws[:, 0] * wheel[-1], side="right")
    return np.minimum(chosen, len(payoff) - 1, dtype=np.int64)
