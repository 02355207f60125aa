"""Who become parents: tournament or roulette, both on the payoff.

Parents are given by rank (0 is the best of the living), one per row of uniform random numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import pick
from gatree.jit import lean

Floats = NDArray[np.float64]


@lean
def tournament(payoff: Floats, draws: Floats, parents: NDArray[np.int64]) -> None:
    """Choose each parent as the best of as many random trees as there are columns of draws."""
    for row in range(len(parents)):
        best = pick(draws[row, 0], len(payoff))
        for column in range(1, draws.shape[1]):
            rival = pick(draws[row, column], len(payoff))
            if payoff[rival] > payoff[best]:
                best = rival
        parents[row] = best


@lean
def roulette(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:
    """Choose each parent with a probability proportional to its payoff; the wheel is scratch."""
    n = len(payoff)
    turned = 0.0
    for rank in range(n):
        turned += payoff[rank]
        wheel[rank] = turned
    if not turned > 0:  # nobody classifies anything correctly: all are equal
        for rank in range(n):
            wheel[rank] = rank + 1.0
    for row in range(len(parents)):
        chosen = np.searchsorted(wheel[:n], draws[row, 0] * wheel[n - 1], side="right")
        parents[row] = min(chosen, n - 1)
