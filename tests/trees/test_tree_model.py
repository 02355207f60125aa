import inspect
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from example_trees import NAN, animal_tree, animals
from hypothesis import given
from hypothesis import strategies as st

from gatree.base.errors import DataError
from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.trees.align import positions
from gatree.trees.forms import Form, Forms
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree


def other_data(**columns: tuple[Attribute, list[float]]) -> Dataset:
    """Data without classes, in the given order of columns."""
    n = len(next(iter(columns.values()))[1])
    return Dataset(
        name="other",
        attributes=tuple(attribute for attribute, _ in columns.values()),
        columns=tuple(
            np.array(values, dtype=np.int32 if attribute.is_nominal else np.float64)
            for attribute, values in columns.values()
        ),
        answer=Classes(Attribute("kind", "nominal"), np.full(n, -1, dtype=np.int32)),
        answer_position=len(columns),
    )


def test_counts_are_those_of_the_instances_at_each_node():
    model = animal_tree()
    assert model.predict(animals()).tolist() == [0, 1, 2, 0, 1, 2, 2, 2]
    assert model.counts.tolist() == [
        [2, 2, 4],
        [0, 2, 2],
        [0, 2, 0],
        [0, 0, 2],
        [2, 0, 2],
        [2, 0, 0],
        [0, 0, 2],
    ]


def test_keeps_only_the_thresholds_that_its_tests_use():
    model = animal_tree((0, 2, (0, 0, 0, 1), 2))
    assert [list(kept) for kept in model.coding.thresholds] == [[1.0, 5.0], [], []]
    assert (model.threshold(0), model.threshold(1)) == (5.0, 1.0)


def test_finds_attributes_by_name_and_translates_their_values():
    skin = Attribute("skin", "nominal", ("feathers", "slime", "fur"))
    data = other_data(
        colour=(Attribute("colour", "numeric"), [1, 2, 3, 4]),
        skin=(skin, [0, 2, 1, 2]),
        legs=(Attribute("legs", "numeric"), [2, 4, 4, 2]),
    )
    assert animal_tree().predict(data).tolist() == [1, 0, 2, 2]  # slime is unknown: to the right
    fur = Attribute("skin", "nominal", ("fur",))
    holes = other_data(legs=(Attribute("legs", "numeric"), [NAN, NAN, 2]), skin=(fur, [0, -1, -1]))
    assert animal_tree().apply(holes).tolist() == [5, 6, 3]


def test_needs_only_the_attributes_that_it_tests():
    data = other_data(legs=(Attribute("legs", "numeric"), [0, 9]))
    assert animal_tree((0, 1, 1, 0)).predict(data).tolist() == [1, 0]
    with pytest.raises(DataError, match="other: the tree tests 'skin', which the data does not have"):
        animal_tree().predict(data)
    with pytest.raises(DataError, match="but the tree's are mammal, bird, fish"):
        animal_tree((0, 1, 1, 0)).with_counts(data)
    assert animal_tree(1).predict(data).tolist() == [1, 1]


def test_an_attribute_may_have_been_read_as_the_class():
    data = other_data(skin=(Attribute("skin", "nominal", ("fur",)), [0, 0]))
    legs = Attribute("legs", "nominal", ("4", "2"))
    answer = Classes(legs, np.array([0, 1], dtype=np.int32))
    swapped = Dataset("other", data.attributes, data.columns, answer, 1)
    assert animal_tree().predict(swapped).tolist() == [0, 2]


def test_numbers_read_as_categories_are_compared_as_numbers():
    data = other_data(legs=(Attribute("legs", "nominal", ("10", "3", "4.0")), [0, 1, 2, -1]))
    assert animal_tree((0, 1, 1, 0)).predict(data).tolist() == [0, 1, 0, 0]
    words = other_data(legs=(Attribute("legs", "nominal", ("two", "four")), [0, 1]))
    with pytest.raises(DataError, match="compares 'legs' with numbers, but the data has 'two', 'four'"):
        animal_tree((0, 1, 1, 0)).predict(words)


def test_categories_read_as_numbers_are_compared_as_categories():
    dataset = animals()
    bits = Attribute("bit", "nominal", ("no", "0", "1.0"))
    dataset = Dataset("bits", (bits,), (dataset.columns[1],), dataset.answer, 1)
    model = DecisionTree.of(Tree.nested((0, 2, 1, (0, 1, 0, 2))), code(dataset, "observed"), dataset)
    data = other_data(bit=(Attribute("bit", "numeric"), [1, 0, 7, NAN]))
    assert model.predict(data).tolist() == [1, 0, 2, 2]


def flag_tree() -> DecisionTree:
    """A mammal if the flag, a column of booleans, is True; a bird if it is False, else a fish."""
    dataset, flag = animals(), Attribute("flag", "nominal", ("False", "True"))
    cells = np.array([1, 0, -1, 1, 0, -1, -1, -1], dtype=np.int32)
    dataset = Dataset("flags", (flag,), (cells,), dataset.answer, 1)
    return DecisionTree.of(Tree.nested((0, 1, 0, (0, 0, 1, 2))), code(dataset, "observed"), dataset)


@pytest.mark.parametrize(
    ("flag", "cells"),
    [
        pytest.param(Attribute("flag", "numeric"), [1, 0, 7, NAN], id="numbers"),
        pytest.param(Attribute("flag", "nominal", ("1", "0", "7")), [0, 1, 2, -1], id="digits"),
        pytest.param(Attribute("flag", "nominal", ("True", "False", "yes")), [0, 1, 2, -1], id="words"),
    ],
)
def test_booleans_may_come_as_0_and_1(flag, cells):
    assert flag_tree().predict(other_data(flag=(flag, cells))).tolist() == [0, 1, 2, 2]
    maybe = replace(flag_tree(), attributes=(Attribute("flag", "nominal", ("False", "Maybe")),))
    numbers = other_data(flag=(Attribute("flag", "numeric"), [0, 1]))
    assert maybe.predict(numbers).tolist() == [2, 2]  # where there are other words, 0 and 1 are none of them


def test_a_value_may_come_in_another_spelling_of_its_number():
    wanted = Attribute("department", "nominal", ("01", "02", "2A", "3", "3.0"))
    assert positions(["02", "2", "2.0", "2A", "2a", "3.0", "3.00"], wanted) == [1, 1, 1, 2, -1, 4, -1]


def test_equality_is_of_what_the_trees_say():
    assert animal_tree() == animal_tree()
    assert hash(animal_tree()) == hash(animal_tree())
    assert animal_tree() != animal_tree((0, 1, (1, 1, 1, 2), (1, 0, 0, 1)))
    assert animal_tree((0, 0, 0, 1)) != animal_tree((0, 1, 0, 1))  # the same shape, another threshold


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param((9, 0, 0, 1), id="attribute"),
        pytest.param((0, 90, 0, 1), id="threshold"),
        pytest.param((1, 9, 0, 1), id="category"),
        pytest.param((0, -1, 0, 1), id="negative test"),
        pytest.param((0, 0, 0, 3), id="class"),
        pytest.param((0, 0, -2, 1), id="negative class"),
    ],
)
def test_tests_and_classes_that_do_not_exist_are_refused(shape):
    genome, dataset = Tree.nested(shape), animals()
    coding = code(dataset, "observed")
    with pytest.raises(DataError):
        DecisionTree.of(genome, coding, dataset)
    with pytest.raises(DataError):
        DecisionTree(genome, dataset.attributes, dataset.class_attribute, coding)
    with pytest.raises(DataError, match="counts of the shape"):
        replace(animal_tree(), counts=np.zeros((1, 2), dtype=np.int64))
    with pytest.raises(DataError, match="a coding of"):
        replace(animal_tree(), attributes=animal_tree().attributes[:1])


@pytest.mark.parametrize("use", [DecisionTree.predict, DecisionTree.apply, DecisionTree.with_counts])
def test_a_frame_is_refused_with_what_would_work(use):
    with pytest.raises(
        DataError,
        match=r"got a DataFrame: create one .* with Dataset\.from_frame\(frame, target\)",
    ):
        use(animal_tree(), pd.DataFrame({"legs": [2.0]}))


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
        (
            damaged(attributes=[{**ATTRIBUTES[0], "kind": "numeric", "date_format": "QQ"}, *ATTRIBUTES[1:]]),
            "damaged at attributes.0.date_format: .*QQ",
        ),
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


@pytest.mark.parametrize("name", [name for name, form in vars(Forms).items() if isinstance(form, Form)])
def test_a_form_has_the_signature_of_its_code(name):
    """mypy checks calls by the one; the other is in another module."""
    form = vars(Forms)[name]
    stated, there = (
        [*inspect.signature(function).parameters.values()][1:] for function in (form.signature, form.code)
    )
    assert list(map(str, stated)) == list(map(str, there))
