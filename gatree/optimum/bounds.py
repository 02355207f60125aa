"""What is known of the errors of a branch before it is solved: a bound for every number of tests.

Errors only grow with the instances and only fall with the tests; and taking q instances away spares at
most q errors. That is all the bounds there are (see `gatree.optimum.similar`, too), and they rule out nearly
all trees.
"""

from __future__ import annotations

Bounds = list[int]  # by number of tests: a tree of so many makes at least so many errors


def nothing_known(k: int) -> Bounds:
    """Return the bounds of a branch that may get up to ``k - 1`` tests."""
    return [0] * k


def without(bounds: Bounds, n_instances: int) -> Bounds:
    """Return the bounds of what is left when so many instances are taken away."""
    return [max(0, errors - n_instances) for errors in bounds]


def higher(some: Bounds, others: Bounds) -> Bounds:
    """Return the better of two bounds, for every number of tests."""
    return [max(pair) for pair in zip(some, others, strict=True)]


def note(bounds: Bounds, n_tests: int, errors: int) -> None:
    """Note that so many tests leave so many errors; fewer tests leave no fewer."""
    for fewer in range(n_tests + 1):
        bounds[fewer] = max(bounds[fewer], errors)


def least(left: Bounds, right: Bounds) -> int:
    """Return the fewest errors that any way to share the tests between two branches may reach."""
    return min(a + b for a, b in zip(left, reversed(right), strict=True))
