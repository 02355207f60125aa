"""Trees as objects: the frame of their nodes, the condition of a node, and trees that end earlier."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from example_trees import animal_tree, animals

from gatree import DecisionTree, load_dataset, plot_tree
from gatree.base.errors import ConfigError, DataError
from gatree.j48 import fit
from gatree.trees.genome import LEAF, Tree
from gatree.trees.numbers import NodeNumbers
from gatree.trees.spread import SpreadWeights


def numbers_tree() -> DecisionTree:
    """A regression tree of animals: what its leaves predict is shrunk by a half."""
    tree, target = animal_tree(), np.array([1.0, 2.0, 4.0, 5.0, 6.0, 8.0, 9.0, 3.0])
    numbers = NodeNumbers.of(tree.tree, tree.apply(animals()), target)
    shrunk = numbers.mean[0] + (numbers.mean - numbers.mean[0]) / 2
    return replace(tree.with_numbers(shrunk), numbers=numbers, counts=None)


def test_a_frame_has_a_row_per_node():
    frame = animal_tree().to_frame()
    assert frame.index.tolist() == [*range(7)]
    assert frame.index.name == "node"
    assert frame.depth.tolist() == [0, 1, 2, 2, 1, 2, 2]
    assert frame.parent[1:].tolist() == [0, 1, 1, 0, 4, 4]
    assert frame.parent.isna().tolist() == [True] + [False] * 6
    assert frame.test.dropna().to_dict() == {0: "legs <= 3", 1: "skin = feathers", 4: "skin = fur"}
    assert frame.rows.tolist() == [8, 4, 2, 2, 4, 2, 2]
    assert frame["rows(fish)"].tolist() == [4, 2, 0, 2, 2, 0, 2]
    assert frame.prediction.tolist() == ["fish", "bird", "bird", "fish", "mammal", "mammal", "fish"]
    without = replace(animal_tree(), counts=None).to_frame()
    assert list(without) == ["depth", "parent", "test", "prediction"]
    assert without.prediction.dropna().to_dict() == {2: "bird", 3: "fish", 5: "mammal", 6: "fish"}


def test_a_frame_of_numbers_has_means_and_deviations():
    tree = numbers_tree()
    frame = tree.to_frame()
    assert list(frame)[3:] == ["rows", "mean", "deviation", "prediction"]
    assert frame["mean"].tolist() == tree.numbers.mean.tolist()
    # Shrinkage keeps the weighted mean of the leaves, so that tests predict their shrunk means.
    assert frame.prediction.tolist() == pytest.approx(frame["mean"].iloc[0] / 2 + frame["mean"] / 2)


@pytest.mark.parametrize("node", range(7))
def test_the_query_of_a_node_picks_its_rows(node: int):
    tree, data = animal_tree(), animals()
    reached = tree.apply(data)
    here = (reached >= node) & (reached < node + tree.tree.span[node])
    assert data.to_frame().query(tree.query(node)).index.tolist() == np.flatnonzero(here).tolist()


def test_the_query_of_a_node_that_nothing_reaches_and_of_no_node():
    tree = animal_tree((0, 1, (0, 2, 0, 1), 2))  # legs <= 3, then legs <= 5
    assert tree.query(3) == "index in []"
    assert tree.query(2) == tree.query(1) == "`legs` <= 3"
    with pytest.raises(ConfigError, match="below 5, got 5"):
        tree.query(5)


@pytest.mark.parametrize("tree", [animal_tree(), numbers_tree()], ids=["classes", "numbers"])
def test_a_pruned_tree_is_a_tree_with_its_numbers(tree: DecisionTree):
    frame, cut = tree.to_frame(), tree.pruned(1)
    expected = frame.drop([2, 3]).reset_index(drop=True).rename_axis("node")
    expected.loc[1, "test"] = None
    expected["parent"] = pd.array([None, 0, 0, 2, 2], dtype="Int64")
    pd.testing.assert_frame_equal(cut.to_frame(), expected)
    assert DecisionTree.from_json(cut.to_json()).to_json() == cut.to_json()
    assert tree.pruned(0).n_nodes == 1
    assert tree.pruned(2) == tree
    with pytest.raises(ConfigError, match="below 7, got -1"):
        tree.pruned(-1)


def test_the_prediction_of_a_pruned_node_can_be_given():
    assert animal_tree().pruned(1, "mammal").label(1) == "mammal"
    assert numbers_tree().pruned(1, 2.5).prediction(1) == 2.5
    with pytest.raises(ConfigError, match="should be one of mammal, bird, fish, got 'brid'; did you mean"):
        animal_tree().pruned(1, "brid")
    with pytest.raises(DataError, match="say what the new leaf predicts"):
        replace(animal_tree(), counts=None).pruned(1)
    assert replace(animal_tree(), counts=None).pruned(1, "fish").label(1) == "fish"


def test_a_pruned_tree_of_j48_has_the_weights_of_its_leaves():
    tree = fit(load_dataset("vote")).to_decision_tree()
    node = int(np.flatnonzero(tree.tree.attribute != LEAF)[1])
    before, after = tree.weights, tree.pruned(node).weights
    assert isinstance(before, SpreadWeights)
    assert isinstance(after, SpreadWeights)
    below = [at for at in range(node, node + tree.tree.span[node]) if tree.tree.is_leaf(at)]
    assert after.classes[node].tolist() == pytest.approx(before.classes[below].sum(axis=0).tolist())
    data = load_dataset("vote")
    assert tree.pruned(node).predict(data).shape == (data.n_instances,)


def test_a_picture_of_the_upper_levels_says_what_is_below():
    for tree in (animal_tree(), numbers_tree()):
        shown = [text.get_text() for text in plot_tree(tree, max_depth=1).texts]
        assert [text.split("\n")[:2] for text in shown if "below" in text] == [
            ["skin = feathers", "… 2 leaves below"],
            ["skin = fur", "… 2 leaves below"],
        ]
        whole = [text.get_text() for text in plot_tree(tree, max_depth=2).texts]
        assert whole == [text.get_text() for text in plot_tree(tree).texts]
    top = [text.get_text() for text in plot_tree(animal_tree(), max_depth=0).texts]
    assert top == ["legs <= 3\n… 4 leaves below\n2 / 2 / 4"]
    deep = animal_tree((0, 0, (1, 0, (1, 1, 0, 1), 2), (0, 1, (1, 1, 1, 2), (0, 2, 0, 1))))
    assert sum("below" in text.get_text() for text in plot_tree(deep, max_depth=2).texts) == 3
    with pytest.raises(ConfigError, match="max_depth: should be 0 or more, got -1"):
        plot_tree(animal_tree(), max_depth=-1)


def test_the_frame_of_a_fitted_tree_fits_the_data():
    tree, data = fit(load_dataset("zoo")).to_decision_tree(), load_dataset("zoo")
    frame = tree.with_counts(data).to_frame()
    is_leaf = frame.test.isna()
    assert pd.Series(tree.apply(data)).value_counts().sort_index().to_dict() == {
        node: n for node, n in frame.rows[is_leaf].items() if n
    }


def test_a_node_without_samples_has_the_number_of_its_parent():
    tree = Tree.nested((0, 2, 0, (1, 0, (2, 0, 0, 0), 0)))  # no sample comes to node 3 and its leaves
    numbers = NodeNumbers.of(tree, np.array([6, 1, 6]), np.array([3.0, 9.0, 6.0]))
    assert numbers.n.tolist() == [3, 1, 2, 0, 0, 0, 2]
    assert numbers.mean.tolist() == [6.0, 9.0, 4.5, 4.5, 4.5, 4.5, 4.5]
    assert numbers.errors.tolist() == [18.0, 0.0, 4.5, 0.0, 0.0, 0.0, 4.5]
