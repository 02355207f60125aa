"""The size chosen by probabilities, against scikit-learn's figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import log_loss, roc_auc_score

from gatree import SmallTreeClassifier, load_dataset
from gatree.settings.small_tree import SmallTreeSettings
from gatree.smalltree.fit import fit_front
from gatree.smalltree.settings import search_settings
from gatree.trees.scores import Scores, area_under_curve, ranking


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 6))
def test_scores_equal_those_of_scikit_learn(seed, n_classes, n_leaves):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, (n_leaves, n_classes)) + np.eye(n_leaves, n_classes, dtype=int)
    probabilities = rng.integers(1, 6, (n_leaves, n_classes)).astype(float)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    leaf, label = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), n_classes)
    found = Scores.of(probabilities, counts)
    assert found.log_loss == pytest.approx(log_loss(label, probabilities[leaf], labels=range(n_classes)))
    areas = [
        roc_auc_score(label == each, probabilities[leaf, each])
        for each in range(n_classes)
        if 0 < (label == each).sum() < len(label)
    ]
    if areas:
        assert found.roc_auc == pytest.approx(np.mean(areas))
    else:
        assert np.isnan(found.roc_auc)


def test_a_tie_counts_half_and_one_class_has_no_ranking():
    assert area_under_curve(np.array([0.5, 0.5]), np.array([3, 0]), np.array([0, 2])) == 0.5
    assert area_under_curve(np.array([0.6, 0.5]), np.array([3, 0]), np.array([0, 2])) == 1.0
    assert ranking(np.full((2, 2), 0.5), np.array([[3, 0], [1, 0]])) is None


def chosen(data, scoring, **others):
    wanted = SmallTreeSettings(scoring=scoring, effort=0.05, **others)
    return fit_front(data, search_settings(wanted, data))


def test_probabilities_choose_other_sizes_of_the_same_trees():
    data = load_dataset("credit-a")
    found = {each: chosen(data, each) for each in ("accuracy", "log_loss", "roc_auc")}
    assert found["log_loss"].n_leaves > found["accuracy"].n_leaves
    assert found["log_loss"].shrinkage in (5, 10, 25, 50)
    assert found["roc_auc"].shrinkage == 10
    assert found["accuracy"].fronts["evolved"].validated is not None
    assert found["log_loss"].fronts["evolved"].validated is None  # the curve is not one of accuracies


def test_probabilities_of_the_chosen_tree_are_better_on_unseen_rows():
    data = load_dataset("credit-a")
    rows = np.random.default_rng(1).permutation(data.n_instances)
    train, test = data.take(rows[:400]), data.take(rows[400:])
    losses = {}
    for scoring in ("accuracy", "log_loss"):
        tree = chosen(train, scoring).tree
        probabilities = tree.probabilities[tree.apply(test)]
        losses[scoring] = log_loss(test.classes, probabilities, labels=[0, 1])
    assert losses["log_loss"] <= losses["accuracy"] + 0.01


def test_a_given_size_has_the_usual_shrinkage():
    assert chosen(load_dataset("vote"), "log_loss", size=4).shrinkage == 10


def test_an_unknown_figure_is_refused():
    X, y = [[0.0], [1.0]], ["a", "b"]
    with pytest.raises(ValueError, match="scoring: should be 'accuracy', 'log_loss' or 'roc_auc', got 'f1'"):
        SmallTreeClassifier(scoring="f1").fit(X, y)
