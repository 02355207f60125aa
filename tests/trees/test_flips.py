"""The smallest changes of a row, compared with trying all values that matter."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from example_trees import NAN, animal_tree, animals
from hypothesis import given
from hypothesis import strategies as st

from gatree import DecisionTree, load_dataset
from gatree.base.errors import ConfigError, DataError
from gatree.data.dataset import Dataset
from gatree.j48 import fit
from gatree.trees.flips import Flips

CELLS = st.tuples(
    st.sampled_from([NAN, 0.0, 1.0, 1.5, 3.0, 4.0, 5.0, 9.0]),
    st.integers(-1, 2),
    st.sampled_from([NAN, 0.0, 0.5, 2.0, 40.0]),
)
NUMERIC, NOMINAL = (
    st.tuples(st.sampled_from([0, 2]), st.integers(0, 2)),
    st.tuples(st.just(1), st.integers(0, 2)),
)
SHAPES = st.recursive(
    st.integers(0, 2),
    lambda below: st.tuples(NUMERIC | NOMINAL, below, below).map(lambda node: (*node[0], node[1], node[2])),
    max_leaves=10,
)


def rows_of(cells: list[tuple[float, ...]]) -> Dataset:
    data = animals()
    columns = (np.array(column) for column in zip(*cells, strict=True))
    typed = tuple(new.astype(old.dtype) for new, old in zip(columns, data.columns, strict=True))
    return replace(data, columns=typed, answer=data.answer.taken(np.zeros(len(cells), dtype=int)))


def is_same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def naive_flips(tree: DecisionTree, cells: tuple[float, ...], fixed: int | None) -> dict[object, tuple]:
    """Return the fewest changes and their distance for every outcome, by trying all rows that matter."""
    candidates: list[list[float]] = []
    for index, attribute in enumerate(tree.attributes):
        ends = tree.coding.thresholds[index].tolist()
        others = [*ends, *(math.nextafter(end, math.inf) for end in ends)]
        others = [*range(len(attribute.values))] if attribute.is_nominal else others
        candidates.append([cells[index], *(() if index == fixed else others)])
    tried = [*product(*candidates)]
    outcomes = tree.predict(rows_of(tried)).tolist()
    now, found = outcomes[0], {}
    for row, outcome in zip(tried, outcomes, strict=True):
        if outcome == now:
            continue
        changed = [index for index in range(3) if not is_same(row[index], cells[index])]
        distance = sum(
            1.0 if index == 1 or math.isnan(cells[index])
            else abs(row[index] - cells[index]) / tree.spreads[index]
            for index in changed
        )  # fmt: skip
        key = outcome > now if tree.is_regression else outcome  # numbers are in rising order
        found[key] = min(found.get(key, (9, 0.0)), (len(changed), distance))
    return found


@given(SHAPES, CELLS, st.sampled_from([None, 0, 1, 2]), st.booleans())
def test_flips_are_those_of_all_rows_that_matter(shape, cells, fixed, has_numbers):
    tree = animal_tree(shape)
    if has_numbers:
        tree = tree.with_numbers(np.arange(tree.n_nodes) % 4.0)
    names = [] if fixed is None else [tree.attributes[fixed].name]
    found = Flips(tree, names).of(cells)
    assert [(len(each.changes), each.distance) for each in found] == sorted(
        (len(each.changes), each.distance) for each in found
    )
    now, by_outcome = tree.predict(rows_of([cells]))[0], {}
    for flip in found:
        changed = list(cells)
        for change in flip.changes:
            index = [each.name for each in tree.attributes].index(change.attribute)
            value = change.value
            changed[index] = tree.attributes[index].values.index(value) if index == 1 else value
        outcome = tree.predict(rows_of([tuple(changed)]))[0]  # the changes lead where they should
        assert str(flip.prediction) in (tree.class_values[outcome], f"{tree.class_values[outcome]}.0")
        by_outcome[outcome > now if has_numbers else outcome] = len(flip.changes), flip.distance
    expected = naive_flips(tree, cells, fixed)
    assert by_outcome.keys() == expected.keys()
    for outcome, (n, distance) in by_outcome.items():
        assert (n, distance) == (expected[outcome][0], pytest.approx(expected[outcome][1]))


def test_flips_of_a_row_in_words():
    tree = animal_tree()
    found = tree.flips({"legs": 4, "skin": "fur", "weight": 3})
    assert [*map(str, found)] == ["legs <= 3: fish", "legs <= 3 and skin = feathers: bird"]
    assert found[0].changes[0].value == 3
    assert found[0].distance == pytest.approx(1 / tree.spreads[0])
    assert [each.prediction for each in tree.flips({"skin": "fur"}, fixed=["legs"])] == ["fish"]
    assert str(tree.flips({"skin": "fur"}, fixed=["legs"])[0]) == "skin != fur: fish"
    between = animal_tree((0, 0, 0, (0, 1, 1, 2)))
    assert str(between.flips({"legs": 9})[0]) == "1 < legs <= 3: bird"
    assert str(between.flips({"legs": 0})[-1]) == "legs > 3: fish"


def test_flips_need_known_attributes_and_no_spread_weights():
    with pytest.raises(ConfigError, match="fixed: no attribute 'leg'; did you mean 'legs'"):
        animal_tree().flips({}, fixed=["leg"])
    with pytest.raises(DataError, match="compares 'legs' with numbers, but the row has 'four'"):
        animal_tree().flips({"legs": "four"})
    with pytest.raises(DataError, match="has no flips"):
        fit(load_dataset("vote")).to_decision_tree().flips({})


def test_a_file_has_the_spreads():
    tree = animal_tree()
    assert tree.spreads[0] == pytest.approx(np.nanstd(animals().columns[0]), rel=1e-3)
    assert np.isnan(tree.spreads[1])
    again = DecisionTree.from_json(tree.to_json())
    assert np.array_equal(again.spreads, tree.spreads, equal_nan=True)
    assert replace(tree, spreads=None).flips({"legs": 4, "skin": "fur"})[0].distance == 1.0
