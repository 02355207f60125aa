"""The methods that build a tree: each by its name, on classes or on numbers."""

import numpy as np
import pandas as pd
import pytest

from gatree.base.errors import DataError
from gatree.data.catalog import load_dataset
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal
from gatree.learners.fitted import Fitted
from gatree.learners.registry import LEARNERS, learners_of


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((120, 3)), columns=["a", "b", "c"])
    data = Dataset.from_frame(frame.assign(d="x", y="z"), "y")
    return data.with_numbers(10.0 * (frame["a"] > 0.5) + frame["b"].to_numpy() / 10)


@pytest.mark.parametrize("name", ["j48", "j48-reduced-error", "cart", "majority", "small-tree", "evolution"])
def test_a_method_for_classes_counts_what_its_tree_gets_right(name):
    data = load_dataset("zoo")
    fitted = LEARNERS[name](data)
    n_right = int((fitted.predict(data) == data.classes).sum())
    judged = fitted.judge(data)
    assert (judged.n, judged.n_correct) == (101, n_right)
    assert n_right > (40 if name == "majority" else 60)


@pytest.mark.parametrize("name", ["cart", "small-tree", "mean"])
def test_a_method_for_numbers_has_the_errors_of_its_tree(name, numbers):
    fitted = LEARNERS[name](numbers)
    missed = fitted.predict(numbers) - numbers.answer.values
    judged = fitted.judge(numbers)
    assert judged.rmse == pytest.approx(np.sqrt((missed**2).mean()))
    assert judged.mae == pytest.approx(np.abs(missed).mean())
    assert judged.worth == pytest.approx(1 - (missed**2).mean() / numbers.answer.values.var())
    assert fitted.leaves == 1 if name == "mean" else judged.worth > 0.99


def test_other_answers_are_refused_with_the_methods_that_fit(numbers):
    assert learners_of(numbers) == ["small-tree", "cart", "mean"]
    with pytest.raises(DataError, match=r"J48 predicts classes, and .* numbers; .*: small-tree, cart, mean"):
        LEARNERS["j48"](numbers)


@pytest.fixture(scope="module")
def rare():
    """A goal of which rows of a rare class are worth most."""
    data = load_dataset("zoo")
    return Goal.of(data, {"reptile": 50.0})


@pytest.mark.parametrize("name", ["majority", "small-tree"])
def test_a_method_with_goals_gets_the_rows_right_that_are_worth_most(name, rare):
    data = load_dataset("zoo")
    reptile = data.class_values.index("reptile")
    given = LEARNERS[name](data, rare).predict(data)
    assert (given[data.classes == reptile] == reptile).all()


def test_a_method_without_goals_refuses_class_weights(rare):
    with pytest.raises(DataError, match="J48 has neither class weights nor costs"):
        LEARNERS["j48"](load_dataset("zoo"), rare)


def test_numbers_that_are_all_equal_are_explained_only_by_themselves(numbers):
    constant = numbers.with_numbers(np.full(120, 7.0))
    for given, r2 in ((7.0, 1.0), (8.0, 0.0)):
        assert (
            Fitted(1, 1, lambda data, given=given: np.full(data.n_instances, given)).judge(constant).worth
            == r2
        )
