import json
from pathlib import Path

import numpy as np
import pytest

from gatree.data.answer import Classes
from gatree.data.attribute import MISSING, Attribute
from gatree.data.catalog import load_dataset
from gatree.data.dataset import Dataset
from making.discretize import discretize, equal_width_cuts, interval_labels, optimized_cuts

WEKA = json.loads((Path(__file__).parent / "golden" / "discretize.json").read_text(encoding="utf-8"))


def one_column(numbers: list[float]) -> Dataset:
    return Dataset(
        name="small",
        attributes=(Attribute("x", "numeric"), Attribute("colour", "nominal", ("red", "blue"))),
        columns=(np.array(numbers), np.zeros(len(numbers), dtype=np.int32)),
        answer=Classes(Attribute("class", "nominal", ("a", "b")), np.zeros(len(numbers), dtype=np.int32)),
        answer_position=2,
    )


def test_nominal_attributes_and_missing_values_stay():
    before = one_column([0.0, float("nan"), 10.0])
    after = discretize(before, n_bins=2)
    assert after.columns[0].tolist() == [0, MISSING, 1]
    assert after.attributes[1] == before.attributes[1]
    assert after.n_missing == before.n_missing == 1
    empty = discretize(one_column([float("nan")] * 3))
    assert (empty.attributes[0].values, empty.columns[0].tolist()) == (("All",), [MISSING] * 3)
    assert (
        len(equal_width_cuts(np.array([3.0, 3.0]), 10)) == len(optimized_cuts(np.array([3.0, 3.0]), 10)) == 0
    )


def test_the_number_of_bins_by_leave_one_out_entropy():
    # Counts in two bins are 6 and 2, in three 6, 0, 2: a bin with fewer than two rules three out. One bin
    # costs -8 log(7/9) = 2.01, two cost -6 log(5/4.5) - 2 log(1/4.5) = 2.38, so there is one.
    values = np.array([0, 0, 0, 0, 0, 0, 9, 9], dtype=np.float64)
    assert len(optimized_cuts(values, 3)) == 0
    # 12 and 4 values: one bin costs -16 log(15/9) = -8.17, two -12 log(11/4.5) - 4 log(3/4.5) = -9.10.
    # The one cut is laid at a third of the range, not at the half.
    np.testing.assert_array_equal(optimized_cuts(np.repeat(values, 2), 3), [3])


def test_labels_get_more_decimals_where_six_do_not_tell_cuts_apart():
    assert interval_labels(np.array([1e-8, 2e-8])) == (
        "(-inf-0.00000001]",
        "(0.00000001-0.00000002]",
        "(0.00000002-inf)",
    )
    assert interval_labels(np.array([1.25, 100.0])) == ("(-inf-1.25]", "(1.25-100]", "(100-inf)")


@pytest.mark.parametrize("case", WEKA, ids=lambda case: f"{case['data']} {case['options']}")
def test_same_intervals_and_counts_as_weka(case):
    _, n_bins, *optimize = case["options"].split()
    dataset = discretize(load_dataset(case["data"]), int(n_bins), optimize=bool(optimize))
    for name, intervals in case["intervals"].items():
        index = dataset.attribute_index(name)
        labels, column = dataset.attributes[index].values, dataset.columns[index]
        counts = np.bincount(column[column != MISSING], minlength=len(labels)).tolist()
        assert dict(zip(labels, counts, strict=True)) == intervals
