import re
import time
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest
from example_trees import animal_tree, animals
from sklearn.tree import DecisionTreeClassifier, export_text

from gatree.base.errors import DataError
from gatree.data.attribute import Attribute
from gatree.trees.genome import LEAF
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


def test_plain_text_shows_wrong_instances_and_can_leave_counts_out():
    assert animal_tree().to_text() == PLAIN
    assert animal_tree(2).to_text() == "fish (8/4)\n"
    assert animal_tree((0, 1, 1, 0)).to_text() == "legs <= 3: bird (4/2)\nlegs > 3: mammal (4/2)\n"
    assert animal_tree((0, 1, 1, 0)).to_text(show_counts=False) == "legs <= 3: bird\nlegs > 3: mammal\n"
    assert replace(animal_tree((0, 1, 1, 0)), counts=None).to_text().startswith("legs <= 3: bird\n")


def test_scikit_learns_layout_with_nominal_tests():
    assert animal_tree().to_text(style="sklearn", decimals=1, show_counts=False) == SKLEARN
    assert gatree_export_text(animal_tree(), decimals=1) == SKLEARN
    assert animal_tree(2).to_text(style="sklearn", show_counts=False) == "|--- class: fish\n"


@pytest.mark.parametrize("show_counts", [False, True])
def test_the_same_text_as_scikit_learn_for_the_same_tree(show_counts: bool):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, (80, 3)).astype(np.float64)
    y = (X[:, 0] + X[:, 1] > 20).astype(np.int32) + (X[:, 2] > 10)
    frame = pd.DataFrame(X, columns=["a", "long name", "c"])
    fitted = DecisionTreeClassifier(max_depth=5, random_state=0).fit(frame, y)
    theirs = export_text(fitted, feature_names=list(frame), decimals=2, show_weights=show_counts)
    assert gatree_export_text(fitted, decimals=2, show_weights=show_counts) == theirs


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


def test_the_way_of_a_row_in_words():
    tree = animal_tree()
    assert tree.explain({"legs": 4, "skin": "fur"}) == (
        "legs is 4, above 3\nskin is fur\nso kind is mammal, as for 2 of the 2 training instances here\n"
    )
    assert replace(tree, counts=None).explain({"legs": 2.0, "skin": None}) == (
        "legs is 2.0, at most 3\nskin is missing, so not feathers\nso kind is fish\n"
    )


@pytest.mark.parametrize("hole", [{}, {"legs": None}, {"legs": np.nan}, {"legs": pd.NA}, {"legs": pd.NaT}])
def test_what_is_missing_is_said_so(hole):
    assert animal_tree().explain(hole).startswith("legs is missing, so not at most 3\n")


def test_rows_of_frames_come_to_the_class_that_the_tree_gives():
    dataset, tree = animals(), animal_tree()
    labels = [tree.class_values[index] for index in tree.predict(dataset)]
    for (_, row), label in zip(dataset.to_frame().iterrows(), labels, strict=True):
        assert f"so kind is {label}, " in tree.explain(row)


def test_text_where_a_number_is_needed_is_refused():
    with pytest.raises(DataError, match="compares 'legs' with numbers, but the row has 'four'"):
        animal_tree().explain({"legs": "four"})


def date_tree():
    """Up to 1970-01-02 a mammal, later a bird."""
    tree = animal_tree((0, 1, 0, 1))
    day = Attribute("born", "numeric", date_format="yyyy-MM-dd")
    thresholds = (np.array([86_400_000.0]), *tree.coding.thresholds[1:])
    return replace(
        tree,
        attributes=(day, *tree.attributes[1:]),
        coding=replace(tree.coding, thresholds=thresholds),
        counts=None,
    )


def test_dates_are_shown_as_dates():
    tree = date_tree()
    assert tree.to_text() == "born <= 1970-01-02: mammal\nborn > 1970-01-02: bird\n"
    words = tree.explain({"born": pd.Timestamp("1970-01-01")})
    assert words == "born is 1970-01-01 00:00:00, at most 1970-01-02\nso kind is mammal\n"


@pytest.fixture(params=["EST5", "JST-9"])
def elsewhere(request, monkeypatch):
    """The clock of New York, and of Tokyo."""
    with monkeypatch.context() as context:
        context.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("born", "kind"),
    [
        (datetime(1970, 1, 2), "mammal"),
        (datetime(1970, 1, 2, 0, 1), "bird"),
        (pd.Timestamp("1970-01-02"), "mammal"),
        (datetime(1970, 1, 2, tzinfo=timezone(timedelta(hours=-5))), "bird"),
        (datetime(1970, 1, 2, 5, tzinfo=timezone(timedelta(hours=5))), "mammal"),
    ],
)
@pytest.mark.usefixtures("elsewhere")
def test_dates_without_a_zone_are_in_utc_wherever_the_clock_is(born, kind):
    assert date_tree().explain({"born": born}).endswith(f"so kind is {kind}\n")


def milk_tree(values: tuple[str, str] = ("false", "true"), tested: int = 0) -> DecisionTree:
    """Fish if the other of two values holds, else mammal or bird by their legs."""
    legs = Attribute("legs", "numeric")
    kinds = Attribute("kind", "nominal", ("mammal", "bird", "fish"))
    attributes = (legs, Attribute("milk", "nominal", values))
    return DecisionTree.of_nodes([1, 0, LEAF, LEAF, LEAF], [tested, 5, 0, 1, 2], attributes, kinds)


@pytest.mark.parametrize("values", [("false", "true"), ("n", "y"), ("0", "1"), ("NO", "Yes")])
def test_of_two_values_the_true_one_is_shown_first(values: tuple[str, str]):
    without, with_it = values
    assert milk_tree(values).to_text() == (
        f"milk = {with_it}: fish\nmilk = {without}\n|   legs <= 5: mammal\n|   legs > 5: bird\n"
    )
    assert milk_tree(values, 1).to_text() == (
        f"milk = {with_it}\n|   legs <= 5: mammal\n|   legs > 5: bird\nmilk = {without}: fish\n"
    )
    assert milk_tree(values).to_dot().count(f"milk = {with_it}") == 1
    assert f'0 -> 4 [label="{PASSED}"]' in milk_tree(values).to_dot()


def test_two_other_values_are_shown_as_the_tree_tests_them():
    assert milk_tree(("cold", "hot"), 1).to_text().splitlines()[0] == "milk = hot"
    assert milk_tree(("cold", "hot"), 1).to_text().splitlines()[-1] == "milk = cold: fish"
    assert milk_tree(("cold", "hot")).to_text().splitlines()[0] == "milk = cold"


def test_two_values_are_named_in_explanations_and_rules():
    assert milk_tree().explain({"milk": "true"}).splitlines() == ["milk is true", "so kind is fish"]
    assert milk_tree().explain({"milk": "maybe"}).splitlines()[0] == "milk is maybe, not false"
    assert milk_tree().to_rules().splitlines()[-1] == "IF (milk = true OR milk is missing) THEN kind = fish"
    assert "**milk** is true (or missing): kind is **fish**" in milk_tree().to_markdown()
