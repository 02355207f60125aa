"""GATreeClassifier: the size chosen from the data, given, or left to the penalty."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from gatree import GATreeClassifier, plot_fronts
from gatree.front.settings import FrontSettings
from gatree.settings.evolution_settings import EvolutionSettings

X, y = load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def fast() -> GATreeClassifier:
    return GATreeClassifier("fast", random_state=0).fit(X, y)


def test_by_default_the_data_choose(fast):
    assert isinstance(fast.settings_, FrontSettings)
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
    assert (chosen.predict(_data(fast)) == fast.tree_.predict(_data(fast))).all()
    assert fast.fronts_["evolved"].tree(3).n_leaves == 3
    assert any(line.get_label() == "chosen" for line in plot_fronts(fast).lines)


def _data(fitted):
    return fitted._dataset(X)


def test_pickle_clone_and_the_same_seed_give_the_same_tree(fast):
    assert pickle.loads(pickle.dumps(fast)).tree_ == fast.tree_
    assert clone(fast).fit(X, y).tree_ == fast.tree_


def test_the_most_leaves_can_be_given():
    fitted = GATreeClassifier("fast", size=3, random_state=0).fit(X, y)
    assert fitted.get_n_leaves() == 3
    assert fitted.fronts_["evolved"].leaves.max() == 3


def test_rules_for_the_size():
    errors = {None: 0.5, "min": 0.0, "1-se": 1.0, 0.25: 0.25}
    for rule, expected in errors.items():
        fitted = GATreeClassifier("fast", size_rule=rule, random_state=0).fit(X, y)
        assert fitted.settings_.standard_errors == expected
    with pytest.raises(ValueError, match="size_rule must be one of 'min', '1-se', or a number"):
        GATreeClassifier(size_rule="2-se").fit(X, y)
    with pytest.raises(ValueError, match="size_rule must be one of"):
        GATreeClassifier(size_rule="2-se", size="penalty").fit(X, y)


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


@pytest.mark.parametrize("size", [0, -3, 2.5, "small", True])
def test_other_sizes_are_refused(size):
    with pytest.raises(ValueError, match="size must be 'auto', a maximum number of leaves"):
        GATreeClassifier(size=size).fit(X, y)


def test_a_chosen_size_and_settings_of_the_penalty_exclude_each_other():
    with pytest.raises(ValueError, match="x_factor requires size='penalty'"):
        GATreeClassifier(size="auto", x_factor=1e4).fit(X, y)
    with pytest.raises(ValueError, match="preset 'paper' requires size='penalty'"):
        GATreeClassifier("paper", size=5).fit(X, y)


def test_small_leaves_large_trees_and_class_weights_are_heeded():
    assert GATreeClassifier("fast", max_nodes=3, random_state=0).fit(X, y).get_n_leaves() == 2
    fitted = GATreeClassifier("fast", size=8, min_samples_leaf=20, random_state=0).fit(X, y)
    assert np.unique(fitted.apply(X), return_counts=True)[1].min() >= 20
    heavy = GATreeClassifier("fast", size=1, class_weight={2: 5}, random_state=0).fit(X, y)
    assert set(heavy.predict(X)) == {2}
