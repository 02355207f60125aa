"""The payoff of a tree, Eq. 1: accuracy squared, discounted by size.

Computed for a whole generation at once, from integers; floats appear here and nowhere before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.jit import jit


@jit
def payoff(
    n_correct: NDArray[np.int64], n_instances: int, size: NDArray[np.int64], x: float
) -> NDArray[np.float64]:
    """Return the payoff of trees from their correct counts and sizes (Eq. 1).

    >>> payoff(np.array([2]), 4, np.array([4]), 1.0).tolist()
    [0.014705882352941176]
    """
    accuracy = n_correct / n_instances
    return accuracy * accuracy * (x / (size * size + x))  # Eq. 1
