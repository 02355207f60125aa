"""Statistics against scipy, scikit-learn and published numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gatree.base.statistics import (
    a12,
    average_ranks,
    corrected_t_test,
    critical_difference,
    friedman,
    holm,
    least_wilcoxon,
    mean_of,
    welch_t_test,
    wilcoxon,
    win_tie_loss,
)

# Demsar, "Statistical Comparisons of Classifiers over Multiple Data Sets" (JMLR 7, 2006), Table 6: AUC of
# C4.5, C4.5+m, C4.5+cf and C4.5+m+cf. Where he ranks two equal numbers apart, the last digit is ours.
DEMSAR = [
    (0.763, 0.768, 0.771, 0.798),
    (0.599, 0.591, 0.590, 0.569),
    (0.954, 0.971, 0.968, 0.967),
    (0.628, 0.661, 0.654, 0.657),
    (0.882, 0.888, 0.886, 0.898),
    (0.936, 0.931, 0.916, 0.931),
    (0.661, 0.668, 0.609, 0.685),
    (0.583, 0.583, 0.563, 0.625),
    (0.775, 0.838, 0.866, 0.875),
    (1.000, 1.000, 1.000, 1.000),
    (0.940, 0.962, 0.965, 0.962),
    (0.619, 0.666, 0.614, 0.669),
    (0.972, 0.981, 0.9751, 0.975),
    (0.957, 0.978, 0.946, 0.970),
]


def test_average_ranks_are_demsar_s():
    assert np.round(average_ranks(DEMSAR, more_is_better=True), 3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert average_ranks([(3, 1, 1)], more_is_better=False) == [3.0, 1.5, 1.5]


def test_wilcoxon_is_demsar_s():
    """C4.5+m against C4.5 (his Table 2); z is that of his approximation, of which he prints the formula."""
    differences = [round(second - first, 3) for first, second, *_ in DEMSAR]
    assert wilcoxon(differences) == pytest.approx(2 * stats.norm.cdf(-2.54), abs=0.004)


def test_wilcoxon_with_ties_counts_every_choice_of_signs():
    differences = [1.0, 1.0, -1.0, 2.0, 3.0, 3.0, 0.0]

    def sums(signs):
        return (np.where(signs > 0, ranks, 0)).sum(axis=-1)

    ranks = stats.rankdata(np.abs(differences))[:6]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 6)).reshape(6, -1).T
    least = min(sums(np.sign(differences[:6])), ranks.sum() - sums(np.sign(differences[:6])))
    assert wilcoxon(differences) == pytest.approx(2 * (sums(signs) <= least).mean())
    assert wilcoxon([1, 2, 3, 4, 5, 6]) == least_wilcoxon(6) == 0.03125
    assert wilcoxon([0.0, 0.0, 1.0]) is None


def test_friedman_s_test_and_nemenyi_s_difference_are_demsar_s():
    """His example: chi squared 9.28 (scipy corrects it for ties), and a critical difference of 1.25."""
    assert 0.01 < friedman(DEMSAR) < stats.chi2.sf(9.28, 3)
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert friedman([(1.0, 2.0)] * 5) is None
    assert friedman([(1.0, 1.0, 1.0)] * 5) is None


def test_holm_multiplies_the_smallest_most_and_never_falls():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, None, 0.5]) == pytest.approx([1.0, None, 1.0])
    assert holm([]) == []


def test_a12_is_the_share_of_pairs_in_which_the_first_is_better():
    first, second = [3.0, 2.0], [2.0, 1.0, 2.0]
    assert a12(first, second, more_is_better=True) == pytest.approx((3 + 1 + 2 * 0.5) / 6)
    assert a12(first, second, more_is_better=False) == pytest.approx(1 - 5 / 6)
    u = stats.mannwhitneyu(first, second).statistic
    assert a12(first, second, more_is_better=True) == pytest.approx(u / 6)


def test_welch_s_test_is_for_samples_of_their_own():
    first, second = [1.0, 2.0, 4.0], [5.0, 5.5, 9.0, 7.0]
    test = welch_t_test(first, second)
    scipys = stats.ttest_ind(first, second, equal_var=False)
    assert test.p == pytest.approx(scipys.pvalue)
    assert test.difference / test.error == pytest.approx(scipys.statistic)
    assert welch_t_test([1.0, 1.0], [1.0, 1.0]).p == 1
    assert welch_t_test([1.0, 1.0], [2.0, 2.0]).p == 0
    assert welch_t_test([1.0], [2.0, 3.0]) is None


def test_the_t_test_is_scipy_s_without_correction_and_the_formula_with_it():
    first, second = np.random.default_rng(3).normal(size=(2, 12))
    ours, scipys = corrected_t_test((first - second).tolist(), 0.0), stats.ttest_rel(first, second)
    assert (ours.difference / ours.error, ours.p) == pytest.approx((scipys.statistic, scipys.pvalue))
    corrected = corrected_t_test((first - second).tolist(), 10 / 90)  # Nadeau and Bengio (2003)
    t = np.mean(first - second) / np.sqrt((1 / 12 + 10 / 90) * np.var(first - second, ddof=1))
    assert corrected.difference / corrected.error == pytest.approx(t)
    assert corrected.p == pytest.approx(2 * stats.t.sf(abs(t), 11))


@pytest.mark.long
def test_the_corrected_t_test_is_scikit_learn_s_example():
    """t = 0.750 and a one-sided p = 0.227 ("Statistical comparison of models using grid search")."""
    from sklearn.datasets import make_moons
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
    from sklearn.svm import SVC

    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    rbf, linear = (
        cross_val_score(SVC(kernel=kernel, random_state=0), X, y, scoring="roc_auc", cv=folds)
        for kernel in ("rbf", "linear")
    )
    test = corrected_t_test((rbf - linear).tolist(), 10 / 90)
    assert round(test.difference / test.error, 2) == 0.75
    assert round(test.p / 2, 3) == 0.227


def test_differences_that_are_all_alike_leave_no_doubt():
    assert corrected_t_test([0.5, 0.5], 0.25).p == 0
    assert corrected_t_test([0.0, 0.0], 0.25).p == 1
    assert corrected_t_test([0.5], 0.25) is None


def test_a_mean_has_a_standard_error_if_there_are_two_numbers():
    assert mean_of([1.0, 2.0, 3.0], 0.5) == pytest.approx((2.0, np.sqrt(1 / 3 + 0.5)))
    assert mean_of([1.0, 2.0, 3.0], 0.0).error == pytest.approx(stats.sem([1.0, 2.0, 3.0]))
    assert mean_of([1.0], 0.5).error is None


def test_win_tie_loss():
    assert win_tie_loss([1.0, 0.0, -1.0, 2.0], more_is_better=True) == (2, 1, 1)
    assert win_tie_loss([1.0, 0.0, -1.0, 2.0], more_is_better=False) == (1, 1, 2)
