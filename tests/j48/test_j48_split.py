import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatree.j48.candidates import best_threshold, sort_known
from gatree.j48.estimates import (
    NO_TEST,
    Confidence,
    SplitLimits,
    class_entropy,
    extra_errors,
    gain_given,
    gain_ratio,
    n_log_n_of_integers,
)
from gatree.j48.tables import (
    INSTANCE,
)

KNOWN = n_log_n_of_integers()


def sample_of(weights):
    sample = np.zeros(len(weights), dtype=INSTANCE)
    sample["row"], sample["weight"] = np.arange(len(weights)), weights
    return sample


def unsorted_parts():
    return np.empty(128, dtype=np.intp)


def with_margins(table):
    table = np.array(table, dtype=float)
    table = np.column_stack([table, table.sum(axis=1)])
    return np.vstack([table, table.sum(axis=0)])


@pytest.mark.no_jit
def test_quinlans_weather_example():
    outlook = with_margins([[2, 3], [4, 0], [3, 2]])  # sunny, overcast, rainy by play, don't play
    gain = gain_given(outlook, 14.0, class_entropy(outlook, KNOWN), KNOWN)
    assert gain == pytest.approx(0.2467, abs=1e-4)
    assert gain_ratio(outlook, 14.0, gain, KNOWN) == pytest.approx(0.1564, abs=1e-4)


@pytest.mark.no_jit
def test_missing_values_lower_the_gain_and_are_a_branch_of_the_split():
    # Quinlan's book: one outlook of the fourteen unknown gives gain 0.199 and split information 1.809
    outlook = with_margins([[2, 3], [3, 0], [3, 2]])
    gain = gain_given(outlook, 14.0, class_entropy(outlook, KNOWN), KNOWN)
    assert gain == pytest.approx(0.199, abs=1e-3)
    assert gain / gain_ratio(outlook, 14.0, gain, KNOWN) == pytest.approx(1.809, abs=1e-3)


def naive_best_threshold(keys, labels, n_classes, least):
    """Return the threshold with the largest gain by trying all of them, or None."""

    def bits(rows):
        counts = np.bincount(rows, minlength=n_classes)
        return -sum(count * math.log2(count / len(rows)) for count in counts if count)

    least = max(least, min(0.1 * len(keys) / n_classes, 25))
    values = np.unique(keys)
    gains = {}
    for low, high in pairwise(values):
        below, above = labels[keys <= low], labels[keys > low]
        if min(len(below), len(above)) >= least:
            gains[(low + high) / 2] = (bits(labels) - bits(below) - bits(above)) / len(keys)
    if not gains:
        return None
    best = max(gains.values())
    if best - math.log2(len(gains)) / len(keys) <= 1e-6:
        return None
    return [cut for cut, gain in gains.items() if gain > best - 1e-6]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=40), st.integers(1, 4))
def test_best_threshold_equals_trying_all(pairs, least):
    keys = np.array([float(key) for key, _ in pairs])
    labels = np.array([label for _, label in pairs], dtype=np.int32)
    table, limits = np.empty((3, 4)), SplitLimits(float(least), float(len(keys)))
    sample = sample_of(np.ones(len(keys)))
    threshold, gain = best_threshold(keys, labels, sample, limits, KNOWN, unsorted_parts(), table)
    expected = naive_best_threshold(keys, labels, 3, least)
    assert (gain != NO_TEST) == (expected is not None)
    if expected is not None:
        assert threshold in expected
        assert gain > 0
        assert table[0, -1] == np.count_nonzero(keys <= threshold)


@given(st.lists(st.one_of(st.integers(0, 6), st.none()), max_size=40))
def test_sorting_keeps_rows_with_their_weights_and_puts_missing_last(values):
    keys = np.array([math.nan if value is None else float(value) for value in values])
    sample = sample_of(np.arange(len(keys)) + 0.5)
    n_known = sort_known(sample, keys, unsorted_parts())
    assert n_known == np.count_nonzero(~np.isnan(keys))
    assert np.all(np.diff(sample["key"][:n_known]) >= 0)
    assert sorted(sample["row"]) == list(range(len(keys)))
    np.testing.assert_array_equal(sample["weight"], sample["row"] + 0.5)
    np.testing.assert_array_equal(sample["key"][:n_known], keys[sample["row"][:n_known]])


# Quinlan, "C4.5" (1993), Section 4.2: the upper limits for a confidence of 25 % are
# U(0,6) = 0.206, U(0,9) = 0.143, U(0,1) = 0.750, U(1,16) = 0.157. The last is exact where J48
# approximates by the normal distribution.
@pytest.mark.parametrize(
    ("total", "errors", "limit", "tolerance"),
    [(6, 0, 0.206, 5e-4), (9, 0, 0.143, 5e-4), (1, 0, 0.750, 5e-4), (16, 1, 0.157, 2e-2)],
)
def test_upper_limits_of_quinlans_book(total, errors, limit, tolerance):
    assert (errors + extra_errors(total, errors, Confidence.of(0.25))) / total == pytest.approx(
        limit, abs=tolerance
    )


def test_the_extremes_of_errors_and_confidences():
    none, half, one = (extra_errors(10.0, errors, Confidence.of(0.25)) for errors in (0, 0.5, 1))
    assert half == pytest.approx((none + one) / 2), "less than one error is interpolated"
    assert extra_errors(3.0, 2.8, Confidence.of(0.25)) == pytest.approx(0.2), "there are no more than 3"
    limits = [extra_errors(10.0, 2.0, Confidence.of(confidence)) for confidence in (0.6, 0.5, 0.25, 0.01)]
    assert limits == sorted(limits)
    assert limits[0] == 0


# WEKA 3.6.14's Stats.addErrs; in double precision the first differs from the fifth digit on
@pytest.mark.parametrize(
    ("total", "errors", "confidence", "extra"),
    [
        (20, 3, 0.0001, 8.695481798162904),
        (100, 1, 0.0001, 13.650869062547676),
        (7, 0, 0.0001, 5.1221129500812514),
        (20, 3, 1e-5, 9.685589806363417),
        (100, 1, 1e-5, 16.819637990630714),
        (20, 3, 0.1, 3.144028576084045),
    ],
)
def test_the_confidence_has_single_precision_as_in_weka(total, errors, confidence, extra):
    assert extra_errors(total, errors, Confidence.of(confidence)) == pytest.approx(extra, rel=1e-14)
