"""GATreeClassifier among scikit-learn's tools, and what it tells about its tree."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gatree import GATreeClassifier, GATreeRegressor, load_dataset, plot_fronts
from gatree.evolution.evolve import evolve
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import PRESETS, settings_of
from gatree.smalltree.settings import SearchSettings

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
    threaded = quick(n_jobs=2).fit(X, y)
    assert pickle.loads(pickle.dumps(threaded)).tree_ == iris.tree_


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(3), np.int64(5)])
def test_other_kinds_of_random_state(random_state):
    assert quick(random_state=random_state, n_generations=5).fit(X, y).score(X, y) > 0.6


def test_the_paper_is_one_word_away():
    data, (frame, classes) = load_dataset("vote"), load_dataset("vote", as_frame=True)
    labels = classes.astype(str).to_numpy()
    fitted = GATreeClassifier("paper", random_state=7).fit(frame, labels)
    settings = settings_of("paper", {"seed": 7})
    outcome = evolve(data, settings)
    assert fitted.settings_ == settings
    assert fitted.tree_.tree == outcome.best
    assert fitted.score(frame, labels) == outcome.accuracy


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
        for weights in ({False: 1, True: 3}, {0.0: 1, 1.0: 3, 2.0: 5}):
            fitted = GATreeClassifier("fast", size=2, class_weight=weights, random_state=0).fit(X, y)
            predicted = fitted.predict(X).astype(int).tolist()
            expected = expected or predicted
            assert predicted == expected
    with pytest.raises(ValueError, match=r"^class_weight: X has no class '2'$"):
        GATreeClassifier("fast", class_weight={1: 3, 2: 5}).fit(X, positive)


@pytest.mark.parametrize(
    "given",
    [
        lambda unit: {"class_weight": {0: unit, 1: 3 * unit}},
        lambda unit: {"class_weight": {0: unit, 1: 3 * unit}, "size": "penalty"},
        lambda unit: {"cost_matrix": [[0, unit], [3 * unit, 0]]},
    ],
    ids=["weights", "weights, penalty", "costs"],
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


def test_an_own_payoff_decides():
    def few_leaves(n_correct, n_instances, n_nodes, n_leaves, x):
        return n_correct / n_instances - 0.4 * n_leaves

    assert quick(payoff=few_leaves).fit(X, y).get_n_leaves() == 1


def test_warm_start_with_a_constant_x_is_one_long_evolution():
    pieces = quick(warm_start=True, n_generations=10, x_factor=1e4).fit(X, y)
    pieces = pickle.loads(pickle.dumps(pieces)).set_params(n_generations=40).fit(X, y)
    whole = quick(x_factor=1e4).fit(X, y)
    pd.testing.assert_frame_equal(pieces.history_, whole.history_)
    assert pieces.tree_ == whole.tree_


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
        ({}, {"payoff": lambda n_correct, n_instances, *_: n_correct / n_instances}),
        ({}, {"mutation_rate": 0.3, "min_samples_leaf": 9, "max_thresholds": 3}),
    ],
)
def test_warm_start_notices_other_settings(before, change):
    grown = two_classes(**before)
    with pytest.raises(
        ValueError, match=f"these have changed: {', '.join(change)}; change only n_generations"
    ):
        grown.set_params(n_generations=8, **change).fit(X[TWO], y[TWO])


def test_warm_start_notices_other_data_and_costs_that_were_changed_in_place():
    costs = COSTS.copy()
    grown = two_classes(cost_matrix=costs)
    with pytest.raises(ValueError, match="X or y has changed"):
        grown.fit(X[TWO].iloc[1:], y[TWO].iloc[1:])
    costs[1, 0] = 1
    with pytest.raises(ValueError, match="these have changed: cost_matrix;"):
        grown.fit(X[TWO], y[TWO])


@pytest.mark.parametrize(
    ("before", "again"),
    [
        ({"cost_matrix": COSTS}, {"cost_matrix": COSTS.tolist()}),
        ({"monotonic_cst": [0, 0, 1, 0]}, {"monotonic_cst": {X.columns[2]: 1}}),
        ({}, {"monotonic_cst": [0, 0, 0, 0]}),
        ({"max_thresholds": 2}, {}),
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


@pytest.fixture(scope="module")
def fast() -> GATreeClassifier:
    return GATreeClassifier("fast", random_state=0).fit(X, y)


def test_by_default_the_data_choose(fast):
    assert isinstance(fast.settings_, SearchSettings)
    assert fast.settings_.size == "auto"
    assert 3 <= fast.get_n_leaves() <= 6
    assert fast.score(X, y) > 0.94
    assert set(fast.fronts_) == {"greedy", "evolved"}
    assert fast.fronts_["evolved"].validated is not None
    assert re.fullmatch(
        r"<Front of 1 to \d+ leaves, accuracy 0\.333 to 1\.000>", repr(fast.fronts_["greedy"])
    )
    assert not hasattr(fast, "history_")


def test_the_fronts_hold_the_chosen_tree_and_others(fast):
    chosen = fast.fronts_["evolved"].tree(fast.get_n_leaves())
    assert (chosen.predict(fast._dataset(X)) == fast.tree_.predict(fast._dataset(X))).all()
    assert fast.fronts_["evolved"].tree(3).n_leaves == 3
    assert any(line.get_label() == "chosen" for line in plot_fronts(fast).lines)


def test_pickle_clone_and_the_same_seed_give_the_same_tree(fast):
    assert pickle.loads(pickle.dumps(fast)).tree_ == fast.tree_
    assert clone(fast).fit(X, y).tree_ == fast.tree_


@pytest.mark.parametrize("kind", [GATreeClassifier, GATreeRegressor])
def test_a_pickle_is_small_and_holds_the_fronts(kind):
    """Hundreds of sizes of two fronts, found on a few thousand rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 8))
    noisy = X[:, 0] * X[:, 1] + rng.normal(size=3000)
    fitted = kind("fast", effort=0.2, random_state=0).fit(X, noisy > 0 if kind is GATreeClassifier else noisy)
    pickled = pickle.dumps(fitted)
    again = pickle.loads(pickled)
    assert len(fitted.fronts_["evolved"].leaves) > 50
    assert len(pickled) < 100_000
    assert (again.predict(X) == fitted.predict(X)).all()
    for name, front in fitted.fronts_.items():
        other = again.fronts_[name]
        assert (other.leaves == front.leaves).all()
        assert all(other.tree(size) == front.tree(size) for size in front.leaves[::10].tolist())


def test_rules_for_the_size():
    errors = {None: 0.5, "min": 0.0, "1-se": 1.0, 0.25: 0.25}
    for rule, expected in errors.items():
        fitted = GATreeClassifier("fast", size_rule=rule, effort=0.1, random_state=0).fit(X, y)
        assert fitted.settings_.standard_errors == expected


@pytest.mark.parametrize(
    "given",
    [{"size": "penalty"}, {"size": "leaves"}, {"x_factor": 1e4}, {"preset": "paper"}, {"n_generations": 3}],
)
def test_the_genetic_algorithms_settings_leave_the_size_to_the_penalty(given):
    few = {"population_size": 20, "n_generations": 3, "random_state": 0}
    fitted = GATreeClassifier(**(few | given)).fit(X, y)
    assert isinstance(fitted.settings_, EvolutionSettings)
    assert len(fitted.history_) == 4
    assert not hasattr(fitted, "fronts_")


def test_a_new_fit_leaves_nothing_of_the_old_one(fast):
    refitted = clone(fast).fit(X, y).set_params(size="penalty", population_size=20, n_generations=2).fit(X, y)
    assert not hasattr(refitted, "fronts_")
    assert hasattr(refitted, "history_")
