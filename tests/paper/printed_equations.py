"""Eqs. 3-15 of the paper as printed, exact fractions: the steps on the way to the bounds of `theory`."""

from __future__ import annotations

from fractions import Fraction

from gatree.paper.theory import HALF, linear_nodes


def eq_3(k: int) -> Fraction:
    """Cost_0 of a linear tree; exact."""
    return 1 + Fraction(k, k + 1) + Fraction(k, 2)


def eq_4(k: int, i: int) -> Fraction:
    """Cost of a stale leaf at level i of a linear tree; exact."""
    return Fraction(i + 1, k + 1)


def eq_5(k: int, i: int) -> Fraction:
    """Cost of a stale inner node at level i of a linear tree, as printed. See `THEORY_ERRATA`."""
    return eq_9(k, i) + Fraction(i * (i + 1), k + 1)


def eq_6(k: int) -> Fraction:
    """R of linear trees, summed over the costs as printed in Eqs. 4 and 5."""
    below_root = sum((eq_4(k, i) + eq_5(k, i) for i in range(1, k + 1)), Fraction(0))
    return (1 + below_root / eq_3(k)) / linear_nodes(k)


def eq_7(k: int) -> Fraction:
    """R_est: Eq. 6 with each sum replaced by k times the mean of its first and last term."""
    ends = eq_4(k, 1) + eq_4(k, k) + eq_5(k, 1) + eq_5(k, k)
    return (1 + ends / eq_3(k) * k / 2) / linear_nodes(k)


def eq_8(k: int) -> Fraction:
    """R_est after the paper's algebra, which loses 8k on the way from Eq. 7. See `THEORY_ERRATA`."""
    quadratic = k**2 + 5 * k + 2
    leaves = Fraction(k**2 + 3 * k, quadratic)
    inner = Fraction(3 * k**3 + 8 * k**2 - k - 2, 2 * quadratic)
    return (1 + leaves + inner) / linear_nodes(k)


def eq_9(k: int, i: int) -> Fraction:
    """Cost' of a stale inner node at level i of a linear tree, as printed. See `THEORY_ERRATA`."""
    return eq_3(k - i)


def eq_10(k: int) -> Fraction:
    """Return the bound of Eq. 10 on Cost_0 of a weighted linear tree."""
    return (k + 1) * HALF**k + k + 2


def eq_11(k: int, i: int) -> Fraction:
    """Cost of a stale leaf at level i of a weighted linear tree, as printed. See `THEORY_ERRATA`."""
    return (k - i + 1) * HALF**i


def eq_12(k: int, i: int) -> Fraction:
    """Return the bound on the cost of a stale inner node at level i of a weighted linear tree."""
    return eq_10(k - i)


def eq_13(k: int, i: int) -> Fraction:
    """Return the bound on Eq. 11 over Eq. 10."""
    return Fraction(k - i + 1, k + 2) * HALF**i


def eq_14(k: int, i: int) -> Fraction:
    """Return the bound on Eq. 12 over Eq. 10."""
    return Fraction(2 * (k - i + 2), k + 1)


def eq_15(k: int) -> Fraction:
    """R of weighted linear trees, summed over the bounds of Eqs. 13 and 14."""
    below_root = sum((eq_13(k, i) + eq_14(k, i) for i in range(1, k + 1)), Fraction(0))
    return (1 + below_root) / linear_nodes(k)
