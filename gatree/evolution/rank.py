"""Ranking: slots ordered by payoff, the highest first; of equals, the earlier one stays in front.

The living are still in the order of the last generation, or nearly so, and few have come to them. So it is
a merge sort that leaves alone what is in order already, and merges the newcomers last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import U, inlined, lean

_RUN = 16  # so many are ordered by insertion


class Candidates(NamedTuple):
    """Slots with their payoffs, as kernels take them, and room to merge them in."""

    slot: NDArray[np.int64]
    payoff: NDArray[np.float64]
    spare_slot: NDArray[np.int64]
    spare_payoff: NDArray[np.float64]


@inlined
def first_above(numbers: Any, n: int, bound: float) -> int:
    """Return the first of n rising numbers that is above a bound, or n (numpy's ``searchsorted``, right)."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if numbers[U(middle)] > bound:
            high = middle
        else:
            low = middle + 1
    return low


def no_candidates(n: int) -> Candidates:
    """Return room for so many candidates."""
    slots, payoffs = np.zeros((2, n), dtype=np.int64), np.zeros((2, n))
    return Candidates(slots[0], payoffs[0], slots[1], payoffs[1])


@inlined
def _insert(candidates: Candidates, begin: int, end: int) -> None:
    """Order a few by insertion."""
    slots, payoffs = candidates.slot, candidates.payoff
    for i in range(begin + 1, end):
        slot, payoff = slots[U(i)], payoffs[U(i)]
        at = i
        while at > begin and payoffs[U(at - 1)] < payoff:
            slots[U(at)], payoffs[U(at)] = slots[U(at - 1)], payoffs[U(at - 1)]
            at -= 1
        slots[U(at)], payoffs[U(at)] = slot, payoff


@inlined
def _merge(candidates: Candidates, begin: int, middle: int, end: int) -> None:
    """Merge two neighbouring runs, from the end: the second one steps aside until the first makes room."""
    slots, payoffs, spare_slots, spare_payoffs = candidates
    for i in range(middle, end):
        spare_slots[U(i)], spare_payoffs[U(i)] = slots[U(i)], payoffs[U(i)]
    left, right, at = middle - 1, end - 1, end - 1
    while right >= middle:
        if left >= begin and payoffs[U(left)] < spare_payoffs[U(right)]:
            slots[U(at)], payoffs[U(at)] = slots[U(left)], payoffs[U(left)]
            left -= 1
        else:
            slots[U(at)], payoffs[U(at)] = spare_slots[U(right)], spare_payoffs[U(right)]
            right -= 1
        at -= 1


@inlined
def _merge_if_needed(candidates: Candidates, begin: int, middle: int, end: int) -> None:
    if begin < middle < end and candidates.payoff[middle] > candidates.payoff[middle - 1]:
        _merge(candidates, begin, middle, end)


@lean
def _sort(candidates: Candidates, begin: int, end: int) -> None:
    """Order a part of the candidates."""
    for run in range(begin, end, _RUN):
        _insert(candidates, run, min(run + _RUN, end))
    length = _RUN
    while length < end - begin:
        for run in range(begin, end - length, 2 * length):
            _merge_if_needed(candidates, run, run + length, min(run + 2 * length, end))
        length *= 2


@lean
def rank(candidates: Candidates, n: int, n_new: int) -> None:
    """Order the first n candidates by payoff. The last n_new of them have joined the others, in any order."""
    _sort(candidates, 0, n - n_new)
    _sort(candidates, n - n_new, n)
    _merge_if_needed(candidates, 0, n - n_new, n)
