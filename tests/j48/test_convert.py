"""J48 trees converted to `DecisionTree` predict the same for instances without missing values."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest
from j48_cases import generated

from gatree.base.errors import DataError
from gatree.data.attribute import missing
from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.dataset import Dataset
from gatree.j48 import J48Settings, J48Tree, fit, from_decision_tree

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


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize(("name", "pruning"), list(zip(dataset_names(), cycle(PRUNINGS), strict=False)))
def test_included_data_sets(name: str, binary: bool, pruning: str):
    dataset = load_dataset(name)
    tree = fit(dataset, J48Settings(binary_splits=binary, pruning=pruning))
    check(tree, complete(dataset))
    if binary:
        assert tree.to_decision_tree().n_nodes == tree.size


@pytest.mark.parametrize("binary", [True, False])
def test_generated_data_sets(binary: bool):
    for number in range(0 if binary else 4, 400, 8):
        dataset = generated(number)
        check(fit(dataset, J48Settings(binary_splits=binary, min_instances=1)), complete(dataset))


def test_counts_equal_those_of_the_training_instances():
    dataset = load_dataset("zoo")
    for binary in (True, False):
        tree = fit(dataset, J48Settings(binary_splits=binary)).to_decision_tree()
        assert tree.counts.tolist() == tree.with_counts(dataset).counts.tolist()


@pytest.mark.parametrize(("name", "pruning"), list(zip(dataset_names(), cycle(PRUNINGS[:2]), strict=False)))
def test_conversion_and_back_gives_the_same_tree(name: str, pruning: str):
    """The trees include missing values, empty leaves and raised subtrees."""
    dataset = load_dataset(name)
    tree = fit(dataset, J48Settings(pruning=pruning))
    back = from_decision_tree(tree.to_decision_tree(), dataset)
    assert back.to_text() == tree.to_text()
    assert np.allclose(back.distribution(dataset), tree.distribution(dataset))


def test_a_branch_for_every_value_is_converted_to_a_chain():
    dataset = complete(load_dataset("lymph"))
    tree = fit(dataset, J48Settings(binary_splits=False))
    back = from_decision_tree(tree.to_decision_tree(), dataset)
    assert back.size > tree.size
    assert back.predict(dataset).tolist() == tree.predict(dataset).tolist()


def test_errors_of_the_conversion():
    zoo, vote = load_dataset("zoo"), load_dataset("vote")
    with pytest.raises(DataError, match="vote: the attributes are not those"):
        from_decision_tree(fit(zoo).to_decision_tree(), vote)
    with pytest.raises(DataError, match="no instance has a class"):
        from_decision_tree(fit(zoo).to_decision_tree(), zoo.take(np.arange(0)))
