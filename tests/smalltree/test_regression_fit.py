"""Fronts of regression trees: never below CART, whatever the target, the order and the copies of the rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.tree import DecisionTreeRegressor
from small_searches import FAST_NUMBERS

from gatree.base.errors import DataError
from gatree.data.dataset import Dataset
from gatree.smalltree.fit import fit_front
from gatree.smalltree.front import plot_fronts
from gatree.smalltree.settings import RegressionSettings
from gatree.smalltree.task import integers
from gatree.trees.numbers import shrunken

FAST = replace(FAST_NUMBERS, min_leaves=(5,))
OF_ANY_SIZE = replace(FAST, size=40)
ONES = np.ones(1000, dtype=np.int64)


def dataset_of(X, y) -> Dataset:
    return Dataset.from_frame(pd.DataFrame(X).rename(columns=str).assign(y=y), "y").with_numbers(y)


@pytest.mark.parametrize("data", ["diabetes", "friedman"])
def test_no_size_explains_less_than_cart(data):
    X, y = load_diabetes(return_X_y=True) if data == "diabetes" else make_friedman1(300, random_state=0)
    front = fit_front(dataset_of(X, y), OF_ANY_SIZE).fronts["evolved"]
    carts = [
        DecisionTreeRegressor(max_leaf_nodes=n, min_samples_leaf=5, random_state=0) for n in range(2, 41, 2)
    ]
    grown = DecisionTreeRegressor(min_samples_leaf=5, random_state=0)
    prices = grown.cost_complexity_pruning_path(X, y).ccp_alphas[::-4]
    carts += [DecisionTreeRegressor(ccp_alpha=p, min_samples_leaf=5, random_state=0) for p in prices.clip(0)]
    n_compared = 0
    for cart in carts:
        n_leaves = cart.fit(X, y).get_n_leaves()
        if n_leaves <= front.leaves[-1]:
            place = int(np.searchsorted(front.leaves, n_leaves, side="right")) - 1
            assert front.r2[place] >= cart.score(X, y) - 1e-9
            n_compared += 1
    assert n_compared > 20


@pytest.mark.parametrize("unit", [1e-200, 1e155])
def test_neither_the_unit_nor_the_sign_of_a_target_matters(unit):
    X, y = make_friedman1(120, n_features=5, random_state=1)
    found = [fit_front(dataset_of(X, numbers), FAST) for numbers in (y, unit * y, -unit * y)]
    for other in found[1:]:
        assert other.n_leaves == found[0].n_leaves
        np.testing.assert_allclose(other.fronts["evolved"].r2, found[0].fronts["evolved"].r2)
        np.testing.assert_allclose(other.fronts["evolved"].validated, found[0].fronts["evolved"].validated)


def test_a_front_has_the_r2_of_its_trees():
    X, y = load_diabetes(return_X_y=True)
    dataset = dataset_of(X, y)
    front = fit_front(dataset, OF_ANY_SIZE).fronts["evolved"]
    for n_leaves in (1, 5, 20):
        tree = front.tree(n_leaves)
        _, numbers = front.tree_and_numbers(n_leaves)
        given = numbers[tree.apply(dataset)]
        place = int(np.searchsorted(front.leaves, n_leaves))
        assert front.r2[place] == pytest.approx(1 - ((y - given) ** 2).sum() / ((y - y.mean()) ** 2).sum())
        labels = np.array([float(tree.class_values[v]) for v in tree.predict(dataset)])
        assert labels == pytest.approx(given, rel=1e-5)
    assert plot_fronts({"evolved": front}, Figure().subplots()).get_ylabel() == "R²"
    with pytest.raises(DataError, match="smallest tree of the front has 1 leaf, got 0"):
        front.tree(0)


def test_the_order_of_rows_does_not_matter_and_copies_are_held_out_together():
    X, y = make_friedman1(120, n_features=5, random_state=1)
    shuffled = np.random.default_rng(0).permutation(len(y))
    ours, theirs = (
        fit_front(dataset_of(X, y), FAST),
        fit_front(dataset_of(X[shuffled], y[shuffled]), FAST),
    )
    assert ours.n_leaves == theirs.n_leaves
    assert ours.fronts["evolved"].tree(8) == theirs.fronts["evolved"].tree(8)
    thrice = np.repeat(np.arange(len(y)), 3)
    copied = fit_front(dataset_of(X[thrice], y[thrice]), replace(FAST, min_leaves=(15,)))
    assert copied.fronts["evolved"].validated[-1] < 0.9  # as copies in other folds would not be


def test_three_leaves_are_proven_where_that_is_cheap():
    X, y = load_diabetes(return_X_y=True)
    settings = RegressionSettings(size=4, most_offspring=0, min_leaves=(5,))
    front = fit_front(dataset_of(X, y), settings).fronts["evolved"]
    assert front.proven[:3].all()
    hurried = fit_front(dataset_of(X, y), replace(FAST, size=4, work=1e6)).fronts["evolved"]
    assert hurried.proven.tolist() == [True, True, False, False]
    assert front.r2[2] >= hurried.r2[2]


def test_the_smallest_leaf_is_chosen_where_another_one_is_clearly_better():
    rng = np.random.default_rng(0)
    steps = np.repeat(np.arange(60.0), 3)  # three samples of each number
    fine = fit_front(dataset_of(steps.reshape(-1, 1), steps), FAST_NUMBERS)
    assert fine.min_leaf < 5
    noise = fit_front(dataset_of(rng.random((150, 4)), rng.normal(size=150)), FAST_NUMBERS)
    assert noise.min_leaf >= 5
    given = fit_front(dataset_of(steps.reshape(-1, 1), steps), FAST)
    assert given.min_leaf == 5


def test_leaves_are_shrunk_as_cross_validation_prefers():
    rng = np.random.default_rng(0)
    X = rng.random((150, 4))
    y = 3 * (X[:, 0] > 0.5) + rng.normal(size=150) * 3
    noisy = fit_front(dataset_of(X, y), FAST)
    assert noisy.shrinkage > 0
    clear = fit_front(dataset_of(X.round(), X[:, 0].round()), FAST)
    assert clear.shrinkage == 0
    assert clear.fronts["evolved"].tree(clear.n_leaves).n_leaves == 2
    dataset = dataset_of(X, y)
    plain = fit_front(dataset, replace(FAST, size=4)).fronts["evolved"]
    drawn = fit_front(dataset, replace(FAST, size=4, shrinkages=(30.0,))).fronts["evolved"]
    (tree, own), (other, shrunk) = (front.tree_and_numbers(4) for front in (plain, drawn))
    assert tree.tree.attribute.tolist() == other.tree.attribute.tolist()
    assert shrunk == pytest.approx(shrunken(tree.tree, tree.apply(dataset), own, 30.0))
    assert shrunk[0] == pytest.approx(y.mean())
    assert shrunk[1] - shrunk[0] == pytest.approx((own[1] - own[0]) * 150 / 180)


def test_data_without_anything_to_learn_give_a_leaf():
    constant = fit_front(dataset_of(np.arange(20.0).reshape(-1, 1), np.full(20, 3.5)), FAST)
    assert constant.fronts["evolved"].tree(constant.n_leaves).to_text().strip() == "3.5"
    untestable = fit_front(dataset_of(np.zeros((20, 1)), np.arange(20.0)), FAST)
    assert untestable.n_leaves == 1
    single = fit_front(dataset_of(np.zeros((1, 1)), np.ones(1)), FAST)
    assert single.n_leaves == 1
    some = np.where(np.arange(20) < 5, np.nan, 7.0)
    known = fit_front(dataset_of(np.arange(20.0).reshape(-1, 1), some), FAST)
    assert known.fronts["evolved"].tree(1).class_values == ("7",)
    with pytest.raises(DataError, match="no instance with a number"):
        fit_front(dataset_of(np.zeros((2, 1)), np.full(2, np.nan)), FAST)


def test_an_outlier_merges_no_other_numbers():
    rng = np.random.default_rng(0)
    plain = np.sort(rng.normal(size=999))
    assert len(np.unique(integers(np.append(plain, 1e6), ONES))) == 1000
    assert len(np.unique(integers(np.sort(rng.lognormal(0, 4, size=1000)), ONES))) == 1000
    X = np.arange(100.0).reshape(-1, 1)
    y = np.where(np.arange(100) < 50, 0.0, 1.0)
    y[99] = 1e9
    front = fit_front(dataset_of(X, y), replace(OF_ANY_SIZE, min_leaves=(1,))).fronts["evolved"]
    tree = front.tree(3)
    assert sorted(map(float, tree.class_values)) == [0, 1, 1e9]


def test_numbers_fit_into_exact_sums():
    for n in (1, 2, 1000, 2**20):
        target = np.sort(np.random.default_rng(n).normal(size=n)) * 1e300
        found = integers(target, np.ones(n, dtype=np.int64))
        assert int(np.abs(found).max()) * n <= 2**61
        assert (np.diff(found) >= 0).all() or (np.diff(found) <= 0).all()
