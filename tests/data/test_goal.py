"""What is learned: weights of classes, costs and directions, checked and in integers."""

import numpy as np
import pytest

from gatree.base.errors import SettingError
from gatree.data.catalog import load_dataset
from gatree.data.goal import Goal, SampleWeights, check_directions


def test_integer_weights_are_unchanged():
    zoo = load_dataset("zoo")
    assert Goal.of(zoo, None).class_weights.tolist() == [1] * 7
    assert Goal.of(zoo, {"bird": 5, "fish": 0.0}).class_weights.tolist() == [1, 5, 1, 0, 1, 1, 1]


def test_fractional_weights_keep_their_ratios_in_integer_units():
    data = load_dataset("credit-a")
    third = Goal.of(data, {"+": 1 / 3}).class_weights
    assert third[0] / third[1] == pytest.approx(1 / 3, abs=1e-6)
    balanced = Goal.of(data, "balanced").class_weights
    sums = balanced * data.class_counts
    assert sums[0] == pytest.approx(sums[1], rel=1e-6)
    assert sums.sum() <= 2**31 - 1
    large = Goal.of(data, {"+": 1e6 + 0.5, "-": 1.0}).class_weights
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
        Goal.of(load_dataset("zoo"), weights)


def test_gains_are_what_a_label_saves_compared_with_the_most_expensive_one():
    vote = load_dataset("vote")
    costs = np.array([[0.0, 3.0], [1.0, 0.0]])
    assert Goal.of(vote, costs=costs).gains.tolist() == [[3, 0], [0, 1]]
    assert Goal.of(vote, {vote.class_values[0]: 2.0}, costs).gains.tolist() == [[6, 0], [0, 1]]
    fractions = Goal.of(vote, costs=costs / 3).gains
    assert fractions[0, 0] / fractions[1, 1] == pytest.approx(3, rel=1e-5)
    with pytest.raises(SettingError, match="costs: all labels cost the same"):
        Goal.of(vote, costs=np.ones((2, 2)))


def test_sample_weights_count_like_copies_of_rows():
    vote = load_dataset("vote")
    weights = SampleWeights(np.arange(vote.n_instances) % 3)
    balanced = Goal.of(vote, "balanced", sample_weights=weights).class_weights
    assert balanced.tolist() == Goal.of(weights.repeated(vote), "balanced").class_weights.tolist()


def test_numbers_are_worth_the_same_everywhere():
    glass = load_dataset("glass")
    goal = Goal.of(glass.with_numbers(glass.columns[0]))
    assert (goal.class_weights.tolist(), goal.gains, goal.is_plain) == ([1], None, True)


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
        Goal.of(load_dataset("vote"), costs=costs)


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
