"""The answer of a data set: classes or numbers, which all that holds rows keeps."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gatree.base.errors import DataError
from gatree.data.answer import Classes, Numbers
from gatree.data.arff import write_arff
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.data.load import read
from gatree.evolution.evolve import evolve


@pytest.fixture
def prices() -> Dataset:
    frame = pd.DataFrame({"rooms": [1.0, 2.0, 3.0, 4.0], "kind": list("abab")})
    return Dataset.from_frame(frame, "kind").with_numbers(np.array([10.5, np.nan, 30.0, 10.5]), "price")


def test_numbers_are_a_column_of_the_data_set(prices):
    assert isinstance(prices.answer, Numbers)
    assert prices.answer.known.tolist() == [True, False, True, True]
    assert prices.answer.n_distinct == 2
    assert prices.take(np.array([2, 0])).answer.column.tolist() == [30.0, 10.5]
    assert prices.to_frame()["price"].dropna().tolist() == [10.5, 30.0, 10.5]
    assert prices.describe()["class"]["range"] == [10.5, 30]
    assert repr(prices) == "<Dataset 'data': 4 instances, 1 attribute, numbers 'price'>"


def test_other_numbers_make_another_data_set(prices):
    others = prices.with_numbers(np.array([10.5, np.nan, 30.0, 11.0]), "price")
    assert prices != others
    assert prices == others.with_numbers(prices.answer.column, "price")


def test_numbers_are_written_to_files(prices, tmp_path):
    file = tmp_path / "prices.arff"
    write_arff(prices, file)
    assert read(file).dataset("price", regression=True) == replace(prices, name="data")


def test_who_needs_classes_refuses_numbers(prices):
    with pytest.raises(DataError, match=r"^data: 'price' has numbers; classes are needed here$"):
        evolve(prices)


def test_classes_are_nominal():
    with pytest.raises(DataError, match=r"^data: the class must be nominal, but 'price' is numeric$"):
        Dataset("data", (), (), Classes(Attribute("price", "numeric"), np.zeros(1, dtype=np.int32)), 0)
