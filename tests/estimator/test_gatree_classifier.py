"""GATreeClassifier among scikit-learn's tools, and what it tells about its tree."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gatree import GATreeClassifier, load_dataset, plot_tree
from gatree.evolution.evolve import evolve
from gatree.settings.presets import PRESETS, settings_of
from gatree.trees.model import DecisionTree

X, y = load_iris(return_X_y=True, as_frame=True)


def quick(**settings: object) -> GATreeClassifier:
    return GATreeClassifier(**({"population_size": 60, "n_generations": 40, "random_state": 0} | settings))


@pytest.fixture(scope="module")
def iris() -> GATreeClassifier:
    return quick().fit(X, y)


def test_learns_iris(iris):
    assert iris.score(X, y) > 0.94
    assert iris.get_n_leaves() <= 6
    assert iris.get_depth() <= 4
    assert iris.feature_names_in_.tolist() == list(X.columns)


def test_survives_pickle_and_clone(iris):
    again = pickle.loads(pickle.dumps(iris))
    assert (again.predict(X) == iris.predict(X)).all()
    assert again.tree_ == iris.tree_
    assert clone(iris).fit(X, y).tree_ == iris.tree_


def test_threads_find_the_same_tree(iris):
    threaded = quick(n_jobs=2).fit(X, y)
    assert threaded.tree_ == iris.tree_
    assert pickle.loads(pickle.dumps(threaded)).tree_ == iris.tree_


def test_works_in_pipelines_and_searches():
    pipeline = make_pipeline(StandardScaler(), quick(n_generations=10))
    search = GridSearchCV(pipeline, {"gatreeclassifier__x_factor": [1e2, "1e5..1e4"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9


@pytest.mark.long
def test_works_in_worker_processes():
    assert cross_val_score(quick(n_generations=10), X, y, n_jobs=2, cv=3).mean() > 0.9


def test_the_same_seed_gives_the_same_tree_whatever_the_evaluator(iris):
    for evaluator in ("old", "new", "new-all-nodes", "bitset"):
        assert quick(evaluator=evaluator).fit(X, y).tree_ == iris.tree_


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(3), np.int64(5)])
def test_other_kinds_of_random_state(random_state):
    assert quick(random_state=random_state, n_generations=5).fit(X, y).score(X, y) > 0.6


def test_the_paper_is_one_word_away():
    data = load_dataset("vote")
    frame = pd.DataFrame(
        {
            attribute.name: pd.Categorical.from_codes(column, categories=list(attribute.values))
            for attribute, column in zip(data.attributes, data.columns, strict=True)
        }
    )
    labels = np.array(data.class_values)[data.classes]
    fitted = GATreeClassifier("paper", random_state=7).fit(frame, labels)
    settings = settings_of("paper", {"seed": 7})
    outcome = evolve(data, settings)
    assert fitted.settings_ == settings
    assert fitted.tree_.tree == outcome.best
    assert fitted.score(frame, labels) == outcome.accuracy


def test_probabilities_are_the_class_shares_of_the_leaves(iris):
    shares = iris.predict_proba(X)
    counts = iris.tree_.counts[iris.apply(X)]
    assert np.allclose(shares, counts / counts.sum(axis=1, keepdims=True))
    assert (iris.classes_[shares.argmax(axis=1)] == iris.predict(X)).all()


@pytest.mark.parametrize("preset", PRESETS)
def test_predictions_are_the_classes_of_the_leaves(preset):
    """Also where random leaf classes differ from their samples' most frequent, or a leaf is empty."""
    fitted = GATreeClassifier(preset, n_generations=3, population_size=20, random_state=1).fit(X, y)
    assert (fitted.predict(X) == fitted.classes_[fitted.tree_.tree.value[fitted.apply(X)]]).all()
    assert np.allclose(fitted.predict_proba(X).sum(axis=1), 1)


def test_history_has_a_row_per_generation(iris):
    history = iris.history_
    assert len(history) == iris.n_generations_ + 1 == 41
    assert history["best_accuracy"].iloc[-1] == iris.score(X, y)
    assert history["best_nodes"].iloc[-1] == iris.tree_.n_nodes
    assert (history["mean_accuracy"] <= history["best_accuracy"].max() + 1e-12).all()


def test_text_json_dot_and_pictures(iris):
    assert iris.tree_.to_text(style="sklearn").startswith("|--- petal")
    assert DecisionTree.from_json(iris.tree_.to_json()) == iris.tree_
    assert iris.tree_.to_dot().startswith("digraph")
    assert len(plot_tree(iris).texts) >= iris.tree_.n_nodes


def test_whole_sample_weights_count_as_repeated_samples():
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 4, len(y))
    weighted = quick().fit(X, y, sample_weight=weights)
    repeated = quick().fit(X.loc[X.index.repeat(weights)], y.repeat(weights))
    assert weighted.tree_ == repeated.tree_


@pytest.mark.parametrize("weight", [np.inf, -1.0])
def test_other_sample_weights_are_refused(weight):
    weights = np.ones(len(y))
    weights[3] = weight
    with pytest.raises(ValueError, match="sample_weight"):
        quick().fit(X, y, sample_weight=weights)


def test_class_weights_are_found_as_in_a_dictionary():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    positive = X[:, 0] + rng.normal(size=80) > 0.8
    expected = None
    for y in (positive, positive.astype(int), positive.astype(float)):
        for weights in ({0: 1, 1: 3}, {False: 1, True: 3}, {0.0: 1, 1.0: 3}, {0: 1, 1: 3, 2: 5}):
            fitted = GATreeClassifier("fast", size=4, class_weight=weights, random_state=0).fit(X, y)
            predicted = fitted.predict(X).astype(int).tolist()
            expected = expected or predicted
            assert predicted == expected
    with pytest.raises(ValueError, match=r"^class_weight: X has no class '2'$"):
        GATreeClassifier("fast", class_weight={1: 3, 2: 5}).fit(X, positive)


@pytest.mark.parametrize(
    "given",
    [
        lambda unit: {"class_weight": {0: unit, 1: 3 * unit}},
        lambda unit: {"class_weight": {0: unit, 1: 3 * unit}, "size": 4},
        lambda unit: {"class_weight": {0: unit, 1: 3 * unit}, "size": "penalty"},
        lambda unit: {"cost_matrix": [[0, unit], [3 * unit, 0]]},
    ],
    ids=["weights", "weights, four leaves", "weights, penalty", "costs"],
)
def test_only_the_proportions_of_small_weights_and_costs_count(given):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80) > 0.8
    trees = [
        GATreeClassifier("fast", **given(unit), random_state=0).fit(X, y).tree_.to_text()
        for unit in (0.25, 1e-7, 1e-300)
    ]
    assert trees[0] == trees[1] == trees[2]


def test_class_weights_move_the_goal():
    rng = np.random.default_rng(1)
    signal = rng.normal(size=(600, 1))
    labels = np.where(signal[:, 0] + rng.normal(size=600) > 1.8, "rare", "common")
    plain = quick().fit(signal, labels)
    balanced = quick(class_weight="balanced").fit(signal, labels)
    costs = quick(class_weight={"rare": 8, "common": 1}).fit(signal, labels)
    score = {name: balanced_accuracy_score(labels, fitted.predict(signal)) for name, fitted in
             {"plain": plain, "balanced": balanced, "costs": costs}.items()}  # fmt: skip
    assert score["balanced"] > score["plain"] + 0.1
    assert score["costs"] > score["plain"] + 0.1
    assert balanced.history_["best_accuracy"].iloc[-1] == pytest.approx(score["balanced"], abs=1e-4)


def test_numbers_as_classes_can_have_weights():
    assert quick(class_weight={0: 1, 1: 5, 2: 1}, n_generations=5).fit(X, y).score(X, y) > 0.6


def test_an_own_payoff_decides():
    def few_leaves(n_correct, n_instances, n_nodes, n_leaves, x):
        return n_correct / n_instances - 0.4 * n_leaves

    assert quick(payoff=few_leaves).fit(X, y).get_n_leaves() == 1


def test_warm_start_evolves_on():
    grown = quick(warm_start=True, n_generations=10).fit(X, y)
    history = grown.history_
    grown.set_params(n_generations=40).fit(X, y)
    assert grown.n_generations_ == 40
    pd.testing.assert_frame_equal(grown.history_.iloc[1:11][["mean_nodes"]], history.iloc[1:][["mean_nodes"]])
    again = pickle.loads(pickle.dumps(grown)).set_params(n_generations=41).fit(X, y)
    assert again.n_generations_ == 41


def test_warm_start_with_a_constant_x_is_one_long_evolution():
    pieces = quick(warm_start=True, n_generations=10, x_factor=1e4).fit(X, y)
    pieces.set_params(n_generations=40).fit(X, y)
    whole = quick(x_factor=1e4).fit(X, y)
    pd.testing.assert_frame_equal(pieces.history_, whole.history_)
    assert pieces.tree_ == whole.tree_


def test_warm_start_refuses_other_data_and_settings():
    grown = quick(warm_start=True, n_generations=5).fit(X, y)
    with pytest.raises(ValueError, match="X or y has changed"):
        grown.fit(X.iloc[1:], y.iloc[1:])
    with pytest.raises(ValueError, match="change only n_generations"):
        grown.set_params(mutation_rate=0.1).fit(X, y)


def n_correct_alone(n_correct, n_instances, n_nodes, n_leaves, x):
    return n_correct / n_instances


@pytest.mark.parametrize("change", [{"payoff": n_correct_alone}, {"max_thresholds": 2}])
def test_warm_start_notices_another_payoff_and_other_thresholds(change):
    grown = quick(warm_start=True, n_generations=5).fit(X, y)
    with pytest.raises(ValueError, match="change only n_generations"):
        grown.set_params(**change).fit(X, y)
    changed = quick(warm_start=True, n_generations=5, **change).fit(X, y)
    assert changed.set_params(n_generations=8).fit(X, y).n_generations_ == 8


TWO = y < 2  # classes, as monotonic features need
COSTS = np.array([[0.0, 1.0], [100.0, 0.0]])


def two_classes(**settings: object) -> GATreeClassifier:
    return quick(warm_start=True, n_generations=5, **settings).fit(X[TWO], y[TWO])


@pytest.mark.parametrize(
    ("before", "change"),
    [
        ({}, {"cost_matrix": COSTS}),
        ({"cost_matrix": COSTS}, {"cost_matrix": None}),
        ({"cost_matrix": COSTS}, {"cost_matrix": COSTS.T}),
        ({}, {"monotonic_cst": [0, 0, -1, 0]}),
        ({"monotonic_cst": [0, 0, 1, 0]}, {"monotonic_cst": None}),
        ({"monotonic_cst": [0, 0, 1, 0]}, {"monotonic_cst": {X.columns[2]: -1}}),
    ],
)
def test_warm_start_notices_other_costs_and_constraints(before, change):
    (name,) = change
    grown = two_classes(**before)
    with pytest.raises(ValueError, match=f"these have changed: {name}; change only n_generations"):
        grown.set_params(n_generations=8, **change).fit(X[TWO], y[TWO])


def test_warm_start_notices_costs_that_were_changed_in_place():
    costs = COSTS.copy()
    grown = two_classes(cost_matrix=costs)
    costs[1, 0] = 1
    with pytest.raises(ValueError, match="these have changed: cost_matrix;"):
        grown.fit(X[TWO], y[TWO])


@pytest.mark.parametrize(
    ("before", "again"),
    [
        ({"cost_matrix": COSTS}, {"cost_matrix": COSTS.tolist()}),
        ({"monotonic_cst": [0, 0, 1, 0]}, {"monotonic_cst": {X.columns[2]: 1}}),
        ({}, {"monotonic_cst": [0, 0, 0, 0]}),
    ],
)
def test_warm_start_evolves_on_where_the_same_is_said_otherwise(before, again):
    plain, other = two_classes(**before), two_classes(**before).set_params(**again)
    for grown in (plain, other):
        grown.set_params(n_generations=8).fit(X[TWO], y[TWO])
    assert other.n_generations_ == 8
    assert other.tree_ == plain.tree_


def test_warm_start_begins_with_trees_once():
    plain, other = two_classes(), two_classes()
    other.set_params(initial_trees=[plain.tree_])
    for grown in (plain, other):
        grown.set_params(n_generations=8).fit(X[TWO], y[TWO])
    assert other.tree_ == plain.tree_


def test_warm_start_names_all_that_changed():
    grown = quick(warm_start=True, n_generations=5).fit(X, y)
    with pytest.raises(ValueError, match="changed: mutation_rate, min_samples_leaf, max_thresholds;"):
        grown.set_params(mutation_rate=0.3, min_samples_leaf=9, max_thresholds=3).fit(X, y)


@pytest.mark.parametrize("n", [0, -3])
def test_there_is_a_threshold_to_test(n):
    with pytest.raises(ValueError, match=f"max_thresholds must be an int of at least 1 or None, got {n}"):
        quick(max_thresholds=n).fit(X, y)


def test_patience_stops():
    fitted = quick(patience=5, n_generations=400, x_factor=1e4).fit(X, y)
    best = fitted.history_["best_payoff"]
    assert fitted.n_generations_ < 400
    assert best.iloc[-1] == best.iloc[-6]
    assert best.iloc[-6] > best.iloc[-7]


def test_a_time_limit_stops():
    fitted = quick(max_seconds=0.3, n_generations=10**6).fit(X, y)
    assert 0 < fitted.n_generations_ < 10**6


def test_a_callback_watches_and_stops():
    seen = []

    def watch(evolution):
        seen.append(evolution.best.n_nodes)
        return len(seen) == 7

    assert quick(callback=watch).fit(X, y).n_generations_ == len(seen) == 7


def test_the_default_finds_the_larger_tree_that_kr_vs_kp_needs():
    data = load_dataset("kr-vs-kp")
    codes = np.stack(data.columns, axis=1).astype(float)
    fitted = GATreeClassifier(random_state=0).fit(codes, data.classes)
    assert fitted.score(codes, data.classes) > 0.98
    assert 12 <= fitted.get_n_leaves() <= 60
