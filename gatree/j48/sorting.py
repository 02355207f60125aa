"""The quicksort that WEKA sorts instances with.

It is not stable, and sums of fractional weights depend in their last bit on the order in which it leaves
equal keys. So it has to be this one.
"""

from __future__ import annotations

import math

from gatree.j48.tables import Floats, Ints, Sample
from gatree.kernels.decorators import U, inlined, lean


@inlined
def _swap(sample: Sample, i: int, j: int) -> None:
    one, other = sample[U(i)], sample[U(j)]
    row, weight, key = one["row"], one["weight"], one["key"]
    one["row"], one["weight"], one["key"] = other["row"], other["weight"], other["key"]
    other["row"], other["weight"], other["key"] = row, weight, key


@inlined
def _order(sample: Sample, i: int, j: int) -> None:
    if sample[U(i)]["key"] > sample[U(j)]["key"]:
        _swap(sample, i, j)


@inlined
def _partition(sample: Sample, left: int, right: int) -> int:
    """Sort around the median of the first, middle and last key; return where it ends up."""
    middle = (left + right) // 2
    _order(sample, left, middle)
    _order(sample, left, right)
    _order(sample, middle, right)
    if right - left <= 2:
        return middle
    _swap(sample, middle, right - 1)
    pivot = sample[U(right - 1)]["key"]
    low, high = left + 1, right - 2
    while True:
        while sample[U(low)]["key"] < pivot:
            low += 1
        while sample[U(high)]["key"] > pivot:
            high -= 1
        if low >= high:
            break
        _swap(sample, low, high)
        low, high = low + 1, high - 1
    _swap(sample, low, right - 1)
    return low


@lean
def sort_known(sample: Sample, column: Floats, unsorted: Ints) -> int:
    """Sort in place by the values of a column, missing ones last as infinity; return how many are known."""
    n_known = 0
    for i in range(len(sample)):
        value = column[U(sample[U(i)]["row"])]
        sample[U(i)]["key"] = math.inf if math.isnan(value) else value
        n_known += not math.isnan(value)
    left, right, n_unsorted = 0, len(sample) - 1, 0
    while True:
        if left < right:
            middle = _partition(sample, left, right)
            if middle - left < right - middle:
                unsorted[n_unsorted], unsorted[n_unsorted + 1] = middle + 1, right
                right = middle - 1
            else:
                unsorted[n_unsorted], unsorted[n_unsorted + 1] = left, middle - 1
                left = middle + 1
            n_unsorted += 2
        elif n_unsorted == 0:
            return n_known
        else:
            n_unsorted -= 2
            left, right = unsorted[n_unsorted], unsorted[n_unsorted + 1]
