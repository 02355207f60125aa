"""The classifier learns from Dask's frames and arrays what it learns from the same data in memory."""

import signal

import numpy as np
import pandas as pd
import pytest
from clusters import distributed, running_cluster
from sklearn.base import clone

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


@pytest.fixture
def client(cluster_address):
    with distributed.Client(cluster_address) as client:
        yield client


def some_data(n=900):
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
    with pytest.raises(ValueError, match="create a Client first"):
        GATreeClassifier(**SHORT).fit(many, labels)


@pytest.mark.parametrize("kind", ["frame", "array"])
def test_a_collection_is_learnt_as_in_memory(client, kind):
    X, y = some_data()
    if kind == "array":
        X, y = X[["number", "whole"]].to_numpy(), (y == "yes").to_numpy().astype(np.int64) + 5
    expected = GATreeClassifier(**SHORT).fit(X, y)
    found = GATreeClassifier(**SHORT).fit(in_pieces(X), in_pieces(y))
    assert found.tree_ == expected.tree_
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert np.array_equal(found.predict_proba(X), expected.predict_proba(X))
    if kind == "frame":
        assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()


@pytest.mark.long
@pytest.mark.parametrize("kind", ["frame", "array"])
def test_a_worker_killed_in_the_middle_of_a_fit_changes_nothing(kind, tmp_path):
    X, y = some_data(600)
    if kind == "array":
        X, y = X[["number", "whole"]].to_numpy(), (y == "yes").to_numpy()
    expected = GATreeClassifier(**SHORT).fit(X, y)
    with running_cluster(tmp_path, n_workers=2) as (address, processes), distributed.Client(address):
        killed = []

        def kill(evolution):
            if evolution.generation == 7:
                processes[1].kill()
                killed.append(processes[1].wait())

        found = GATreeClassifier(**SHORT, callback=kill).fit(*(in_pieces(data) for data in (X, y)))
    assert killed == [-signal.SIGKILL]
    assert found.tree_ == expected.tree_
    assert found.history_.equals(expected.history_)


def in_pieces(data):
    if isinstance(data, np.ndarray):
        return array.from_array(data, chunks=(90, 1) if data.ndim == 2 else 90)
    return frames.from_pandas(data, npartitions=4)


@pytest.mark.parametrize("classifier", [GATreeClassifier(**SHORT), J48Classifier()])
def test_collections_are_predicted_where_they_are(classifier):  # with any of Dask's schedulers
    X, y = some_data(600)
    X.index = X.index + 100
    classifier = clone(classifier).fit(X, y)
    many = in_pieces(X)
    classes, shares = classifier.predict(many), classifier.predict_proba(many)
    assert isinstance(classes, frames.Series)
    assert isinstance(shares, frames.DataFrame)
    assert classes.compute().tolist() == classifier.predict(X).tolist()
    assert np.array_equal(shares.compute().to_numpy(), classifier.predict_proba(X))
    assert shares.compute().columns.tolist() == ["no", "yes"]
    assert classes.compute().index.equals(X.index)
    assert classifier.predict(many[many["whole"] > 99]).compute().tolist() == []  # partitions without rows
    with np.errstate(divide="ignore"):
        logarithms = classifier.predict_log_proba(many).compute().to_numpy()
    assert np.array_equal(logarithms, classifier.predict_log_proba(X))
    with pytest.raises(ValueError, match="feature names should match"):
        classifier.predict(many.rename(columns={"whole": "half"}))


def test_arrays_are_predicted_where_they_are():
    X, y = some_data(500)
    X, y = X[["number", "whole"]].to_numpy(), (y == "yes").to_numpy().astype(np.int64) + 5
    classifier = GATreeClassifier(**SHORT).fit(X, y)
    classes, shares = classifier.predict(in_pieces(X)), classifier.predict_proba(in_pieces(X))
    assert (classes.shape, shares.shape, classes.dtype) == ((500,), (500, 2), np.int64)
    assert np.array_equal(classes.compute(), classifier.predict(X))
    assert np.array_equal(shares.compute(), classifier.predict_proba(X))
    with pytest.raises(ValueError, match="expecting 2 features"):
        classifier.predict(in_pieces(X[:, :1]))


def test_a_size_that_would_be_chosen_in_memory_is_reported(client):
    X, y = (in_pieces(data) for data in some_data(60))
    with pytest.raises(UserWarning, match=r"size is chosen from data in memory only.* Pass size='penalty'"):
        GATreeClassifier(preset="fast", random_state=0).fit(X, y)  # warnings are errors here: it ends


def test_what_does_not_go_with_dask_is_said(client):
    X, y = some_data(100)
    many, labels = frames.from_pandas(X, npartitions=2), frames.from_pandas(y, npartitions=2)
    for classifier, arguments, complaint in (
        (GATreeClassifier(**SHORT), (many, y), "X is a Dask collection, so y must be one too"),
        (GATreeClassifier(**SHORT), (many, labels, np.ones(100)), "sample_weight is not supported with"),
        (GATreeClassifier(size="auto"), (many, labels), "size='auto' needs the data in memory"),
        (J48Classifier(), (many, labels), "J48Classifier needs data in memory"),
        (GATreeClassifier(**SHORT), (many, frames.from_pandas(y, npartitions=1)), "both need the same"),
    ):
        with pytest.raises(ValueError, match=complaint):
            classifier.fit(*arguments)
