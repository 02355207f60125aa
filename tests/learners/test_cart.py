"""CART as a baseline: its prunings against scikit-learn's, and its choice among them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from gatree.data.dataset import Dataset
from gatree.learners.cart import _SEED, _Cart, fit_cart


def noisy_rule(n, noise, rng):
    X = rng.random((n, 4))
    rule = (X[:, 0] > 0.5) & (X[:, 1] < 0.6)
    return X, (rule ^ (rng.random(n) < noise)).astype(int)


@pytest.mark.parametrize("is_number", [False, True])
def test_every_price_gives_the_pruning_of_scikit_learn(is_number):
    rng = np.random.default_rng(0)
    X, y = noisy_rule(400, 0.2, rng)
    target = y + X[:, 2] if is_number else y
    kind = DecisionTreeRegressor if is_number else DecisionTreeClassifier
    tree, unseen, answers = _Cart(X, target, is_number), rng.random((200, 4)), rng.integers(0, 2, 200)
    worths = tree.worths(unseen, answers, tree.prices)
    for price, worth in zip(tree.prices.tolist(), worths.tolist(), strict=True):
        tree.price = price
        theirs = kind(random_state=_SEED, ccp_alpha=min(price, 1e9)).fit(X, target)
        assert tree.n_leaves == theirs.get_n_leaves()
        given = tree.predict(unseen)
        assert given == pytest.approx(theirs.predict(unseen))
        expected = -((given - answers) ** 2).sum() if is_number else (given == answers).sum()
        assert worth == pytest.approx(expected)


def test_the_highest_price_is_a_single_leaf_in_the_trees_of_all_folds():
    rng = np.random.default_rng(0)
    X, y = noisy_rule(400, 0.0, rng)
    noise, clear = (_Cart(X, target, False) for target in (rng.integers(0, 2, 400), y))
    clear.price = float(noise.prices[-1])
    assert clear.n_leaves == 1


def test_the_small_tree_of_a_rule_is_found_below_hundreds_of_prunings():
    X, y = noisy_rule(4000, 0.1, np.random.default_rng(0))
    frame = pd.DataFrame(X).rename(columns=str).assign(target=y.astype(str))
    assert fit_cart(Dataset.from_frame(frame, "target")).leaves == 3


def test_numbers_that_differ_in_their_last_digits_are_told_apart():
    numbers = 2.0**52 + np.arange(100.0)
    frame = pd.DataFrame({"a": numbers, "target": np.where(np.arange(100) < 37, "x", "y")})
    data = Dataset.from_frame(frame, "target")
    fitted = fit_cart(data)
    assert fitted.leaves == 2
    assert fitted.judge(data).n_correct == 100
