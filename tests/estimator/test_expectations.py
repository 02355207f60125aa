"""What users of scikit-learn's trees expect, for both classifiers."""

import doctest
import importlib
import os
import pkgutil
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_matrix, csr_array, csr_matrix, issparse
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import gatree
from gatree import (
    GATreeClassifier,
    J48Classifier,
    SmallTreeClassifier,
    SmallTreeRegressor,
    load_dataset,
)
from gatree.estimator import base
from gatree.j48 import J48Settings, evaluate, fit
from gatree.trees.model import as_decision_tree

X, y = load_iris(return_X_y=True)


def quick(**parameters) -> GATreeClassifier:
    few = {"population_size": 100, "n_generations": 30, "mutation_rate": 0.5, "leaf_class": "majority"}
    return GATreeClassifier(**few | {"random_state": 0} | parameters)


BOTH = pytest.mark.parametrize("make", [quick, J48Classifier], ids=["gatree", "j48"])


@BOTH
def test_importances_leaves_and_paths(make):
    fitted = make().fit(X, y)
    tree, theirs = as_decision_tree(fitted), as_decision_tree(fitted).to_sklearn()
    assert np.exp(fitted.predict_log_proba(X)) == pytest.approx(fitted.predict_proba(X))
    assert fitted.feature_importances_ == pytest.approx(theirs.tree_.compute_feature_importances())
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    assert fitted.get_depth() == tree.depth
    leaves = fitted.apply(X)
    assert (tree.tree.attribute[leaves] == -1).all()
    assert fitted.classes_[tree.tree.value[leaves]].tolist() == fitted.predict(X).tolist()
    path = fitted.decision_path(X)
    assert issparse(path)
    parents = tree.tree.parents().tolist()
    for row in range(0, 150, 10):
        above = [leaves[row]]
        while above[-1] != 0:
            above.append(parents[above[-1]])
        assert path[row].indices.tolist() == above[::-1]


def test_importances_and_paths_of_the_regressor():
    data, target = load_diabetes(return_X_y=True)
    fitted = SmallTreeRegressor(effort=0.1, size=6, random_state=0).fit(data, target)
    tree, passed = fitted.tree_.tree, fitted.decision_path(data).toarray().astype(bool)
    decrease = np.zeros(data.shape[1])
    for node in np.flatnonzero(tree.attribute >= 0):
        for sign, here in ((1, node), (-1, tree.left(node)), (-1, tree.right(node))):
            decrease[tree.attribute[node]] += sign * passed[:, here].sum() * target[passed[:, here]].var()
    assert fitted.feature_importances_ == pytest.approx(decrease / decrease.sum())
    assert passed.sum(axis=1).max() == fitted.get_depth() + 1


def test_minus_one_is_a_thread_per_core():
    fitted = quick(n_jobs=-1).fit(X, y)
    assert fitted.settings_.n_jobs == len(os.sched_getaffinity(0))
    assert fitted.tree_ == quick(n_jobs=1).fit(X, y).tree_


def test_verbose_prints_a_line_for_every_tenth_or_every_generation(capsys):
    quick().fit(X, y)
    assert capsys.readouterr().out == ""
    fitted = quick(verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    last = fitted.history_.iloc[-1]
    assert lines[-1] == (
        f"generation 30 of 30: accuracy {last.best_accuracy:.4f}, "
        f"{last.best_nodes:.0f} nodes, payoff {last.best_payoff:.4f}"
    )
    quick(verbose=2).fit(X, y)
    assert len(capsys.readouterr().out.splitlines()) == 30


@BOTH
def test_dates_and_booleans_in_frames_are_shown_as_such(make):
    days = pd.date_range("2020-01-01", periods=60, freq="D")
    fitted = make().fit(pd.DataFrame({"day": days}), days < "2020-02-01")
    assert "day <= 2020-01-31: True" in as_decision_tree(fitted).to_text()
    later = pd.DataFrame({"day": pd.to_datetime(["2020-01-05", "2020-02-20", "2020-01-31"])})
    assert fitted.predict(later).tolist() == [True, False, True]
    flags = pd.DataFrame({"flag": [False, True] * 30})
    by_flag = make().fit(flags, flags["flag"].map({True: "on", False: "off"}))
    assert "flag = " in as_decision_tree(by_flag).to_text()
    assert by_flag.predict(pd.DataFrame({"flag": [True, False]})).tolist() == ["on", "off"]


@pytest.mark.parametrize("name", ["vote", "credit-a", "zoo"])
@pytest.mark.parametrize("pruning", ["confidence", "reduced-error", "none"])
def test_the_same_tree_as_j48(name, pruning):
    data, (frame, classes) = load_dataset(name), load_dataset(name, as_frame=True)
    labels = classes.astype(str).to_numpy()
    fitted = J48Classifier(pruning=pruning).fit(frame, labels)
    tree = fit(data, J48Settings(pruning=pruning))
    assert fitted.get_n_leaves() == tree.n_leaves
    if fitted.classes_.tolist() == list(data.class_values):  # ties are broken by the order of the classes
        assert fitted.tree_.to_text() == tree.to_text()
        assert fitted.score(frame, labels) == evaluate(tree, data).accuracy


X_NUMBERS, NUMBERS = load_diabetes(return_X_y=True)
QUICK = {"random_state": 0, "effort": 0.02}


def test_shares_of_the_samples_are_taken_as_in_scikit_learn():
    shared = SmallTreeClassifier(**QUICK, min_samples_leaf=0.1, min_samples_split=0.3).fit(X, y)
    counted = SmallTreeClassifier(**QUICK, min_samples_leaf=15, min_samples_split=45).fit(X, y)
    assert shared.tree_ == counted.tree_
    assert np.bincount(shared.apply(X))[np.unique(shared.apply(X))].min() >= 15


@pytest.mark.parametrize("form", [csr_matrix, csr_array, coo_matrix])
def test_sparse_matrices_become_arrays_with_a_warning_if_these_are_large(form, monkeypatch):
    fitted = J48Classifier().fit(form(X), y)  # warnings are errors
    assert (fitted.predict(form(X)) == J48Classifier().fit(X, y).predict(X)).all()
    repeated, large = form(np.tile(X, (250, 1))), np.tile(y, 250)
    with pytest.warns(UserWarning, match="X is sparse and becomes an array of 1.1 MiB"):
        fitted = J48Classifier().fit(repeated, large)
    assert (fitted.predict(repeated) == fitted.predict(repeated.toarray())).all()
    monkeypatch.setattr(base, "_MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="X is sparse and would be an array of"):
        fitted.fit(form(X), y)


@pytest.mark.parametrize(("estimator", "cart", "data"), [
    (SmallTreeClassifier, DecisionTreeClassifier, (X, y)),
    (SmallTreeRegressor, DecisionTreeRegressor, (X_NUMBERS, NUMBERS)),
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
    fitted = SmallTreeClassifier(**QUICK).fit(X, y)
    more = np.vstack([X, X + 0.05, np.full((1, 4), np.nan)])
    assert (fitted.predict(more) == fitted.predict(more.tolist())).all()
    assert (fitted.predict(more.astype(np.float32)) == fitted.predict(more.astype(np.float32).tolist())).all()
    for wrong in (np.full((1, 4), np.inf), X[:, :3], X[0], X[:0]):
        with pytest.raises(ValueError, match=r"infinity|features|2D array|minimum of 1"):
            fitted.predict(wrong)


def test_scikit_learns_own_regressor_predicts_the_same():
    fitted = SmallTreeRegressor(**QUICK).fit(X_NUMBERS, NUMBERS)
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
