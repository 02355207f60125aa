"""A memory of subtrees that were evaluated before, wherever they stood: a cache beside inheritance.

Below the same tests, with the same outcomes, the same subtree classifies the same instances alike. So the
tests on the way down and the subtree's nodes are the key, compared in full and never by hash alone; what
is kept are the counts of the subtree's nodes (and its leaves' classes, which may depend on the
instances). A whole tree is a subtree with no tests above it. An entry gives way to the next one that
falls on its place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import Trees
from gatree.kernels.decorators import inlined
from gatree.trees.genome import Ints, toward

N_PLACES = 2**14
_LONGEST_KEY = 64
_LARGEST_SUBTREE = 15

_END_OF_PATH = -2  # no attribute: where the tests above end and the subtree begins
_FNV_OFFSET = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)

LOOKED_UP, FOUND = range(2)  # the columns of `tally`


class SubtreeCache(NamedTuple):
    """The subtrees that are known, as kernels take them."""

    key: Ints  # [place, position]
    length: Ints  # [place]: of the key, 0 for a free place
    value: Ints  # [place, node]
    reached: Ints  # [place, node]
    correct: Ints  # [place, node]
    wanted: Ints  # [position]: the key that is looked up
    tally: NDArray[np.int64]


def empty_cache(n_places: int) -> SubtreeCache:
    """Return a cache with so many places; with none it is switched off."""

    def nodes() -> Ints:
        return np.zeros((n_places, _LARGEST_SUBTREE), dtype=np.int32)

    return SubtreeCache(
        key=np.zeros((n_places, _LONGEST_KEY), dtype=np.int32),
        length=np.zeros(n_places, dtype=np.int32),
        value=nodes(),
        reached=nodes(),
        correct=nodes(),
        wanted=np.zeros(_LONGEST_KEY, dtype=np.int32),
        tally=np.zeros(2, dtype=np.int64),
    )


@inlined
def write_key(trees: Trees, slot: int, node: int, key: Ints) -> int:
    """Write a subtree's key; return its length, or 0 if the subtree or the way down to it is too long."""
    span = trees.span[slot, node]
    here, length = 0, 0
    if span > _LARGEST_SUBTREE:
        return 0
    while here != node:
        if length + 2 * span + 3 > len(key):  # this test, the end of the path, and the subtree
            return 0
        child = toward(trees.span, slot, here, node)
        passed = child == here + 1
        key[length] = 2 * trees.attribute[slot, here] + passed
        key[length + 1] = trees.value[slot, here]
        length += 2
        here = child
    key[length] = _END_OF_PATH
    length += 1
    for i in range(node, node + span):
        key[length] = trees.attribute[slot, i]
        key[length + 1] = trees.value[slot, i]
        length += 2
    return length


@inlined
def place_of(cache: SubtreeCache, length: int) -> int:
    """Return the one place where the wanted key can be."""
    digest = _FNV_OFFSET
    for k in range(length):
        digest = (digest ^ np.uint64(np.uint32(cache.wanted[k]))) * _FNV_PRIME
    return int(np.int64((digest >> np.uint64(32)) % np.uint64(len(cache.length))))


@inlined
def holds_wanted(cache: SubtreeCache, place: int, length: int) -> bool:
    """Tell whether a place holds the wanted key."""
    if cache.length[place] != length:
        return False
    for k in range(length):  # noqa: SIM110  numba knows no generators
        if cache.key[place, k] != cache.wanted[k]:
            return False
    return True


@inlined
def recall(
    cache: SubtreeCache, place: int, trees: Trees, slot: int, node: int, reached: Ints, correct: Ints
) -> tuple[int, int]:
    """Fill a subtree's counts from a place that holds it; return their sums."""
    checks, n_correct = 0, 0
    for k in range(trees.span[slot, node]):
        checks += cache.reached[place, k]
        n_correct += cache.correct[place, k]
        trees.value[slot, node + k] = cache.value[place, k]
        reached[slot, node + k] = cache.reached[place, k]
        correct[slot, node + k] = cache.correct[place, k]
    return checks, n_correct


@inlined
def remember(
    cache: SubtreeCache,
    place: int,
    length: int,
    trees: Trees,
    slot: int,
    node: int,
    reached: Ints,
    correct: Ints,
) -> None:
    """Keep a subtree's counts under the wanted key."""
    cache.length[place] = length
    for k in range(length):
        cache.key[place, k] = cache.wanted[k]
    for k in range(trees.span[slot, node]):
        cache.value[place, k] = trees.value[slot, node + k]
        cache.reached[place, k] = reached[slot, node + k]
        cache.correct[place, k] = correct[slot, node + k]
