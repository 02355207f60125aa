"""Data sets as frames, and back."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from strategies import datasets

from gatree import Dataset, load_dataset
from gatree.data.catalog import dataset_names


@given(datasets(min_instances=1, allow_missing_class=True))
def test_a_frame_reads_back_as_the_data_set(dataset: Dataset):
    again = Dataset.from_frame(dataset.to_frame(), dataset.class_attribute.name, dataset.name)
    assert again == dataset


@given(datasets(min_instances=1, kinds=("date",), allow_missing_class=True))
def test_dates_are_dates(dataset: Dataset):
    frame = dataset.to_frame()
    for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
        assert pd.api.types.is_datetime64_any_dtype(frame[attribute.name])
        again = Dataset.from_frame(frame, dataset.class_attribute.name)
        found = again.columns[again.attribute_index(attribute.name)]
        assert ((found == column) | (pd.isna(found) & pd.isna(column))).all()


@pytest.mark.parametrize("name", dataset_names())
def test_shipped_data_sets_for_scikit_learn(name: str):
    dataset = load_dataset(name)
    X, y = load_dataset(name, as_frame=True)
    assert X.shape == (dataset.n_instances, dataset.n_attributes)
    assert y.cat.codes.tolist() == dataset.classes.tolist()
    assert X.isna().sum().sum() == dataset.n_missing


def test_a_data_set_says_what_it_is_in_one_line():
    assert repr(load_dataset("vote")) == (
        "<Dataset 'vote': 435 instances, 16 attributes, class 'Class' of 2 values>"
    )


def test_dates_in_a_time_zone_are_moments():
    days = pd.Series(pd.to_datetime(["2024-01-01 00:00", "2024-01-02 00:00", None], format="%Y-%m-%d %H:%M"))
    frame = pd.DataFrame({"day": days.dt.tz_localize("Europe/Berlin"), "y": ["p", "q", "p"]})
    (column,) = Dataset.from_frame(frame).columns
    assert column[0] == pd.Timestamp("2023-12-31 23:00").timestamp() * 1000
    assert pd.isna(column[2])


def test_a_null_among_the_categories_is_a_missing_value():
    pyarrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    categories = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([2, 1, 0]), pyarrow.array(["u", None, "v"])
    )
    dataset = Dataset.from_frame(pyarrow.table({"c": categories, "y": ["p", "q", "p"]}))
    assert dataset.attributes[0].values == ("v", "u")
    assert dataset.columns[0].tolist() == [0, -1, 1]
