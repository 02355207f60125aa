"""The estimators of small trees: fronts, limits, weights, costs, constraints and initial trees."""

import pickle
import re
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_friedman1
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier

from gatree import J48Classifier, SmallTreeClassifier, SmallTreeRegressor, load_dataset, plot_fronts
from gatree.estimator.inputs import sample_weights
from gatree.settings.small_tree import SmallTreeSettings

X, y = load_iris(return_X_y=True)


def quick(**parameters) -> SmallTreeClassifier:
    return SmallTreeClassifier(**{"effort": 0.1, "random_state": 0} | parameters)


def test_depth_and_leaves_are_limited():
    X, y = load_breast_cancer(return_X_y=True)
    for depth in (1, 2):
        assert quick(max_depth=depth).fit(X, y).get_depth() == depth
    limited = quick(max_leaf_nodes=3).fit(X, y)
    assert limited.get_n_leaves() <= 3
    assert limited.fronts_["evolved"].leaves.max() == 3
    assert quick(min_samples_split=len(y) + 1).fit(X, y).get_n_leaves() == 1


def test_fractions_as_weights_keep_their_proportions():
    weights = np.random.default_rng(0).random(500)
    rows = sample_weights(weights).row_of
    assert len(rows) == 16 * 500
    counted = np.bincount(rows, minlength=500)
    assert np.abs(counted / len(rows) - weights / weights.sum()).max() < 1 / len(rows)
    assert sample_weights([0, 3, 1]).row_of.tolist() == [1, 1, 1, 2]
    assert np.bincount(sample_weights(weights * 1e-300).row_of).tolist() == counted.tolist()


def noisy(n=300):
    rng = np.random.default_rng(0)
    signal = rng.normal(size=(n, 3))
    return signal, (signal[:, 0] > 0) ^ (rng.random(n) < 0.3)


WEIGHTINGS = {
    "half": np.full(300, 0.5),
    "nearly one": np.random.default_rng(1).uniform(0.95, 1.05, 300),
}


@pytest.mark.parametrize("weights", WEIGHTINGS.values(), ids=WEIGHTINGS)
def test_a_weighted_sample_is_held_out_as_a_whole(weights):
    """The copies of a sample in other folds would know it, and trees would grow to learn it by heart."""
    plain = SmallTreeClassifier(effort=0.1, random_state=0).fit(*noisy())
    weighted = SmallTreeClassifier(effort=0.1, random_state=0).fit(*noisy(), sample_weight=weights)
    assert weighted.get_n_leaves() == plain.get_n_leaves() == 2
    best = [fitted.fronts_["evolved"].validated.max() for fitted in (plain, weighted)]
    assert best[1] == pytest.approx(best[0], abs=0.02)


@pytest.mark.parametrize("weights", WEIGHTINGS.values(), ids=WEIGHTINGS)
def test_fractions_as_weights_are_no_more_samples(weights):
    X, y = noisy()
    plain, weighted = J48Classifier().fit(X, y), J48Classifier().fit(X, y, sample_weight=weights)
    assert abs(weighted.get_n_leaves() - plain.get_n_leaves()) <= 1
    for learner in (SmallTreeRegressor, SmallTreeClassifier):
        fitted = learner(effort=0.1, min_samples_leaf=20, random_state=0).fit(X, y, sample_weight=weights)
        assert np.bincount(fitted.apply(X))[np.unique(fitted.apply(X))].min() >= 18


@pytest.mark.parametrize("seed", [2, 11])
def test_the_order_of_weighted_samples_does_not_matter(seed):
    """With samples that differ in nothing but their weights: these two were seen to fail."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(90, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.normal(size=90) > 3).astype(int)
    weights, other = rng.random(90) + 0.2, rng.permutation(90)
    fitted = SmallTreeClassifier(effort=0.1, random_state=0).fit(X, y, weights)
    again = SmallTreeClassifier(effort=0.1, random_state=0).fit(X[other], y[other], weights[other])
    assert fitted.tree_.to_text() == again.tree_.to_text()


def test_leaves_of_the_least_size_may_be_all_that_there_are():
    X, y = np.arange(40.0).reshape(-1, 1), np.repeat([0, 1, 2, 3], 10)
    fitted = SmallTreeClassifier(effort=0.1, size=4, min_samples_leaf=10, random_state=0).fit(X, y)
    assert (fitted.get_n_leaves(), fitted.score(X, y)) == (4, 1.0)
    alone = SmallTreeClassifier(effort=0.1, size=6, random_state=0).fit(X[:6], np.arange(6))
    assert (alone.get_n_leaves(), alone.score(X[:6], np.arange(6))) == (6, 1.0)


@pytest.mark.parametrize("make", [lambda: quick(size=4), J48Classifier])
def test_boosting_and_bagging_work(make):
    noisy = X[:, :2]  # the two features that do not tell all
    boosted = AdaBoostClassifier(make(), n_estimators=4, random_state=0).fit(noisy, y)
    assert len(boosted.estimators_) == 4
    assert max(boosted.estimator_errors_) < 0.4  # weighted: every tree has learnt what weighs
    assert AdaBoostClassifier(make(), n_estimators=4, random_state=0).fit(X, y).score(X, y) > 0.97
    assert BaggingClassifier(make(), n_estimators=3, random_state=0).fit(noisy, y).score(noisy, y) > 0.75


def test_a_limit_costs_little_where_a_tree_within_it_is_good():
    """The best tree of a chessboard's 4 fields has a depth of 2; one evolution was far from it."""
    rng = np.random.default_rng(0)
    X = rng.random((600, 4))
    y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
    fitted = SmallTreeClassifier(effort=0.1, max_depth=2, random_state=0).fit(X, y)
    assert (fitted.get_n_leaves(), fitted.score(X, y)) == (4, pytest.approx(1, abs=0.005))


@pytest.mark.parametrize("reverse", [False, True])
def test_costs_are_respected_at_every_size(reverse):
    X, y = load_breast_cancer(return_X_y=True)
    labels = np.where(y == 1, "b", "a") if not reverse else np.where(y == 1, "a", "b")
    costs = np.array([[0, 20], [1, 0]])[:: -1 if reverse else 1, :: -1 if reverse else 1]
    fits = {
        dear: SmallTreeClassifier(effort=0.1, size=8, random_state=0, cost_matrix=costs if dear else None)
        for dear in (False, True)
    }
    prices = {}
    for dear, made in fits.items():
        made.fit(X, labels)
        predicted = np.searchsorted(made.classes_, made.predict(X))
        prices[dear] = costs[np.searchsorted(made.classes_, labels), predicted].sum()
    assert prices[True] < prices[False] / 2
    best = fits[True].fronts_["evolved"].accuracy[-1]
    stakes = costs.max(axis=1)[np.searchsorted(fits[True].classes_, labels)].sum()
    assert prices[True] == pytest.approx((1 - best) * stakes)


def test_a_front_begins_with_given_trees():
    X, y = load_breast_cancer(return_X_y=True)
    good = SmallTreeClassifier(effort=0.1, size=10, random_state=0).fit(X, y)
    cart = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0).fit(X, y)
    hurried = SmallTreeClassifier(effort=0.001, size=10, random_state=1)
    without = hurried.fit(X, y).score(X, y)
    fitted = hurried.set_params(initial_trees=[cart, good]).fit(X, y)
    assert without < good.score(X, y) <= fitted.score(X, y)
    with pytest.raises(ValueError, match=r"no attribute 'x\d\d'"):
        fitted.fit(X[:, :5], y)


def one_leaf(**parameters) -> SmallTreeClassifier:
    """Fit a single leaf on 600 samples, 276 of them of class 1."""
    labels = np.arange(600) < 276
    return quick(**parameters).fit(np.zeros((600, 1)), labels.astype(int))


def test_probabilities_are_shares_whatever_the_leaf_predicts():
    dear = one_leaf(cost_matrix=[[0, 1], [5, 0]], shrinkage=0)
    assert dear.predict([[0.0]]).tolist() == [1]
    assert dear.predict_proba([[0.0]]) == pytest.approx(np.array([[0.54, 0.46]]))
    heavy = one_leaf(class_weight={1: 3}, shrinkage=0)
    assert heavy.predict([[0.0]]).tolist() == [1]
    assert heavy.predict_proba([[0.0]]) == pytest.approx(np.array([[324, 828]]) / 1152)


def test_probabilities_are_shrunk_and_predict_agrees_with_them():
    X, y = np.arange(20.0).reshape(-1, 1), np.repeat([0, 1], 10)
    pure = quick().fit(X, y)
    assert pure.predict_proba([[0.0], [19.0]]) == pytest.approx(np.array([[5, 1], [1, 5]]) / 6)
    weighted = quick().fit(X, y, np.full(20, 0.5))  # sixteen rows are one sample
    assert (weighted.predict_proba(X) == pure.predict_proba(X)).all()
    heavy = quick(class_weight={1: 3}).fit(X, y)
    assert heavy.predict_proba([[0.0]]) == pytest.approx(np.array([[3, 1]]) / 4)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(4, size=300)
    noisy = quick(size=40).fit(X, y)
    assert (noisy.classes_[noisy.predict_proba(X).argmax(axis=1)] == noisy.predict(X)).all()


@pytest.mark.parametrize("given", [[0, -1], {"x": -1}, {"x": 1}])
def test_every_tree_is_monotonic(given):
    """Rising or falling, at every size of a front."""
    rng = np.random.default_rng(1)
    direction = 1 if given == {"x": 1} else -1
    frame = pd.DataFrame({"z": rng.normal(size=400), "x": rng.normal(size=400)})
    y = (direction * frame["x"] + 1.5 * rng.normal(size=400) > 0) ^ (frame["z"] > 1)
    fitted = SmallTreeClassifier(effort=0.1, monotonic_cst=given, size=16, random_state=0).fit(frame, y)
    assert fitted.get_n_leaves() > 1
    front = fitted.fronts_["evolved"]
    trees = [front.tree(leaves) for leaves in front.leaves.tolist()]
    for z in (-2.0, 0.0, 2.0):
        line = fitted._dataset(pd.DataFrame({"z": z, "x": np.linspace(-4, 4, 200)}))
        for tree in trees:
            assert (direction * np.diff(tree.predict(line)) >= 0).all()
    with pytest.raises(ValueError, match="no feature 'w'"):
        fitted.set_params(monotonic_cst={"w": 1}).fit(frame, y)


def test_the_regressor_finds_its_size_by_the_data():
    X, y = load_diabetes(return_X_y=True)
    chosen = SmallTreeRegressor(effort=0.1, random_state=0).fit(X, y)
    of_front, whole = chosen.fronts_["evolved"].tree(chosen.get_n_leaves()), chosen.tree_
    assert of_front.to_text(show_counts=False) == whole.to_text(show_counts=False)
    assert SmallTreeRegressor(effort=0.1, size=4, random_state=0).fit(X, y).get_n_leaves() == 4
    limited = SmallTreeRegressor(effort=0.1, max_depth=2, max_leaf_nodes=3, random_state=0)
    assert limited.fit(X, y).get_depth() <= 2
    assert limited.get_n_leaves() <= 3


@pytest.mark.parametrize("estimator", [SmallTreeClassifier, SmallTreeRegressor])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"size": 0}, "^size: should be 'auto' or greater than or equal to 1, got 0$"),
        ({"size": 2.5}, "^size: should be 'auto' or a valid integer, got 2.5$"),
        ({"size": True}, "^size: should be 'auto' or a valid integer, got True$"),
        ({"size_rule": "2-se"}, "^size_rule: should be 'min' or '1-se' or a valid number, got '2-se'"),
        ({"effort": 0}, "^effort: should be greater than 0, got 0"),
        ({"max_seconds": 0}, "^max_seconds: should be greater than 0, got 0"),
        ({"max_leaf_nodes": 0}, "^max_leaf_nodes: should be greater than or equal to 1, got 0"),
        ({"first": "nothing"}, "^first: no feature 'nothing'"),
        ({"first": 9}, "^first: should be a feature's name or position below 4, got 9"),
        *(({"max_depth": value}, "^max_depth: should be a valid integer") for value in ("3", True)),
        *(
            ({"min_samples_leaf": value}, "^min_samples_leaf: should be")
            for value in (0, 1.5, 0.0, -0.1, "2")
        ),
    ],
)
def test_what_is_no_setting_is_refused_by_the_parameter_s_name(estimator, parameters, message):
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit(X, y)


@pytest.mark.parametrize("estimator", [SmallTreeClassifier, SmallTreeRegressor])
@pytest.mark.parametrize("name", ["preset", "warm_start", "max_thresholds"])
def test_a_parameter_that_has_gone_says_what_to_use(estimator, name):
    with pytest.raises(TypeError, match=f"^{name}: "):
        estimator(**{name: 1})


def test_a_shrinkage_below_zero_is_refused():
    with pytest.raises(ValueError, match=r"^shrinkage: should be 'auto' or greater than or equal to 0, got"):
        SmallTreeRegressor(shrinkage=-1).fit(X, y)


CHANGES = {
    "size": 2,
    "size_rule": 3.0,
    "scoring": "log_loss",
    "first": 1,
    "max_leaf_nodes": 2,
    "max_depth": 1,
    "min_samples_leaf": 40,
    "min_samples_split": 60,
    "class_weight": {0: 9, 1: 1, 2: 9},
    "shrinkage": 300.0,
    "effort": 0.5,
    "max_seconds": 1e-6,
    "n_jobs": 2,
    "random_state": 1,
    "verbose": 1,
    "cost_matrix": [[0, 1, 9], [9, 0, 9], [1, 1, 0]],
    "monotonic_cst": None,  # needs two classes: tested above
    "initial_trees": None,  # tested above
}


@pytest.mark.parametrize("estimator", [SmallTreeClassifier, SmallTreeRegressor])
def test_every_parameter_has_an_effect(estimator, capsys):
    """On the tree, on what is predicted, or on the work that is done for it."""
    few = {"effort": 0.02, "random_state": 0}
    noisy = X + np.random.default_rng(0).normal(size=X.shape)
    names = estimator(**few).get_params()
    assert names.keys() <= CHANGES.keys()
    assert len(names) <= 20

    def seen(**given: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted = estimator(**few | given).fit(noisy, y)
        predicted = getattr(fitted, "predict_proba", fitted.predict)(noisy)
        fronts = [(front.worth.tolist(), str(front.validated)) for front in fitted.fronts_.values()]
        return fitted.tree_.to_text(), predicted.tolist(), fronts, capsys.readouterr().err != ""

    plain = seen()
    same = {name for name in names if CHANGES[name] is not None and seen(**{name: CHANGES[name]}) == plain}
    assert same == {"n_jobs"}


@pytest.mark.parametrize("estimator", [SmallTreeClassifier, SmallTreeRegressor])
@pytest.mark.parametrize("size", ["auto", 30])
def test_a_time_limit_ends_the_search_with_the_best_trees_so_far(estimator, size):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 10))
    y = (X[:, 0] * X[:, 1] + rng.normal(size=3000) > 0).astype(int)
    endless = estimator(size=size, effort=300.0, max_seconds=1.0, random_state=0)
    estimator(effort=0.01, size=size).fit(X, y)  # compiles
    started = time.monotonic()
    with pytest.warns(ConvergenceWarning, match="^the search ended after 1 s with the best trees so far"):
        fitted = endless.fit(X, y)
    assert time.monotonic() - started < 20
    assert fitted.get_n_leaves() > 1


def test_a_target_may_span_a_few_ulps():
    X = np.linspace(0, 1, 200).reshape(-1, 1)
    y = 1e15 + (X[:, 0] > 0.5)
    fitted = SmallTreeRegressor(effort=0.1, random_state=0).fit(X, y)
    assert (fitted.get_n_leaves(), fitted.score(X, y)) == (2, 1.0)


def test_weights_of_the_regressor_are_copies():
    X, y = make_friedman1(150, random_state=0)
    weights = np.random.default_rng(0).integers(0, 3, size=len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = SmallTreeRegressor(effort=0.1, random_state=0).fit(X, y, weights)
    assert weighted.tree_ == SmallTreeRegressor(effort=0.1, random_state=0).fit(X[rows], y[rows]).tree_


def test_the_regressor_takes_frames_and_predicts_means():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    frame = X.assign(sex=pd.Categorical(np.where(X["sex"] > 0, "f", "m")))
    frame.loc[::7, "bmi"] = np.nan
    fitted = SmallTreeRegressor(effort=0.1, max_depth=2, shrinkage=0.0, random_state=0).fit(frame, y)
    assert fitted.get_depth() <= 2
    reached = fitted.apply(frame)
    for leaf in np.unique(reached):
        assert fitted.predict(frame)[reached == leaf] == pytest.approx(y[reached == leaf].mean())


def labels_of(fitted: SmallTreeRegressor) -> list[str]:
    tree = fitted.tree_
    return [tree.class_values[value] for value in tree.tree.value[tree.tree.attribute < 0]]


def regression(target, **parameters) -> SmallTreeRegressor:
    """Return a tree for a target that goes up and down with one feature."""
    made = SmallTreeRegressor(effort=0.1, shrinkage=0.0, random_state=0, **parameters)
    return made.fit(np.arange(len(target), dtype=float).reshape(-1, 1), target)


@pytest.mark.parametrize("offset", [1e7, -1e9, 1e12])
def test_labels_of_regression_trees_are_as_good_as_the_means(offset):
    target = offset + np.random.default_rng(0).normal(size=200).cumsum()
    fitted = regression(target)
    assert fitted.get_n_leaves() > 3
    assert len(set(labels_of(fitted))) == len(labels_of(fitted))
    assert fitted.tree_.simplified().n_nodes == fitted.tree_.n_nodes
    program: dict[str, Any] = {}
    exec(fitted.tree_.to_python(), program)
    exported = [float(program["predict"]({"x0": float(x)})) for x in range(200)]
    assert np.abs(exported - fitted.predict(np.arange(200.0).reshape(-1, 1))).max() <= target.std() / 1000


@pytest.mark.parametrize(
    ("target", "limits", "labels"),
    [
        pytest.param(1e9 + 1234.5 + np.arange(20) % 2, {"min_samples_leaf": 20}, {"1000001235"}, id="digits"),
        pytest.param(
            np.repeat([5, 9000, 5.00000001], 20), {}, {"5", "9000", "5.00000001"}, id="close leaves"
        ),
        pytest.param(np.repeat([0.1, 0.3, 0.7], 20), {}, {"0.1", "0.3", "0.7"}, id="noise of sums"),
    ],
)
def test_labels_have_the_digits_that_they_need(target, limits, labels):
    assert set(labels_of(regression(target, **limits))) == labels


def test_the_default_finds_the_larger_tree_that_kr_vs_kp_needs():
    data = load_dataset("kr-vs-kp")
    codes = np.stack(data.columns, axis=1).astype(float)
    fitted = SmallTreeClassifier(random_state=0).fit(codes, data.classes)
    assert fitted.score(codes, data.classes) > 0.98
    assert 12 <= fitted.get_n_leaves() <= 60


@pytest.fixture(scope="module")
def fast() -> SmallTreeClassifier:
    return SmallTreeClassifier(effort=0.1, random_state=0).fit(X, y)


def test_by_default_the_data_choose(fast):
    assert isinstance(fast.settings_, SmallTreeSettings)
    assert fast.settings_.size == "auto"
    assert 3 <= fast.get_n_leaves() <= 6
    assert fast.score(X, y) > 0.94
    assert set(fast.fronts_) == {"greedy", "evolved"}
    assert fast.fronts_["evolved"].validated is not None
    assert re.fullmatch(
        r"<Front of 1 to \d+ leaves, accuracy 0\.333 to 1\.000>", repr(fast.fronts_["greedy"])
    )


def test_the_fronts_hold_the_chosen_tree_and_others(fast):
    chosen = fast.fronts_["evolved"].tree(fast.get_n_leaves())
    assert (chosen.predict(fast._dataset(X)) == fast.tree_.predict(fast._dataset(X))).all()
    assert fast.fronts_["evolved"].tree(3).n_leaves == 3
    assert any(line.get_label() == "chosen" for line in plot_fronts(fast).lines)


def test_pickle_clone_and_the_same_seed_give_the_same_tree(fast):
    assert pickle.loads(pickle.dumps(fast)).tree_ == fast.tree_
    assert clone(fast).fit(X, y).tree_ == fast.tree_


@pytest.mark.parametrize("kind", [SmallTreeClassifier, SmallTreeRegressor])
def test_a_pickle_is_small_and_holds_the_fronts(kind):
    """Hundreds of sizes of two fronts, found on a few thousand rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 8))
    noisy = X[:, 0] * X[:, 1] + rng.normal(size=3000)
    fitted = kind(effort=0.05, random_state=0).fit(X, noisy > 0 if kind is SmallTreeClassifier else noisy)
    pickled = pickle.dumps(fitted)
    again = pickle.loads(pickled)
    assert len(fitted.fronts_["evolved"].leaves) > 50
    assert len(pickled) < (100_000 if kind is SmallTreeClassifier else 250_000)  # with a number per node
    assert (again.predict(X) == fitted.predict(X)).all()
    for name, front in fitted.fronts_.items():
        other = again.fronts_[name]
        assert (other.leaves == front.leaves).all()
        assert all(other.tree(size) == front.tree(size) for size in front.leaves[::10].tolist())


def test_rules_for_the_size(fast):
    noisy = X + np.random.default_rng(0).normal(size=X.shape)
    sizes = [quick(size_rule=rule).fit(noisy, y).get_n_leaves() for rule in ("min", None, "1-se", 5.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]
