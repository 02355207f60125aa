"""Statistical tests for comparisons.

The corrected resampled t-test is that of Nadeau and Bengio, "Inference for the Generalization Error" (Machine
Learning 52, 2003): the folds of a cross-validation share most of their training instances, so the variance of
a mean difference over n of them is taken as (1/n + n_test/n_train) times theirs, not as 1/n. Without test
instances it is the ordinary paired t-test. Wilcoxon's signed-rank test compares over many data sets, as
Demsar, "Statistical Comparisons of Classifiers over Multiple Data Sets" (JMLR 7, 2006), recommends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.05
"""The significance level."""


class Mean(NamedTuple):
    """A mean, and half the width of its confidence interval (None for a single value)."""

    value: float
    half_width: float | None


class TTest(NamedTuple):
    """The mean of paired differences, half the width of its confidence interval, and the two-sided p."""

    difference: float
    half_width: float
    t: float
    p: float


class WinTieLoss(NamedTuple):
    """The numbers of data sets on which a method wins, ties and loses."""

    wins: int
    ties: int
    losses: int


def corrected_error(values: Sequence[float], test_to_train: float) -> float | None:
    """Return the standard error of a mean over resamples, or None for a single value.

    Parameters
    ----------
    values : sequence of float
        One per fold, or per seed.
    test_to_train : float
        Test instances per training instance; 0 where the values are independent.
    """
    return stdev(values) * math.sqrt(1 / len(values) + test_to_train) if len(values) > 1 else None


def mean_of(values: Sequence[float], test_to_train: float) -> Mean:
    """Return the mean of resamples with its 95 % confidence interval."""
    error = corrected_error(values, test_to_train)
    return Mean(fmean(values), None if error is None else student_t(len(values) - 1) * error)


def corrected_t_test(differences: Sequence[float], test_to_train: float) -> TTest | None:
    """Test whether paired differences have the mean 0; return None for fewer than two.

    As in WEKA, p is 0 if all differences are equal, and 1 if all are 0.
    """
    error = corrected_error(differences, test_to_train)
    if error is None:
        return None
    mean = fmean(differences)
    if error == 0:
        return TTest(mean, 0.0, math.copysign(math.inf, mean) if mean else 0.0, float(mean == 0))
    t = mean / error
    degrees = len(differences) - 1
    return TTest(mean, student_t(degrees) * error, t, student_t_p(t, degrees))


def student_t(degrees: int) -> float:
    """Return the quantile 1 - LEVEL / 2 of Student's t."""
    from scipy.special import stdtrit  # type: ignore[import-untyped]  # imported here: few commands need it

    return float(stdtrit(degrees, 1 - LEVEL / 2))


def student_t_p(t: float, degrees: int) -> float:
    """Return the two-sided p of Student's t."""
    from scipy.special import stdtr

    return float(2 * stdtr(degrees, -abs(t)))


def wilcoxon(differences: Sequence[float]) -> float | None:
    """Return the two-sided p of Wilcoxon's signed-rank test, or None if fewer than two differ from 0.

    Equal differences share their ranks, and the ranks of zeros count half for either side (Demsar, Section
    3.1.3, who drops one of an odd number of zeros). Up to 200 differences the test is exact, ties included.
    """
    ranks = _ranks(np.abs(differences))
    of_zeros = float(ranks[np.equal(differences, 0)].sum())
    ranks = ranks[np.not_equal(differences, 0)]
    if len(ranks) < 2:
        return None
    least = min(rank_sums(differences)) - of_zeros / 2
    if len(ranks) > _MOST_EXACT:
        z = (least - ranks.sum() / 2) / math.sqrt((ranks**2).sum() / 4)
        return min(1.0, math.erfc(-z / math.sqrt(2)))
    return min(1.0, 2 * _share_of_sums(ranks, least))


_MOST_EXACT = 200


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks of values, from 1 on; equal values share their mean rank."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return ranks


def rank_sums(differences: Sequence[float]) -> tuple[float, float]:
    """Return the rank sums of the differences above 0 and below 0; the ranks of zeros are split evenly."""
    ranks, signs = _ranks(np.abs(differences)), np.sign(differences)
    above, below = (float((ranks * np.where(signs == 0, 0.5, signs == sign)).sum()) for sign in (1, -1))
    return above, below


def _share_of_sums(ranks: NDArray[np.float64], most: float) -> float:
    """Return the share of all subsets of the ranks whose sum is at most ``most``."""
    doubled = np.rint(2 * ranks).astype(int)  # integers: shared ranks are multiples of one half
    ways = np.zeros(doubled.sum() + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] = (ways[rank:] + ways[:-rank]) / 2
        ways[:rank] /= 2
    return float(ways[: round(2 * most) + 1].sum())


def least_wilcoxon(n: int) -> float:
    """Return the smallest p that Wilcoxon's test can have with n differences."""
    return 2.0 ** (1 - n)


def average_ranks(table: Sequence[Sequence[float]], more_is_better: bool) -> list[float]:
    """Return the mean rank of each column over the rows; 1 is the best, equal values share ranks."""
    ranks = [_ranks(np.array([-value if more_is_better else value for value in row])) for row in table]
    return [float(rank) for rank in np.mean(ranks, axis=0)]


def win_tie_loss(differences: Sequence[float], more_is_better: bool) -> WinTieLoss:
    """Count the differences that favour the first method, neither, and the second."""
    better = [difference if more_is_better else -difference for difference in differences]
    wins, losses = sum(value > 0 for value in better), sum(value < 0 for value in better)
    return WinTieLoss(wins, len(better) - wins - losses, losses)
