"""Columns that are left out before learning, and what is said about the others."""

import numpy as np
import pandas as pd
import pytest

from gatree.base.errors import DataError
from gatree.data.answer import Numbers
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.data.load import read
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


def load_with_target(file, class_name=None, regression=None):
    dataset = read(file).dataset(class_name, regression=regression, choose="--class")
    return dataset, dataset.answer.column


@pytest.fixture
def prices(tmp_path):
    file = tmp_path / "prices.csv"
    lines = [f"{i % 7},{'a' if i % 2 else 'b'},{'' if i == 3 else 10.5 + i}" for i in range(60)]
    file.write_text("\n".join(["rooms,kind,price", *lines]))
    return file


def test_many_numbers_are_a_quantity(prices):
    dataset, target = load_with_target(prices)
    assert [attribute.name for attribute in dataset.attributes] == ["rooms", "kind"]
    assert isinstance(dataset.answer, Numbers)
    assert dataset.answer.name == "price"
    assert dataset.name == "prices"
    assert np.isnan(target[3])
    assert target[[0, 1, 59]].tolist() == [10.5, 11.5, 69.5]


def test_few_numbers_are_classes_unless_regression_is_requested(prices):
    dataset, _ = load_with_target(prices, "rooms")
    assert dataset.n_classes == 7
    dataset, target = load_with_target(prices, "rooms", regression=True)
    assert target[:3].tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(DataError, match=r"^prices: 'rooms' has numbers; classes are needed here"):
        _ = dataset.class_values


def test_text_is_no_regression(prices):
    with pytest.raises(DataError, match=r"not numbers \('b' and 'a'\); regression predicts numbers$"):
        load_with_target(prices, "kind", regression=True)
    prices.write_text("a,price\n1,2.5\n2,tbd\n3,3.5\n4,none yet\n")
    with pytest.raises(
        DataError, match=r"\('tbd' and 'none yet'\).* with --as price=number they are missing"
    ):
        load_with_target(prices, "price", regression=True)
    prices.write_text("a,when\n1,2020-01-01\n2,2020-01-02\n")
    with pytest.raises(DataError, match=r"'when' is a date; regression predicts numbers; name .* --class"):
        load_with_target(prices, "when", regression=True)
    with pytest.raises(DataError, match="no column 'colour'"):
        load_with_target(prices, "colour")


@pytest.mark.parametrize(
    ("values", "is_refused"),
    [
        ([str(n) for n in range(20)], False),
        ([str(n / 7) for n in range(21)] * 10, False),
        ([f"word {n}" for n in range(100)], False),
        ([str(n / 7) for n in range(21)] * 2 + [""], True),
    ],
)
def test_what_is_a_quantity(tmp_path, values, is_refused):
    file = tmp_path / "made.csv"
    file.write_text("\n".join(["x,target", *(f"1,{value}" for value in values)]))
    if not is_refused:
        load_with_target(file, regression=False)
        return
    with pytest.raises(
        DataError, match="made: 'target' has 21 different numbers in 42 instances: a quantity"
    ):
        load_with_target(file, regression=False)


@pytest.mark.parametrize("regression", [None, False, True])
@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ("1,7\n2,7\n3,\n", "'y' is '7' in all rows, so there is nothing to learn; name another"),
        ("1,\n2,\n", "no row has a value of 'y'"),
    ],
)
def test_a_class_of_one_or_no_value_is_refused(tmp_path, rows, complaint, regression):
    file = tmp_path / "made.csv"
    file.write_text(f"x,y\n{rows}")
    with pytest.raises(DataError, match=complaint):
        load_with_target(file, regression=regression)


def test_the_name_of_the_class_is_looked_up_before_its_values(tmp_path):
    file = tmp_path / "made.csv"
    file.write_text("\n".join(["t,x", *(f"{n},{n}" for n in range(12_288))]))
    with pytest.raises(DataError, match=r"no column 'T'; did you mean 't'\?"):
        load_with_target(file, "T")
