"""Eqs. 2-15 of the paper (Sections 3.2 and 4), as exact fractions, and the sums they stand for.

A tree of depth k has levels 0..k. When a node is stale, re-classifying costs node-instance-checks;
R is that cost over the cost of the whole tree, averaged over all nodes. R charges every instance
its whole way from the root, R' (the paper's primed version, and what the evaluators do) only what
lies below the stale node. Costs are per instance: the n of the paper is divided out everywhere.
The `Shape`s hold the exact sums and the bounds that the paper ends with; ``errata.csv`` says where the two
differ because the paper is wrong. The equations on the way there are in the tests, as printed. Knows nothing
of the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

Ratio = Callable[[int], Fraction]

HALF = Fraction(1, 2)

# --- complete trees (Section 3.2.1) -----------------------------------------------------------------


def complete_nodes(k: int) -> int:
    """Nodes of a complete tree. The paper's text says 2^(k+1) + 1; its Eq. 2 uses the right number."""
    return (1 << (k + 1)) - 1


def eq_2(k: int) -> Fraction:
    """R of complete trees; exact."""
    return Fraction(k + 1, complete_nodes(k))


def complete_below(k: int) -> Fraction:
    """R' of complete trees, from Section 4's Cost'_i = (n / 2^i)(k - i + 1); exact."""
    return Fraction(k + 2, 2 * complete_nodes(k))


# --- linear trees (Section 3.2.2) -------------------------------------------------------------------


def linear_nodes(k: int) -> int:
    """Nodes of a linear tree, weighted or not: the root, and two at each level below it."""
    return 2 * k + 1


def eq_8_bound(k: int) -> Fraction:
    """Return the bound of Eq. 8 on R of linear trees, which tends to 3/4."""
    return Fraction(3 * k + 1, 4 * k + 2)


def eq_9_bound(k: int) -> Fraction:
    """Return the bound given with Eq. 9 on R' of linear trees, which tends to 1/4."""
    return Fraction(k + 5, 4 * k + 2)


def linear_from_root(k: int) -> Fraction:
    """R of linear trees; exact. Tends to 1/3."""
    return (1 + Fraction(2 * k * (k + 1) * (k + 5), 3 * (k**2 + 5 * k + 2))) / linear_nodes(k)


def linear_below(k: int) -> Fraction:
    """R' of linear trees; exact. Tends to 1/6."""
    return (1 + Fraction(k * (k + 1) * (k + 5), 3 * (k**2 + 5 * k + 2))) / linear_nodes(k)


# --- weighted linear trees (Section 4) --------------------------------------------------------------


def weighted_cost(k: int) -> Fraction:
    """Cost_0 of a weighted linear tree, the left side of Eq. 10; exact. Stays below 3."""
    return 3 - 2 * HALF**k


def eq_15_bound(k: int) -> Fraction:
    """Return the bound that ends Eq. 15, which tends to 1/2."""
    return Fraction(k + 5, 2 * k + 1)


def weighted_from_root(k: int) -> Fraction:
    """R of weighted linear trees; exact. Tends to 0 like 11 / (3 (2k + 1))."""
    return (1 + (8 - (4 * k + 8) * HALF**k) / weighted_cost(k)) / linear_nodes(k)


def weighted_below(k: int) -> Fraction:
    """R' of weighted linear trees; exact. Tends to 0 like 7 / (3 (2k + 1))."""
    return (1 + (4 - (2 * k + 4) * HALF**k) / weighted_cost(k)) / linear_nodes(k)


# --- the three shapes side by side ------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """A kind of tree: its exact ratios and what the paper gives for them (None: nothing).

    In every tree, whatever its shape, R = 2 R' - 1 / nodes: summing the ways down to all nodes
    counts each check once per node above it, just as summing what lies below all nodes does.
    So Section 4's "factor of 2" is the limit for all trees.
    """

    name: str
    n_nodes: Callable[[int], int]
    from_root: Ratio
    below: Ratio
    paper_from_root: Ratio | None
    paper_below: Ratio | None


SHAPES = (
    Shape("complete", complete_nodes, eq_2, complete_below, eq_2, complete_below),
    Shape("linear", linear_nodes, linear_from_root, linear_below, eq_8_bound, eq_9_bound),
    Shape("weighted linear", linear_nodes, weighted_from_root, weighted_below, None, eq_15_bound),
)
