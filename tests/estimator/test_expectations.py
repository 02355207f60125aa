"""What users of scikit-learn's trees expect, for both classifiers."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import issparse
from sklearn.datasets import load_diabetes, load_iris

from gatree import GATreeClassifier, GATreeRegressor, J48Classifier
from gatree.trees.model import as_decision_tree

X, y = load_iris(return_X_y=True)


def quick(**parameters) -> GATreeClassifier:
    return GATreeClassifier(**{"population_size": 60, "n_generations": 30, "random_state": 0} | parameters)


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
    fitted = GATreeRegressor("fast", size=6, random_state=0).fit(data, target)
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
