"""A class that is a quantity is predicted as a number, from any format; other classes stay classes."""

import numpy as np
import pytest

from gatree.base.errors import DataError
from gatree.data.load import read


def load_with_target(file, class_name=None, regression=None):
    dataset = read(file).dataset(class_name, regression=regression, choose="--class")
    return dataset, dataset.target


@pytest.fixture
def prices(tmp_path):
    file = tmp_path / "prices.csv"
    lines = [f"{i % 7},{'a' if i % 2 else 'b'},{'' if i == 3 else 10.5 + i}" for i in range(60)]
    file.write_text("\n".join(["rooms,kind,price", *lines]))
    return file


def test_many_numbers_are_a_quantity(prices):
    dataset, target = load_with_target(prices)
    assert [attribute.name for attribute in dataset.attributes] == ["rooms", "kind"]
    assert dataset.class_attribute.name == "price"
    assert dataset.name == "prices"
    assert np.isnan(target[3])
    assert target[[0, 1, 59]].tolist() == [10.5, 11.5, 69.5]


def test_few_numbers_are_classes_unless_regression_is_requested(prices):
    dataset, target = load_with_target(prices, "rooms")
    assert target is None
    assert dataset.n_classes == 7
    dataset, target = load_with_target(prices, "rooms", regression=True)
    assert target[:3].tolist() == [0.0, 1.0, 2.0]
    assert dataset.class_attribute.values == ("number",)


def test_text_is_no_regression(prices):
    with pytest.raises(DataError, match="'kind' has values that are not numbers"):
        load_with_target(prices, "kind", regression=True)
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
