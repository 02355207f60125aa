"""Who of the living competes with the offspring for a place in the next generation.

A way to replace says how many stay, the best ones first. They and the offspring are ranked, and the best of
them live.
"""

from __future__ import annotations


def all_but_the_worst(n_living: int, n_offspring: int) -> int:
    """Let the offspring take the place of the worst; but the best tree is never lost."""
    return max(1, n_living - n_offspring)


def everybody(n_living: int, n_offspring: int) -> int:
    """Let all living compete with all offspring."""
    del n_offspring
    return n_living
