"""Who become parents: ways to choose them by their payoffs.

A way to select is a kernel that fills `parents`, one per row of uniform random numbers, with ranks (0 is the
best of the living); `wheel` is scratch with room for a number per tree. Its entry is in gatree.registry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import pick
from gatree.jit import lean

Floats = NDArray[np.float64]


@lean
def tournament(payoff: Floats, draws: Floats, parents: NDArray[np.int64], wheel: Floats) -> None:  # noqa: ARG001
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
    """Choose each parent with a probability proportional to its payoff, by its row's first number."""
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
