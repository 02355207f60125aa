import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from example_trees import animal_tree
from sklearn.tree import DecisionTreeClassifier, export_text

from gatree.data.attribute import Attribute
from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import DecisionTree
from gatree.trees.model import export_text as gatree_export_text
from gatree.trees.render import FAILED, PASSED

PLAIN = """\
legs <= 3
|   skin = feathers: bird (2)
|   skin != feathers: fish (2)
legs > 3
|   skin = fur: mammal (2)
|   skin != fur: fish (2)
"""

SKLEARN = """\
|--- legs <= 3.0
|   |--- skin = feathers
|   |   |--- class: bird
|   |--- skin != feathers
|   |   |--- class: fish
|--- legs >  3.0
|   |--- skin = fur
|   |   |--- class: mammal
|   |--- skin != fur
|   |   |--- class: fish
"""


def test_plain_text():
    assert animal_tree().to_text() == PLAIN


def test_plain_text_shows_wrong_instances_and_can_leave_counts_out():
    assert animal_tree((0, 1, 1, 0)).to_text() == "legs <= 3: bird (4/2)\nlegs > 3: mammal (4/2)\n"
    assert animal_tree((0, 1, 1, 0)).to_text(show_counts=False) == "legs <= 3: bird\nlegs > 3: mammal\n"
    assert replace(animal_tree((0, 1, 1, 0)), counts=None).to_text().startswith("legs <= 3: bird\n")


def test_a_single_leaf():
    assert animal_tree(2).to_text() == "fish (8/4)\n"
    assert animal_tree(2).to_text(style="sklearn", show_counts=False) == "|--- class: fish\n"


def test_scikit_learns_layout_with_nominal_tests():
    assert animal_tree().to_text(style="sklearn", decimals=1, show_counts=False) == SKLEARN
    assert gatree_export_text(animal_tree(), decimals=1) == SKLEARN


@pytest.mark.parametrize("show_counts", [False, True])
def test_the_same_text_as_scikit_learn_for_the_same_tree(show_counts: bool):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, (80, 3)).astype(np.float64)
    y = (X[:, 0] + X[:, 1] > 20).astype(np.int32) + (X[:, 2] > 10)
    frame = pd.DataFrame(X, columns=["a", "long name", "c"])
    fitted = DecisionTreeClassifier(max_depth=5, random_state=0).fit(frame, y)
    theirs = export_text(fitted, feature_names=list(frame), decimals=2, show_weights=show_counts)
    assert gatree_export_text(fitted, decimals=2, show_weights=show_counts) == theirs


def test_deep_trees_do_not_exhaust_the_stack():
    depth = 3000
    genome = Tree(
        attribute=np.array([0, LEAF] * depth + [LEAF], dtype=np.int32),
        value=np.zeros(2 * depth + 1, dtype=np.int32),
        span=np.array([n for k in range(depth) for n in (2 * (depth - k) + 1, 1)] + [1], dtype=np.int32),
    )
    model = replace(animal_tree((0, 1, 1, 0)), tree=genome, counts=None)
    assert model.to_text().count("\n") == 2 * depth
    assert model.to_text(style="sklearn").count("class:") == depth + 1
    assert DecisionTree.from_json(model.to_json()).depth == depth


def test_dot_has_every_node_and_branch_and_escapes_quotes():
    quoted = replace(animal_tree(), class_attribute=Attribute("kind", "nominal", ('"m"', "b\\ird", "fish")))
    dot = quoted.to_dot()
    assert re.findall(r'(\d) -> (\d) \[label="(.)"\]', dot) == [
        ("0", "1", PASSED),
        ("0", "4", FAILED),
        ("1", "2", PASSED),
        ("1", "3", FAILED),
        ("4", "5", PASSED),
        ("4", "6", FAILED),
    ]
    assert r'2 [label="b\\ird\n[0, 2, 0]", fillcolor="#f5851880"];' in dot
    assert r'5 [label="\"m\"\n[2, 0, 0]"' in dot
    assert r'0 [label="legs <= 3\n[2, 2, 4]"];' in dot
