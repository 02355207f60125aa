"""Columns that are left out before learning, and what is said about the others."""

import numpy as np
import pandas as pd
import pytest

from gatree.base.errors import DataError
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.data.screen import LeftOut, concerns, is_identifier, screened


def data(**columns):
    return Dataset.from_frame(pd.DataFrame(columns))


def names(dataset):
    return [attribute.name for attribute in dataset.attributes]


def test_identifiers_are_left_out_with_the_reason():
    n = 60
    dataset = data(
        name=[f"n{i}" for i in range(n)],
        nearly=["n0", *(f"n{i}" for i in range(n - 1))],
        number=range(7, n + 7),
        amount=[i * 1.5 for i in range(n)],
        group=["a", "b"] * (n // 2),
        y=["x", "z"] * (n // 2),
    )
    kept, left_out = screened(dataset)
    assert names(kept) == ["amount", "group"]
    assert left_out == (
        LeftOut("name", "a different value in every row"),
        LeftOut("nearly", "a different value in nearly every row"),
        LeftOut("number", "a different value in every row"),
    )
    kept, left_out = screened(dataset, keep=["name", "nearly"], drop=["group"])
    assert names(kept) == ["name", "nearly", "amount"]
    assert LeftOut("group", "on request") in left_out


def test_dates_and_columns_with_gaps_are_no_identifiers():
    days = pd.date_range("2024-01-01", periods=40)
    dataset = data(day=days, code=[None, *map(str, range(39))], y=["a", "b"] * 20)
    assert screened(dataset) == (dataset, ())


@pytest.mark.parametrize(("first", "is_number"), [(7.0, True), (1e17, False), (-np.inf, False)])
def test_numbers_that_count_rows_rise_by_one(first, is_number):
    """From 2^53 on, a float plus one may be the same float."""
    column = np.full(9, first) + np.arange(9)
    assert is_identifier(column, Attribute("n", "numeric")) == is_number


def test_no_column_left_is_an_error_that_names_them():
    with pytest.raises(DataError, match="no column is left to learn from; left out: 'id'"):
        screened(data(id=["a", "b", "c", "d"], y=["x", "y", "x", "y"]))
    with pytest.raises(DataError, match="no attribute 'ages'; did you mean 'age'"):
        screened(data(age=[1, 1, 2], y=["a", "b", "a"]), drop=["ages"])


def test_concerns():
    n = 40
    classes = ["a", "b"] * (n // 2)
    dataset = data(
        same=["x"] * n,
        gaps=[None] * 15 + [1.0, 2.0] * 12 + [3.0],
        leak=["yes" if y == "a" else "no" for y in classes],
        cut=[1.0 if y == "a" else 5.0 for y in classes],
        fine=np.arange(n) % 7,
        y=classes,
    )
    found = list(concerns(dataset))
    assert found[0] == "'same' has the same value in all rows"
    assert found[1] == "'gaps' is missing in 38% of the rows"
    assert [line.split(":")[0] for line in found[2:]] == [
        "'leak' alone gives the class of all rows",
        "'cut' alone gives the class of all rows",
    ]
