"""Short thresholds: in the middle half of the gap, with the fewest digits, and right in 32 bits."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.trees.thresholds import between, shortened

NUMBERS = st.floats(-1e12, 1e12, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-9)


def milliseconds(*date):
    return datetime(*date, tzinfo=UTC).timestamp() * 1000


def digits_of(x):
    return repr(abs(x)).partition("e")[0].replace(".", "").strip("0")


@pytest.mark.parametrize(
    ("below", "above", "expected"),
    [
        ((1977, 1, 1), (1978, 1, 1), (1977, 7, 1)),
        ((1977, 1, 1), (1983, 5, 3), (1980, 1, 1)),
        ((1969, 12, 1), (1970, 1, 31), (1970, 1, 1)),
        ((2020, 2, 27), (2020, 3, 3), (2020, 3, 1)),
        ((1977, 1, 1), (1977, 1, 2), (1977, 1, 1)),  # no day lies between them
        ((2020, 1, 1, 0), (2020, 1, 1, 11), (2020, 1, 1, 6)),
        ((2020, 1, 1, 3, 4), (2020, 1, 1, 3, 18), (2020, 1, 1, 3, 11)),
        ((1804, 1, 1), (1804, 1, 5), (1804, 1, 3)),
    ],
)
def test_a_date_is_the_start_of_the_longest_unit(below, above, expected):
    assert between(milliseconds(*below), milliseconds(*above), True) == milliseconds(*expected)


@given(NUMBERS, NUMBERS, st.booleans())
def test_both_values_stay_on_their_sides_in_32_bits_too(one, other, is_date):
    below, above = sorted([one, other])
    if below == above:
        return
    found = between(below, above, is_date)
    assert below <= found < above
    if np.float32(below) < np.float32(above):
        assert float(np.float32(below)) <= found < float(np.float32(above))


@given(NUMBERS, NUMBERS)
def test_no_decimal_of_fewer_digits_lies_in_the_middle_half(one, other):
    below, above = sorted([one, other])
    if above - below < 1e-6 * max(abs(below), abs(above)):
        return
    found, middle, quarter = between(below, above, False), below / 2 + above / 2, (above - below) / 4
    assert abs(found - middle) <= quarter * (1 + 1e-9)
    for n in range(1, len(digits_of(found))):
        assert abs(float(f"{middle:.{n - 1}e}") - middle) > quarter * (1 - 1e-9)


def test_presence_alone_is_tested_at_the_largest_value():
    assert between(5.0, np.inf, False) == 5.0
    found = between(0.3, np.inf, False)
    assert np.float32(0.3) <= found < 0.3001
    assert len(digits_of(found)) <= 8


def test_a_coding_with_short_thresholds_codes_the_data_as_before():
    random = np.random.default_rng(1)
    columns = random.normal(size=300).round(2), random.integers(0, 9, 300) * 1.1, random.normal(size=300) ** 9
    frame = pd.DataFrame(np.column_stack(columns), columns=list("abc")).assign(y=random.integers(0, 2, 300))
    data = Dataset.from_frame(frame, "y")
    coding = code(data, "observed")
    short = shortened(coding, data, "observed")
    assert np.array_equal(short.encode(data.columns, 300), coding.encode(data.columns, 300))
    lengths = [
        np.mean([len(digits_of(t)) for t in each.tolist()])
        for each in (coding.thresholds[1], short.thresholds[1])
    ]
    assert lengths[1] < lengths[0]
    assert shortened(coding, data, "integer") is coding
