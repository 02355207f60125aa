"""A small data set with both kinds of attributes and missing values, and a tree on it."""

from __future__ import annotations

import numpy as np

from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree

NAN = float("nan")


def animals() -> Dataset:
    return Dataset(
        name="animals",
        attributes=(
            Attribute("legs", "numeric"),
            Attribute("skin", "nominal", ("fur", "feathers", "scales")),
            Attribute("weight", "numeric"),
        ),
        columns=(
            np.array([4.0, 2.0, 0.0, 4.0, 2.0, NAN, 6.0, 0.0]),
            np.array([0, 1, 2, 0, 1, 2, -1, -1], dtype=np.int32),
            np.array([30.0, 0.1, 1.0, 4.0, 2.5, 0.3, NAN, 0.7]),
        ),
        answer=Classes(
            Attribute("kind", "nominal", ("mammal", "bird", "fish")),
            np.array([0, 1, 2, 0, 1, 2, 2, 2], dtype=np.int32),
        ),
        answer_position=3,
    )


def animal_tree(shape: object = (0, 1, (1, 1, 1, 2), (1, 0, 0, 2))) -> DecisionTree:
    """By default: legs <= 3, then feathers or fur. The thresholds of legs are 1, 3 and 5."""
    dataset = animals()
    return DecisionTree.of(Tree.nested(shape), code(dataset, "observed"), dataset)
