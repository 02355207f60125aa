"""GATreeClassifier among scikit-learn's tools, and what it tells about its tree."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gatree import GATreeClassifier, load_dataset
from gatree.estimator.parameters import parameter_of
from gatree.evolution.evolve import evolve
from gatree.settings.evolution_settings import EvolutionSettings

X, y = load_iris(return_X_y=True, as_frame=True)


def quick(**settings: object) -> GATreeClassifier:
    few = {"population_size": 100, "n_generations": 60, "mutation_rate": 0.5, "random_state": 0}
    return GATreeClassifier(**(few | {"leaf_class": "majority"} | settings))


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


def test_it_is_the_paper_s_evolution():
    data, (frame, classes) = load_dataset("vote"), load_dataset("vote", as_frame=True)
    labels = classes.astype(str).to_numpy()
    fitted = GATreeClassifier(numeric_tests="integer", random_state=7).fit(frame, labels)
    settings = EvolutionSettings.preset("paper", {"seed": 7})
    outcome = evolve(data, settings)
    assert fitted.settings_ == settings
    assert fitted.tree_.tree == outcome.best
    assert fitted.score(frame, labels) == outcome.accuracy


@pytest.mark.parametrize("leaf_class", ["random", "majority"])
def test_predictions_are_the_classes_of_the_leaves(leaf_class):
    """Also where random leaf classes differ from their samples' most frequent, or a leaf is empty."""
    fitted = quick(n_generations=3, population_size=20, leaf_class=leaf_class).fit(X, y)
    assert (fitted.predict(X) == fitted.classes_[fitted.tree_.tree.value[fitted.apply(X)]]).all()
    assert np.allclose(fitted.predict_proba(X).sum(axis=1), 1)


def test_history_has_a_row_per_generation(iris):
    history = iris.history_
    assert len(history) == iris.n_generations_ + 1 == 61
    assert history["best_accuracy"].iloc[-1] == iris.score(X, y)
    assert history["best_nodes"].iloc[-1] == iris.tree_.n_nodes
    assert (history["mean_accuracy"] <= history["best_accuracy"].max() + 1e-12).all()


def test_an_own_payoff_decides():
    def few_leaves(trees):
        return trees.n_correct / trees.n_instances - 0.4 * trees.n_leaves

    for paid in ("every-generation", "at-birth"):
        fitted = quick(payoff=few_leaves, selection="tournament", paid=paid).fit(X, y)
        assert fitted.get_n_leaves() == 1
    with pytest.raises(ValueError, match=r"^payoff: should not be negative.*selection tournament takes any"):
        quick(payoff=few_leaves).fit(X, y)


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


def test_its_parameters_are_the_settings_and_how_it_is_watched():
    """With the paper's values, and thresholds by the data."""
    own = {"callback", "patience", "max_seconds", "verbose"}
    given = GATreeClassifier().get_params()
    names = {parameter_of(name) for name in EvolutionSettings.model_fields}
    assert set(given) == names | own
    assert len(given) <= 32
    settings = EvolutionSettings.preset("paper", {"numeric_tests": "auto"})
    paper = settings.model_dump(mode="json", exclude={"seed", "n_jobs"})
    assert {name: given[parameter_of(name)] for name in paper} == paper
    for name in given:
        assert f"\n    {name} : " in GATreeClassifier.__doc__


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": 8}, r"size: .* SmallTreeClassifier\(size=\.\.\.\)"),
        ({"preset": "fast"}, "preset: .* SmallTreeClassifier"),
        *(
            ({name: 1}, f"{name}: .* SmallTreeClassifier")
            for name in ("class_weight", "cost_matrix", "monotonic_cst", "initial_trees", "effort", "laplace")
        ),
        ({"warm_start": True}, "warm_start: an evolution always starts from random trees"),
        ({"populatoin_size": 3}, "has no parameter 'populatoin_size'; did you mean 'population_size'"),
    ],
)
def test_a_parameter_that_has_gone_names_what_to_use(given, message):
    with pytest.raises(TypeError, match=message):
        GATreeClassifier(**given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_generations": "10"}, "^n_generations: should be"),
        ({"min_samples_leaf": -1}, "^min_samples_leaf: should be greater than or equal to 0, got -1$"),
        ({"max_depth": True}, "^max_depth: should be a valid integer, got True$"),
        ({"patience": 0}, "^patience: should be greater than or equal to 1, got 0$"),
        ({"max_seconds": 0}, "^max_seconds: should be greater than 0, got 0$"),
        ({"callback": 3}, "^callback: should be callable, got 3$"),
        ({"random_state": -1}, "^random_state: should be greater than or equal to 0, got -1$"),
        ({"prune_share": 0.7, "shift_share": 0.7}, "^prune_share, shift_share: should be at most 1 together"),
    ],
)
def test_what_is_no_setting_is_refused_by_the_parameter_s_name(given, message):
    with pytest.raises(ValueError, match=message):
        quick(**given).fit(X, y)
