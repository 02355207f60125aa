"""A selection scheme: the probability to become a parent falls linearly with the rank."""

import math

from gatree.kernels.decorators import lean


@lean
def linear_rank(payoff, draws, parents, wheel):
    """Fill the parents, one per row of random numbers, with ranks; 0 is the best tree."""
    n = len(payoff)
    for row in range(len(parents)):
        parents[row] = min(n - 1, int(n * (1 - math.sqrt(1 - draws[row, 0]))))
