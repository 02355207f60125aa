"""Thresholds are printed with as few digits as send every row the same way."""

import numpy as np
import pandas as pd

from gatree.data.coding import Coding
from gatree.data.dataset import Dataset
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree
from gatree.trees.named_tree import rounded


def tree_at(*thresholds, values):
    dataset = Dataset.from_frame(pd.DataFrame({"x": values, "y": ["a", "b"] * (len(values) // 2)}))
    coding = Coding.of(dataset.attributes, [np.array(thresholds)])
    shape = (0, 0, 0, 1) if len(thresholds) == 1 else (0, 0, 0, (0, 1, 1, 0))
    return DecisionTree.of(Tree.nested(shape), coding, dataset), dataset


def test_noise_of_floats_is_gone():
    tree, dataset = tree_at(49259.630000000005, values=[49259.62, 49259.64])
    assert rounded(tree, dataset).to_text().startswith("x <= 49259.63:")


def test_rows_stay_where_they_are():
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = rng.normal(size=40) * 10.0 ** rng.integers(-8, 9)
        cut = float(np.sort(values)[[19, 20]].mean())
        tree, dataset = tree_at(cut, values=values)
        short = rounded(tree, dataset)
        assert short.apply(dataset).tolist() == tree.apply(dataset).tolist()
        assert len(repr(short.threshold(0))) <= len(repr(cut))


def test_thresholds_in_the_same_gap_stay_apart():
    tree, dataset = tree_at(5.00001, 5.00002, values=[1.0, 9.0])
    assert rounded(tree, dataset).coding.thresholds[0].tolist() == [5.00001, 5.00002]
