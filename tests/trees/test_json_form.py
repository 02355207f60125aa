import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from example_trees import animal_tree, animals
from hypothesis import given
from hypothesis import strategies as st

from gatree.base.errors import DataError
from gatree.data.attribute import Attribute
from gatree.trees.model import DecisionTree

NUMERIC = st.tuples(st.sampled_from([0, 2]), st.integers(0, 2))
NOMINAL = st.tuples(st.just(1), st.integers(0, 2))
SHAPES = st.recursive(
    st.integers(0, 2),
    lambda below: st.tuples(NUMERIC | NOMINAL, below, below).map(lambda node: (*node[0], node[1], node[2])),
    max_leaves=12,
)


@given(SHAPES, st.booleans())
def test_reads_back_an_equal_tree(shape: object, with_counts: bool):
    model = animal_tree(shape)
    model = model if with_counts else replace(model, counts=None)
    read = DecisionTree.from_json(model.to_json())
    assert read.to_json() == model.to_json()
    assert read == model
    assert read.predict(animals()).tolist() == model.predict(animals()).tolist()


def test_thresholds_names_of_any_script_and_dates_survive():
    model = animal_tree((0, 1, 0, 1))
    thresholds = (np.array([0.1 + 0.2]), *model.coding.thresholds[1:])
    odd = Attribute('"größe"\n\u2028', "numeric", (), "yyyy-MM-dd")
    coding = replace(model.coding, thresholds=thresholds)
    model = replace(model, attributes=(odd, *model.attributes[1:]), coding=coding)
    read = DecisionTree.from_json(model.to_json())
    assert (read.attributes, read.threshold(0)) == (model.attributes, 0.1 + 0.2)


def damaged(**changes: object) -> str:
    return json.dumps(json.loads(animal_tree().to_json()) | changes)


def with_node(number: int, **changes: object) -> str:
    nodes = json.loads(animal_tree().to_json())["nodes"]
    nodes[number] = {key: part for key, part in (nodes[number] | changes).items() if part is not None}
    return damaged(nodes=nodes)


ATTRIBUTES = json.loads(animal_tree().to_json())["attributes"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no JSON"),
        (animal_tree().to_json()[:-20], "no JSON"),
        ("[" * 100_000, "not a tree file"),
        ("[1, 2]", "not a tree file"),
        ('{"format": "other"}', "not a tree file"),
        (damaged(version=3), "written in version 3 of the format, this gatree reads up to 2; update gatree"),
        (damaged(version="1"), "damaged at version"),
        (damaged(version=None), "damaged at version"),
        (damaged(nodes=[]), "damaged at nodes"),
        (damaged(extra=1), "unknown field `extra`"),
        (damaged(attributes=[*ATTRIBUTES, ATTRIBUTES[0]]), "two attributes have the same name"),
        *(
            (damaged(attributes=[{**ATTRIBUTES[0], "reading": reading}]), "damaged at attributes.0.reading")
            for reading in (
                {"kind": "text"},
                {},
                {"kind": "number", "missing": [1]},
                {"kind": "date", "x": 1},
            )
        ),
        (
            damaged(**{"class": {"name": "kind", "values": ["fish", "fish"]}}),
            "class: a value is listed twice",
        ),
        (damaged(**{"class": {"name": "kind", "values": ["mammal", "bird"]}}), "unknown class 'fish'"),
        (damaged(nodes=json.loads(animal_tree().to_json())["nodes"][:-1]), "nodes.4: yes and no do not lead"),
        (damaged(nodes=[{"class": "fish"}, {"class": "fish"}]), "damaged at nodes: the root of 2 nodes"),
        (with_node(0, attribute="wings"), "nodes.0: unknown attribute 'wings'"),
        (with_node(0, attribute=None), "nodes.0: a test without an attribute"),
        (with_node(0, threshold=None), "nodes.0: a test of 'legs' needs a threshold"),
        (with_node(0, threshold="3"), "damaged at nodes.0.threshold"),
        (with_node(0, threshold=float("inf")), "no JSON"),
        (with_node(0, category="fur"), "nodes.0: a test of 'legs' needs a threshold"),
        (with_node(1, category="wool"), "nodes.1: a test of 'skin' needs one of its categories"),
        (with_node(1, category=None, threshold=2.0), "nodes.1: a test of 'skin' needs one"),
        (with_node(0, no=3), "nodes.0: yes and no do not lead to its two subtrees"),
        (with_node(2, attribute="legs"), "nodes.2: a node has a class or a test, not both"),
        (with_node(2, **{"class": "whale"}), "nodes.2: unknown class 'whale'"),
        (with_node(3, counts=[1, 2]), "nodes.3: there must be 3 counts"),
        (with_node(3, counts=[1, 2, -1]), "damaged at nodes.3.counts"),
        (with_node(3, counts=None), "nodes.3: there must be 3 counts"),
        (with_node(3, counts=[10**30, 0, 0]), "damaged at nodes.3.counts"),
        (with_node(3, counts=[2**53 + 1, 0, 0]), "damaged at nodes.3.counts"),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(text: str, complaint: str):
    with pytest.raises(DataError, match=complaint) as caught:
        DecisionTree.from_json(text, "zoo.json")
    assert str(caught.value).startswith("zoo.json: ")


GOLDEN = Path(__file__).parent / "golden"


def test_trees_of_version_1_are_read():
    assert DecisionTree.from_json((GOLDEN / "version-1-classes.json").read_text()) == animal_tree()
    numbers = DecisionTree.from_json((GOLDEN / "version-1-numbers.json").read_text())
    assert numbers.is_regression
    found = [numbers.prediction(leaf) for leaf in range(5) if numbers.tree.is_leaf(leaf)]
    assert found == [27.4928333, 1090270.25, 1.5]
    assert numbers.attributes[1].date_format == "yyyy-MM-dd"
    assert '{"value":27.4928333}' in numbers.to_json()


@pytest.mark.parametrize(
    ("limit", "what"),
    [("MOST_TREE_FILE_CHARACTERS", "characters"), ("MOST_NODES", "nodes"), ("MOST_CLASSES", "classes")],
)
def test_files_beyond_their_limits_are_refused(monkeypatch: pytest.MonkeyPatch, limit: str, what: str):
    text = animal_tree((0, 1, 0, 1)).to_json()
    monkeypatch.setattr(f"gatree.trees.json_form.{limit}", 1)
    with pytest.raises(DataError, match=rf"^my\.json: [\d,]+ {what}; the limit is 1$"):
        DecisionTree.from_json(text, "my.json")
