"""Candidate tests and integer codes."""

from __future__ import annotations

import numpy as np
import pytest
from arff_text import parse_arff
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gatree.base.errors import DataError
from gatree.data.attribute import Attribute
from gatree.data.coding import code
from gatree.data.dataset import Dataset


def one_column(column: np.ndarray, values: tuple[str, ...] = ()) -> Dataset:
    attribute = Attribute("a", "nominal" if values else "numeric", values)
    classes = np.zeros(len(column), np.int32)
    return Dataset("one", (attribute,), (column,), Attribute("class", "nominal", ("c",)), classes, 1)


@pytest.mark.parametrize(
    ("numbers", "integer", "observed"),
    [
        ([1, 3, 3, 2], [1, 2, 3], [1.5, 2.5]),
        ([0.2, 2.7, np.nan], [1, 2], [1.45]),
        ([0.3, 0.4], [], [0.35]),
        ([5.0, 5.0], [5], []),
        ([-1.5, 0.5], [-1, 0], [-0.5]),
        ([np.nan], [], []),
    ],
)
def test_candidate_thresholds(numbers, integer, observed):
    data = one_column(np.array(numbers, dtype=float))
    assert code(data, "integer").thresholds[0].tolist() == integer
    assert code(data, "observed").thresholds[0] == pytest.approx(observed)


FLOATS = st.one_of(st.floats(-1e300, 1e300), st.just(float("nan")), st.integers(-5, 5).map(float))


@given(
    column=hnp.arrays(np.float64, st.integers(1, 30), elements=FLOATS),
    at_most=st.one_of(st.none(), st.integers(1, 5)),
)
def test_a_code_passes_test_j_exactly_if_the_number_is_at_most_threshold_j(column, at_most):
    data = one_column(column)
    coding = code(data, "observed", at_most)
    codes = coding.encode(data.columns, data.n_instances)[0]
    for j, threshold in enumerate(coding.thresholds[0]):
        assert ((codes <= j) == (column <= threshold)).all()  # NaN <= anything is false: missing fails
    known = column[~np.isnan(column)]
    if at_most is None:
        assert len(coding.thresholds[0]) == max(0, len(np.unique(known)) - 1)
        for threshold in coding.thresholds[0]:  # every threshold separates something
            assert (known <= threshold).any()
            assert (known > threshold).any()
    else:
        assert len(coding.thresholds[0]) <= at_most


@pytest.mark.parametrize(
    ("n_values", "dtype"), [(255, np.uint8), (256, np.uint16), (65535, np.uint16), (65536, np.int32)]
)
def test_the_smallest_type_that_holds_all_codes(n_values, dtype):
    data = one_column(np.array([n_values - 1, -1], np.int32), values=tuple(map(str, range(n_values))))
    coding = code(data, "integer")
    codes = coding.encode(data.columns, 2)
    assert codes.dtype == dtype
    assert codes[0].tolist() == [n_values - 1, n_values]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2, 5, np.nan], [1, 2, 3, 4, 5]),  # a few integers: every one of them
        ([0, 19], list(range(20))),
        ([0, 20], [10]),
        ([1, 2.5, 5], [1.75, 3.75]),
        ([0.1, 0.9], [0.5]),
    ],
)
def test_auto_tests_integers_only_where_there_are_few(values, expected):
    data = one_column(np.array(values, dtype=float))
    assert code(data, "auto").thresholds[0].tolist() == expected
    assert len(code(data, "auto", 1).thresholds[0]) == 1


# ------------------------------------------- numbers that a file may hold but that cannot all be thresholds

HEAD = "@relation r\n@attribute a {}\n@attribute k {{x}}\n@data\n"


@pytest.mark.parametrize(("kind", "thresholds"), [("integer", [1, 2, 3]), ("observed", [2])])
def test_infinite_values_make_no_threshold(kind, thresholds):
    dataset = parse_arff(HEAD.format("real") + "-Infinity,x\n1,x\n3,x\nInfinity,x\n?,x\n")
    coding = code(dataset, kind)
    assert coding.thresholds[0].tolist() == thresholds
    n_tests = len(thresholds)
    codes = coding.encode(dataset.columns, dataset.n_instances)[0]
    np.testing.assert_array_equal(codes[[0, 3, 4]], [0, n_tests, n_tests])


@pytest.mark.parametrize("kind", ["auto", "observed"])
def test_the_largest_numbers_have_a_threshold_between(kind):
    dataset = parse_arff(HEAD.format("real") + "-1.7e308,x\n1.7e308,x\n")
    coding = code(dataset, kind)
    assert coding.encode(dataset.columns, 2).tolist() == [[0, 1]]


def test_every_integer_of_a_date_is_too_many():
    dataset = parse_arff(HEAD.format("date yyyy") + "1970,x\n2001,x\n")
    assert len(code(dataset, "observed").thresholds[0]) == 1
    with pytest.raises(DataError) as caught:
        code(dataset, "integer")
    assert str(caught.value) == (
        "attribute 'a' goes from 0 to 9.78307e+11: too many integers to test each; "
        "use numeric_tests 'observed'"
    )
