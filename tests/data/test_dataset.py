"""A data set is checked where it is made, so that kernels only ever see codes of values."""

from dataclasses import replace

import numpy as np
import pytest
from arff_text import parse_arff
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gatree.base import limits
from gatree.base.errors import DataError, SettingError
from gatree.data.answer import Classes
from gatree.data.attribute import MISSING, Attribute
from gatree.data.coding import Coding, code
from gatree.data.dataset import Dataset

COLOUR = Attribute("colour", "nominal", ("red", "blue"))
HEIGHT = Attribute("height", "numeric")
KIND = Attribute("kind", "nominal", ("a", "b", "c"))


def made(colour=(0, 1, MISSING), height=(1.5, np.nan, 3.0), classes=(0, 2, MISSING), position=2) -> Dataset:
    columns = (np.array(colour), np.array(height))
    return Dataset("things", (COLOUR, HEIGHT), columns, Classes(KIND, np.array(classes)), position)


def test_columns_come_in_the_types_that_kernels_take():
    dataset = made(height=(1, 2, 3))
    assert [column.dtype for column in (*dataset.columns, dataset.classes)] == [
        np.int32,
        np.float64,
        np.int32,
    ]
    assert dataset.columns[0].tolist() == [0, 1, MISSING]
    assert dataset.columns[1].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"colour": (0, 2, 1)}, "'colour' has the code 2; its 2 values have 0 to 1, a missing one -1"),
        ({"colour": (0, 2**40, 1)}, "'colour' has the code 1099511627776"),
        ({"colour": (0, -2, 1)}, "'colour' has the code -2"),
        ({"colour": (0.0, 1.0, 0.0)}, "'colour' is nominal, but its column is of type float64"),
        ({"classes": (0, 3, 1)}, "'kind' has the code 3; its 3 values have 0 to 2"),
        ({"classes": (0, -7, 1)}, "'kind' has the code -7"),
        ({"height": ("1", "2", "3")}, "'height' is numeric, but its column is of type <U1"),
        ({"height": (1.0, 2.0)}, "'height' has 2 values for 3 instances"),
        ({"position": 3}, "the class stands at position 3 of 2"),
        ({"position": -1}, "the class stands at position -1 of 2"),
    ],
)
def test_what_no_kernel_may_see_is_refused(columns, complaint):
    with pytest.raises(DataError, match=r"^things: ") as refusal:
        made(**columns)
    assert complaint in str(refusal.value)


@pytest.mark.parametrize(
    ("limit", "most", "what"),
    [
        ("MOST_INSTANCES", 2, "3 instances; the limit is 2"),
        ("MOST_ATTRIBUTES", 1, "2 attributes; the limit is 1"),
        ("MOST_CELLS", 5, "6 cells; the limit is 5"),
        ("MOST_CLASSES", 2, "3 classes; the limit is 2"),
    ],
)
def test_too_large_data_are_refused_with_the_limit(monkeypatch, limit, most, what):
    monkeypatch.setattr(f"gatree.data.dataset.{limit}", most)
    assert getattr(limits, limit) > 1000
    with pytest.raises(DataError, match=f"^things: {what}$"):
        made()


def test_too_many_candidate_tests_are_refused(monkeypatch):
    monkeypatch.setattr("gatree.data.coding.MOST_TESTS", 3)
    assert code(replace(made(), columns=(made().columns[0], np.array([1.0, 2.0, 2.0]))), "observed")
    with pytest.raises(DataError, match=r"^things: 4 candidate tests; the limit is 3$"):
        code(replace(made(), columns=(made().columns[0], np.array([1.0, 2.0, 3.0]))), "observed")


@pytest.mark.parametrize(
    "parts",
    [
        ([True], [2, 1], [[0.5], [0.5]]),
        ([True, False], [2, 3], [[0.5], []]),
        ([False], [-1], [[]]),
    ],
)
def test_a_coding_that_contradicts_itself_is_refused(parts):
    is_numeric, n_tests, thresholds = parts
    with pytest.raises(DataError, match="a coding"):
        Coding(
            np.array(is_numeric),
            np.array(n_tests, dtype=np.int32),
            tuple(np.array(part, dtype=np.float64) for part in thresholds),
        )


def one_column(column: np.ndarray, values: tuple[str, ...] = ()) -> Dataset:
    attribute = Attribute("a", "nominal" if values else "numeric", values)
    classes = np.zeros(len(column), np.int32)
    answer = Classes(Attribute("class", "nominal", ("c",)), classes)
    return Dataset("one", (attribute,), (column,), answer, 1)


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
    with pytest.raises(SettingError) as caught:
        code(dataset, "integer")
    assert str(caught.value) == (
        "numeric_tests: 'a' goes from 0 to 9.78307e+11: too many integers to test each; use observed"
    )
