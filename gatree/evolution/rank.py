"""Ranking: slots ordered by payoff, the highest first; of equals, the earlier one stays in front.

Most of a generation is still in the order of the last one. So it is a merge sort that leaves alone what is
in order already.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.jit import inlined, lean

_RUN = 16  # so few are ordered by insertion


class Candidates(NamedTuple):
    """Slots with their payoffs, as kernels take them, and room to merge them in."""

    slot: NDArray[np.int64]
    payoff: NDArray[np.float64]
    spare_slot: NDArray[np.int64]
    spare_payoff: NDArray[np.float64]


def no_candidates(n: int) -> Candidates:
    """Return room for so many candidates."""
    slots, payoffs = np.zeros((2, n), dtype=np.int64), np.zeros((2, n))
    return Candidates(slots[0], payoffs[0], slots[1], payoffs[1])


@inlined
def _insert(candidates: Candidates, begin: int, end: int) -> None:
    """Order a run by insertion."""
    slots, payoffs = candidates.slot, candidates.payoff
    for i in range(begin + 1, end):
        slot, payoff = slots[i], payoffs[i]
        at = i
        while at > begin and payoffs[at - 1] < payoff:
            slots[at], payoffs[at] = slots[at - 1], payoffs[at - 1]
            at -= 1
        slots[at], payoffs[at] = slot, payoff


@inlined
def _merge(candidates: Candidates, begin: int, middle: int, end: int) -> None:
    """Merge two neighbouring runs. The first one steps aside; the second can never be overtaken."""
    slots, payoffs, spare_slots, spare_payoffs = candidates
    for i in range(begin, middle):
        spare_slots[i], spare_payoffs[i] = slots[i], payoffs[i]
    left, right, at = begin, middle, begin
    while left < middle:
        if right < end and payoffs[right] > spare_payoffs[left]:
            slots[at], payoffs[at] = slots[right], payoffs[right]
            right += 1
        else:
            slots[at], payoffs[at] = spare_slots[left], spare_payoffs[left]
            left += 1
        at += 1


@lean
def rank(candidates: Candidates, n: int) -> None:
    """Order the first n candidates by payoff."""
    candidates = Candidates(*candidates)
    payoffs = candidates.payoff
    for begin in range(0, n, _RUN):
        _insert(candidates, begin, min(begin + _RUN, n))
    length = _RUN
    while length < n:
        for begin in range(0, n - length, 2 * length):
            middle = begin + length
            if payoffs[middle] > payoffs[middle - 1]:
                _merge(candidates, begin, middle, min(middle + length, n))
        length *= 2
