"""Statistical tests for comparisons, most of them scipy's.

The folds of a cross-validation share most of their training instances, so the variance of a mean over n of
them is taken as (1/n + n_test/n_train) times theirs, not as 1/n: the corrected resampled t-test of Nadeau and
Bengio, "Inference for the Generalization Error" (Machine Learning 52, 2003). Without test instances it is the
ordinary paired t-test. Over many data sets Demsar, "Statistical Comparisons of Classifiers over Multiple Data
Sets" (JMLR 7, 2006), recommends Wilcoxon's signed-rank test, and for more than two methods Friedman's, with
Holm's correction or Nemenyi's critical difference. scipy is imported where it is used: it takes a second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np

LEVEL = 0.05
"""The significance level."""


class Mean(NamedTuple):
    """A mean and its standard error (None for a single value)."""

    value: float
    error: float | None


class TTest(NamedTuple):
    """A difference of means, its standard error, and the two-sided p."""

    difference: float
    error: float
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
    """Return the mean of resamples with its standard error."""
    return Mean(fmean(values), corrected_error(values, test_to_train))


def corrected_t_test(differences: Sequence[float], test_to_train: float) -> TTest | None:
    """Test whether paired differences have the mean 0; return None for fewer than two.

    As in WEKA, p is 0 if all differences are equal, and 1 if all are 0.
    """
    error = corrected_error(differences, test_to_train)
    if error is None:
        return None
    mean = fmean(differences)
    if error == 0:
        return TTest(mean, 0.0, float(mean == 0))
    return TTest(mean, error, _student_t_p(mean / error, len(differences) - 1))


def welch_t_test(first: Sequence[float], second: Sequence[float]) -> TTest | None:
    """Test whether independent samples have the same mean; return None if one has fewer than two values."""
    if min(len(first), len(second)) < 2:
        return None
    difference = fmean(first) - fmean(second)
    error = math.sqrt(stdev(first) ** 2 / len(first) + stdev(second) ** 2 / len(second))
    if error == 0:
        return TTest(difference, 0.0, float(difference == 0))
    from scipy import stats  # type: ignore[import-untyped]

    return TTest(difference, error, float(stats.ttest_ind(first, second, equal_var=False).pvalue))


def student_t(degrees: int) -> float:
    """Return the quantile 1 - LEVEL / 2 of Student's t."""
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    return float(stdtrit(degrees, 1 - LEVEL / 2))


def _student_t_p(t: float, degrees: int) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(degrees, -abs(t)))


def wilcoxon(differences: Sequence[float]) -> float | None:
    """Return the two-sided p of Wilcoxon's signed-rank test, or None if fewer than two differ from 0.

    The ranks of zeros count half for either side (Demsar, Section 3.1.3). It is exact up to 13 differences,
    and up to 50 without ties.
    """
    if np.count_nonzero(differences) < 2:
        return None
    from scipy import stats

    return float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)


def least_wilcoxon(n: int) -> float:
    """Return the smallest p that Wilcoxon's test can have with n differences."""
    return 2.0 ** (1 - n)


def friedman(table: Sequence[Sequence[float]]) -> float | None:
    """Return the p of Friedman's test of three or more methods (columns) on two or more data sets (rows)."""
    columns = list(zip(*table, strict=True))
    if len(columns) < 3 or len(table) < 2 or all(len(set(row)) == 1 for row in table):
        return None
    from scipy import stats

    return float(stats.friedmanchisquare(*columns).pvalue)


def critical_difference(n_methods: int, n_datasets: int) -> float:
    """Return by how much average ranks have to differ to be significant: Nemenyi's test."""
    from scipy import stats

    q = float(stats.studentized_range.ppf(1 - LEVEL, n_methods, math.inf)) / math.sqrt(2)
    return q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return p values corrected for their number by Holm's method; a missing one stays missing."""
    known = sorted((p, place) for place, p in enumerate(values) if p is not None)
    corrected: list[float | None] = [None] * len(values)
    least = 0.0
    for n_before, (p, place) in enumerate(known):
        least = max(least, min(1.0, (len(known) - n_before) * p))
        corrected[place] = least
    return corrected


def a12(first: Sequence[float], second: Sequence[float], more_is_better: bool) -> float:
    """Return the probability that a value of the first is better than one of the second; a tie is half.

    The effect size of Vargha and Delaney (2000): 0.5 means no difference.
    """
    apart = np.subtract.outer(first, second)
    share = float(np.mean((apart > 0) + 0.5 * (apart == 0)))
    return share if more_is_better else 1 - share


def average_ranks(table: Sequence[Sequence[float]], more_is_better: bool) -> list[float]:
    """Return the mean rank of each column over the rows; 1 is the best, equal values share ranks."""
    from scipy import stats

    signed = np.array(table, dtype=float) * (-1 if more_is_better else 1)
    return [float(rank) for rank in stats.rankdata(signed, axis=1).mean(axis=0)]


def win_tie_loss(differences: Sequence[float], more_is_better: bool) -> WinTieLoss:
    """Count the differences that favour the first method, neither, and the second."""
    better = [difference if more_is_better else -difference for difference in differences]
    wins, losses = sum(value > 0 for value in better), sum(value < 0 for value in better)
    return WinTieLoss(wins, len(better) - wins - losses, losses)
