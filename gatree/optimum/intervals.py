"""Thresholds of one numeric attribute, of which bounds leave few to be tried.

Errors only grow with the instances: what lies left of a threshold can only get worse as the threshold
rises, what lies right of it only better. So the errors left of the lowest and right of the highest threshold
of an interval bound those of every threshold between. And a threshold that moves over q instances
cannot win more than q (both as in Brita, van der Linden and Demirovic, "Optimal classification trees for
continuous feature data using dynamic programming with branch-and-bound", 2025).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import jit

Ints = NDArray[np.int64]

LOW, HIGH, LEFT_OF, RIGHT_OF = range(4)  # an open interval's columns: its ends, and who bounds it
NOBODY = -1


@jit
def cuts_of(codes: NDArray[np.int32], n_tests: int) -> NDArray[np.int32]:
    """Return where rising codes can be cut: the first instance that fails each threshold that parts them."""
    cuts = np.empty(len(codes), dtype=np.int32)
    found = 0
    for rank in range(1, len(codes)):
        if codes[rank - 1] < codes[rank] and codes[rank - 1] < n_tests:
            cuts[found] = rank
            found += 1
    return cuts[:found]


@jit
def open_all(stack: Ints, n_cuts: int) -> int:
    """Begin with one interval of all cuts, which nobody bounds; return how many intervals are open."""
    if n_cuts == 0:
        return 0
    stack[0, LOW], stack[0, HIGH] = 0, n_cuts - 1
    stack[0, LEFT_OF], stack[0, RIGHT_OF] = NOBODY, NOBODY
    return 1


@jit
def split_open(stack: Ints, n_open: int, cuts: NDArray[np.int32], tried: int, surplus: int) -> int:
    """Replace the last interval by what is left of it on both sides of the cut that was tried.

    ``surplus`` is by how much the cut missed what is to be beaten: so many instances further on it
    can only be level.
    """
    low, high = stack[n_open - 1, LOW], stack[n_open - 1, HIGH]
    left_of, right_of = stack[n_open - 1, LEFT_OF], stack[n_open - 1, RIGHT_OF]
    n_open -= 1
    above = tried + 1
    while above <= high and cuts[above] - cuts[tried] <= surplus:
        above += 1
    if above <= high:
        stack[n_open, LOW], stack[n_open, HIGH] = above, high
        stack[n_open, LEFT_OF], stack[n_open, RIGHT_OF] = tried, right_of
        n_open += 1
    below = tried - 1
    while below >= low and cuts[tried] - cuts[below] <= surplus:
        below -= 1
    if below >= low:
        stack[n_open, LOW], stack[n_open, HIGH] = low, below
        stack[n_open, LEFT_OF], stack[n_open, RIGHT_OF] = left_of, tried
        n_open += 1
    return n_open
