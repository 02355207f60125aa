from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from example_trees import NAN, animal_tree, animals

from gatree.base.errors import DataError
from gatree.data.attribute import Attribute
from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.trees.align import positions
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
        class_attribute=Attribute("kind", "nominal"),
        classes=np.full(n, -1, dtype=np.int32),
        class_position=len(columns),
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
    swapped = Dataset("other", data.attributes, data.columns, legs, np.array([0, 1], dtype=np.int32), 1)
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
    dataset = Dataset("bits", (bits,), (dataset.columns[1],), dataset.class_attribute, dataset.classes, 1)
    model = DecisionTree.of(Tree.nested((0, 2, 1, (0, 1, 0, 2))), code(dataset, "observed"), dataset)
    data = other_data(bit=(Attribute("bit", "numeric"), [1, 0, 7, NAN]))
    assert model.predict(data).tolist() == [1, 0, 2, 2]


def flag_tree() -> DecisionTree:
    """A mammal if the flag, a column of booleans, is True; a bird if it is False, else a fish."""
    dataset, flag = animals(), Attribute("flag", "nominal", ("False", "True"))
    cells = np.array([1, 0, -1, 1, 0, -1, -1, -1], dtype=np.int32)
    dataset = Dataset("flags", (flag,), (cells,), dataset.class_attribute, dataset.classes, 1)
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
