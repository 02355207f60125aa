"""The classifier learns from Dask's frames and arrays what it learns from the same data in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from clusters import distributed, running_cluster

from gatree import GATreeClassifier, J48Classifier

array = pytest.importorskip("dask.array", reason="dask has no arrays here")
frames = pytest.importorskip("dask.dataframe", reason="dask has no frames here")

SHORT = {
    "preset": "fast",
    "population_size": 30,
    "n_generations": 15,
    "max_thresholds": 255,
    "random_state": 0,
}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    with running_cluster(folder, n_workers=2) as (address, _), distributed.Client(address) as client:
        yield client


def some_data(n=3000):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n).round(1),
            "whole": rng.integers(0, 9, n),
            "colour": pd.Series(rng.choice(["red", "green", "blue"], n), dtype="object"),
        }
    )
    X.loc[::17, "number"] = np.nan
    y = np.where((X["number"] > 0.3) ^ (X["colour"] == "red"), "yes", "no")
    return X, pd.Series(y, dtype="object", name="class")


def test_without_a_cluster_it_is_said():  # the first one, before there is a client
    X, y = some_data(100)
    many, labels = frames.from_pandas(X, npartitions=2), frames.from_pandas(y, npartitions=2)
    with pytest.raises(ValueError, match="make a Client first"):
        GATreeClassifier(**SHORT).fit(many, labels)


def test_a_frame_is_learnt_as_in_memory(client):
    X, y = some_data()
    expected = GATreeClassifier(**SHORT).fit(X, y)
    for n_partitions in (1, 5):
        many, labels = (frames.from_pandas(data, npartitions=n_partitions) for data in (X, y))
        found = GATreeClassifier(**SHORT).fit(many, labels)
        assert found.tree_ == expected.tree_
        assert found.classes_.tolist() == expected.classes_.tolist()
        assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
        assert np.array_equal(found.predict(X), expected.predict(X))
        assert np.array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_an_array_is_learnt_as_in_memory(client):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 4)).round(1)
    y = (X[:, 0] > X[:, 1]).astype(np.int64) + 5
    expected = GATreeClassifier(**SHORT).fit(X, y)
    found = GATreeClassifier(**SHORT).fit(
        array.from_array(X, chunks=(300, 2)), array.from_array(y, chunks=300)
    )
    assert found.tree_ == expected.tree_
    assert found.classes_.tolist() == [5, 6]
    assert np.array_equal(found.predict(X), expected.predict(X))


def test_what_does_not_go_with_dask_is_said(client):
    X, y = some_data(100)
    many, labels = frames.from_pandas(X, npartitions=2), frames.from_pandas(y, npartitions=2)
    for classifier, arguments, complaint in (
        (GATreeClassifier(**SHORT), (many, y), "X is a collection of Dask, so y has to be one too"),
        (GATreeClassifier(**SHORT), (many, labels, np.ones(100)), "sample_weight does not go with"),
        (GATreeClassifier(size="auto"), (many, labels), "size='auto' needs the data in memory"),
        (J48Classifier(), (many, labels), r"J48Classifier learns from data in memory; give it X.compute\(\)"),
        (GATreeClassifier(**SHORT), (many, frames.from_pandas(y, npartitions=1)), "they should be cut alike"),
    ):
        with pytest.raises(ValueError, match=complaint):
            classifier.fit(*arguments)
