"""J48 trees converted to `DecisionTree` predict the same, with and without missing values."""

from itertools import cycle

import numpy as np
import pytest
from j48_cases import generated

from gatree.data.attribute import missing
from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.dataset import Dataset
from gatree.j48 import J48Settings, J48Tree, evaluate, fit
from gatree.j48.classifier import split
from gatree.trees.model import DecisionTree

PRUNINGS = ("confidence", "none", "reduced-error")


def complete(dataset: Dataset) -> Dataset:
    """Return the instances without missing values."""
    holes = np.any([missing(column) for column in dataset.columns], axis=0)
    return dataset.take(np.flatnonzero(~holes))


def check(tree: J48Tree, dataset: Dataset) -> None:
    converted = tree.to_decision_tree()
    ours, theirs = converted.predict(dataset), tree.predict(dataset)
    comparable = theirs >= 0
    for column, thresholds in zip(dataset.columns, converted.coding.thresholds, strict=True):
        for threshold in thresholds:  # J48 treats numbers closer than 1e-6 as equal
            comparable &= ~((column > threshold) & (column < threshold + 2e-6))
    assert comparable.any() or dataset.n_instances == 0, dataset.name
    assert ours[comparable].tolist() == theirs[comparable].tolist(), dataset.name


def assert_equal_probabilities(tree: J48Tree, saved: DecisionTree, dataset: Dataset) -> None:
    theirs = tree.distribution(dataset)
    classified = theirs.sum(axis=1) > 0
    ours = saved.spread(dataset)
    assert np.allclose(ours[classified], theirs[classified], atol=1e-12), dataset.name
    # rounding decides between classes of one probability
    best = np.sort(theirs, axis=1)
    clear = classified & (best[:, -1] - best[:, -2] > 1e-9)
    assert saved.predict(dataset)[clear].tolist() == tree.predict(dataset)[clear].tolist()


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize(("name", "pruning"), list(zip(dataset_names(), cycle(PRUNINGS), strict=False)))
def test_included_data_sets(name: str, binary: bool, pruning: str):
    dataset = load_dataset(name)
    tree = fit(dataset, J48Settings(binary_splits=binary, pruning=pruning, laplace=name == "soybean"))
    converted = tree.to_decision_tree()
    check(tree, complete(dataset))
    assert_equal_probabilities(tree, DecisionTree.from_json(converted.to_json()), dataset)
    if binary:
        assert converted.n_nodes == tree.size
    if name == "zoo":
        assert converted.counts.tolist() == converted.with_counts(dataset).counts.tolist()


@pytest.mark.parametrize("binary", [True, False])
def test_generated_data_sets(binary: bool):
    for number in range(0 if binary else 4, 400, 8):
        dataset = generated(number)
        tree = fit(dataset, J48Settings(binary_splits=binary, min_instances=1))
        check(tree, complete(dataset))
        assert_equal_probabilities(tree, tree.to_decision_tree(), dataset)


@pytest.mark.parametrize(
    ("name", "n_correct"),
    [("credit-a", 283), ("breast", 102), ("vote", 211), ("lymph", 55), ("anneal", 429), ("soybean", 18)],
)
def test_a_saved_tree_of_half_of_the_data_predicts_the_rest_as_weka_does(name: str, n_correct: int):
    """WEKA 3.6.14 with the options -B -t datasets/NAME.arff -split-percentage 50."""
    train, test = split(load_dataset(name), 50)
    tree = fit(train)
    saved = DecisionTree.from_json(tree.to_decision_tree().to_json())
    assert evaluate(tree, test).n_correct == n_correct
    assert (saved.predict(test) == test.classes).sum() == n_correct
