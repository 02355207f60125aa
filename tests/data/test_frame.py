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
