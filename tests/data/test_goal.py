"""What is learned: weights of classes, costs and directions, checked and in integers."""

import numpy as np
import pytest

from gatree.base.errors import SettingError
from gatree.data.catalog import load_dataset
from gatree.data.goal import check_costs, check_directions, class_weights, gains_of


def test_integer_weights_are_unchanged():
    zoo = load_dataset("zoo")
    assert class_weights(zoo, None).tolist() == [1] * 7
    assert class_weights(zoo, {"bird": 5, "fish": 0.0}).tolist() == [1, 5, 1, 0, 1, 1, 1]


def test_fractional_weights_keep_their_ratios_in_integer_units():
    data = load_dataset("credit-a")
    third = class_weights(data, {"+": 1 / 3})
    assert third[0] / third[1] == pytest.approx(1 / 3, abs=1e-6)
    balanced = class_weights(data, "balanced")
    sums = balanced * data.class_counts
    assert sums[0] == pytest.approx(sums[1], rel=1e-6)
    assert sums.sum() <= 2**31 - 1
    large = class_weights(data, {"+": 1e6 + 0.5, "-": 1.0})
    assert (large * data.class_counts).sum() <= 2**31 - 1


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ({"birb": 2.0}, "class_weight: zoo has no class 'birb'; did you mean 'bird'"),
        (dict.fromkeys(load_dataset("zoo").class_values, 0.0), "no instance has a class with a weight"),
        ({"bird": 1e9}, "the weights of all instances add up to"),
        ({"bird": 1e9 + 0.5}, "the weights of all instances add up to"),
    ],
)
def test_invalid_weights_are_rejected(weights, complaint):
    with pytest.raises(SettingError, match=complaint):
        class_weights(load_dataset("zoo"), weights)


def test_gains_are_what_a_label_saves_compared_with_the_most_expensive_one():
    vote = load_dataset("vote")
    costs, ones = np.array([[0.0, 3.0], [1.0, 0.0]]), np.ones(2, dtype=np.int64)
    assert gains_of(vote, costs, ones).tolist() == [[3, 0], [0, 1]]
    assert gains_of(vote, costs, np.array([2, 1])).tolist() == [[6, 0], [0, 1]]
    fractions = gains_of(vote, costs / 3, ones)
    assert fractions[0, 0] / fractions[1, 1] == pytest.approx(3, rel=1e-5)
    with pytest.raises(SettingError, match="costs: all labels cost the same"):
        gains_of(vote, np.ones((2, 2)), ones)


@pytest.mark.parametrize(
    ("costs", "complaint"),
    [
        (np.zeros((1, 2)), r"costs: should have a row and a column per class, \(2, 2\), got \(1, 2\)"),
        (np.array([[0, -2.0], [1, 0]]), "costs: should be numbers from 0 to 1e.12, got -2"),
        (np.array([[0, np.nan], [1, 0]]), "costs: should be numbers from 0 to 1e.12, got nan"),
    ],
)
def test_costs_that_are_none_are_rejected(costs, complaint):
    with pytest.raises(SettingError, match=complaint):
        check_costs(costs, load_dataset("vote"))


@pytest.mark.parametrize(
    ("name", "directions", "complaint"),
    [
        ("balance-scale", [1, 0, 0, 0], "monotonic: needs two classes"),
        ("vote", np.eye(1, 16)[0], "is nominal"),
        ("vote", [1], "-1, 0 or 1 for each of 16"),
        ("credit-a", [2] * 15, "-1, 0 or 1 for each of 15"),
    ],
)
def test_directions_that_cannot_be_are_rejected(name, directions, complaint):
    with pytest.raises(SettingError, match=complaint):
        check_directions(np.array(directions, dtype=np.int8), load_dataset(name))
