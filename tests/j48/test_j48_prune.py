from __future__ import annotations

import pytest

from gatree.j48.estimates import Confidence, extra_errors


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


def test_less_than_one_error_is_interpolated():
    none, half, one = (extra_errors(10.0, errors, Confidence.of(0.25)) for errors in (0, 0.5, 1))
    assert half == pytest.approx((none + one) / 2)


def test_a_leaf_with_only_errors_gets_no_more():
    assert extra_errors(3.0, 2.8, Confidence.of(0.25)) == pytest.approx(0.2)


def test_a_confidence_above_one_half_adds_nothing():
    assert extra_errors(10.0, 2.0, Confidence.of(0.6)) == 0


def test_a_smaller_confidence_expects_more_errors():
    limits = [extra_errors(20.0, 3.0, Confidence.of(confidence)) for confidence in (0.5, 0.25, 0.1, 0.01)]
    assert limits == sorted(limits)


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
