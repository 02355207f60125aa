"""Parameters that scikit-learn's users expect, what is refused, and how fast one sample is predicted."""

import doctest
import importlib
import pkgutil
import time
import warnings

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_array, csr_matrix
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import gatree
from gatree import GATreeClassifier, GATreeRegressor, J48Classifier
from gatree.estimator import base

X, y = load_iris(return_X_y=True)
X_NUMBERS, NUMBERS = load_diabetes(return_X_y=True)
QUICK = {"preset": "fast", "random_state": 0, "effort": 0.1}


@pytest.mark.parametrize("estimator", [GATreeClassifier, GATreeRegressor])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_depth", "3"),
        ("max_depth", True),
        ("n_generations", "10"),
        ("min_samples_leaf", 0),
        ("min_samples_leaf", 1.5),
        ("min_samples_leaf", 0.0),
        ("min_samples_leaf", "2"),
    ],
)
def test_what_is_no_number_is_refused(estimator, name, value):
    with pytest.raises(ValueError, match=f"{name} must be"):
        estimator("fast", **{name: value}).fit(X, y)


def test_shares_of_the_samples_are_taken_as_in_scikit_learn():
    shared = GATreeClassifier(**QUICK, min_samples_leaf=0.1, min_samples_split=0.3).fit(X, y)
    counted = GATreeClassifier(**QUICK, min_samples_leaf=15, min_samples_split=45).fit(X, y)
    assert shared.tree_ == counted.tree_
    assert shared.settings_.min_leaves == (15,)
    assert shared.settings_.min_split == 45
    assert GATreeRegressor(**QUICK, min_samples_leaf=0.1).fit(X, y).settings_.min_leaves == (15,)
    with pytest.raises(ValueError, match="min_samples_split must be"):
        GATreeClassifier(**QUICK, min_samples_split=1).fit(X, y)


@pytest.mark.parametrize("form", [csr_matrix, csr_array, coo_matrix])
def test_sparse_matrices_become_arrays_with_a_warning(form, monkeypatch):
    with pytest.warns(UserWarning, match="X is sparse and becomes an array of 0.0 MiB"):
        fitted = J48Classifier().fit(form(X), y)
    with pytest.warns(UserWarning, match="X is sparse"):
        assert (fitted.predict(form(X)) == J48Classifier().fit(X, y).predict(X)).all()
    monkeypatch.setattr(base, "_MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="X is sparse and would be an array of"):
        fitted.fit(form(X), y)


def test_a_moving_x_stays_at_its_end_when_an_evolution_goes_on():
    grown = GATreeClassifier("fast", n_generations=10, x_factor="1e5..1e2", warm_start=True, random_state=0)
    grown.fit(X, y)
    before = grown._evolution.state.merits.x.copy()
    grown.set_params(n_generations=20).fit(X, y)
    after = grown._evolution.state.merits.x
    assert after[: len(before)].tolist() == before.tolist()
    assert set(after[len(before) :].tolist()) == {before[-1]}
    assert len(after) > len(before)


@pytest.mark.parametrize(("estimator", "cart", "data"), [
    (GATreeClassifier, DecisionTreeClassifier, (X, y)),
    (GATreeRegressor, DecisionTreeRegressor, (X_NUMBERS, NUMBERS)),
])  # fmt: skip
def test_one_sample_is_predicted_within_a_few_times_of_cart(estimator, cart, data):
    ours, theirs, one = estimator(**QUICK).fit(*data), cart().fit(*data), data[0][:1]
    seconds = {}
    for name, fitted in (("ours", ours), ("theirs", theirs)) * 3:
        fitted.predict(one)
        started = time.process_time()
        for _ in range(60):
            fitted.predict(one)
        seconds[name] = min(seconds.get(name, 1e9), time.process_time() - started)
    assert seconds["ours"] < 5 * seconds["theirs"]  # 25 times before


def test_arrays_take_the_same_way_with_and_without_checks():
    fitted = GATreeClassifier(**QUICK).fit(X, y)
    more = np.vstack([X, X + 0.05, np.full((1, 4), np.nan)])
    assert (fitted.predict(more) == fitted.predict(more.tolist())).all()
    assert (fitted.predict(more.astype(np.float32)) == fitted.predict(more.astype(np.float32).tolist())).all()
    for wrong in (np.full((1, 4), np.inf), X[:, :3], X[0], X[:0]):
        with pytest.raises(ValueError, match=r"infinity|features|2D array|minimum of 1"):
            fitted.predict(wrong)


def test_scikit_learns_own_regressor_predicts_the_same():
    fitted = GATreeRegressor(**QUICK).fit(X_NUMBERS, NUMBERS)
    single = X_NUMBERS.astype(np.float32)
    assert np.array_equal(fitted.to_sklearn().predict(single), fitted.predict(single))


def modules():
    return [
        module.name
        for module in pkgutil.walk_packages(gatree.__path__, "gatree.")
        if ">>>" in (importlib.util.find_spec(module.name).loader.get_source(module.name) or "")
    ]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failed, tried = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert tried
    assert not failed
