"""A selection scheme: the probability to become a parent falls linearly with the rank."""

import numpy as np


def linear_rank(payoff, draws):
    """Return the rank of a parent per row of random numbers; 0 is the best tree."""
    n = len(payoff)
    return np.minimum(n - 1, (n * (1 - np.sqrt(1 - draws[:, 0]))).astype(int))
