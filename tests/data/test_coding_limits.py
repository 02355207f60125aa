"""Numbers that a file may hold but that cannot all be thresholds."""

from __future__ import annotations

import numpy as np
import pytest

from gatree.base.errors import DataError
from gatree.data.arff import parse_arff
from gatree.data.coding import code

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
