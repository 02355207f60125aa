"""A data set is checked where it is made, so that kernels only ever see codes of values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gatree.base import limits
from gatree.base.errors import DataError
from gatree.data.attribute import MISSING, Attribute
from gatree.data.coding import Coding, code
from gatree.data.dataset import Dataset

COLOUR = Attribute("colour", "nominal", ("red", "blue"))
HEIGHT = Attribute("height", "numeric")
KIND = Attribute("kind", "nominal", ("a", "b", "c"))


def made(colour=(0, 1, MISSING), height=(1.5, np.nan, 3.0), classes=(0, 2, MISSING), position=2) -> Dataset:
    return Dataset(
        "things", (COLOUR, HEIGHT), (np.array(colour), np.array(height)), KIND, np.array(classes), position
    )


def test_columns_come_in_the_types_that_kernels_take():
    dataset = made(height=(1, 2, 3))
    assert [column.dtype for column in (*dataset.columns, dataset.classes)] == [
        np.int32,
        np.float64,
        np.int32,
    ]
    assert dataset.columns[0].tolist() == [0, 1, MISSING]
    assert dataset.columns[1].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"colour": (0, 2, 1)}, "'colour' has the code 2; its 2 values have 0 to 1, a missing one -1"),
        ({"colour": (0, 2**40, 1)}, "'colour' has the code 1099511627776"),
        ({"colour": (0, -2, 1)}, "'colour' has the code -2"),
        ({"colour": (0.0, 1.0, 0.0)}, "'colour' is nominal, but its column is of type float64"),
        ({"classes": (0, 3, 1)}, "'kind' has the code 3; its 3 values have 0 to 2"),
        ({"classes": (0, -7, 1)}, "'kind' has the code -7"),
        ({"height": ("1", "2", "3")}, "'height' is numeric, but its column is of type <U1"),
        ({"height": (1.0, 2.0)}, "'height' has 2 values for 3 instances"),
        ({"position": 3}, "the class stands at position 3 of 2"),
        ({"position": -1}, "the class stands at position -1 of 2"),
    ],
)
def test_what_no_kernel_may_see_is_refused(columns, complaint):
    with pytest.raises(DataError, match=r"^things: ") as refusal:
        made(**columns)
    assert complaint in str(refusal.value)


@pytest.mark.parametrize(
    ("limit", "most", "what"),
    [
        ("MOST_INSTANCES", 2, "3 instances; the limit is 2"),
        ("MOST_ATTRIBUTES", 1, "2 attributes; the limit is 1"),
        ("MOST_CELLS", 5, "6 cells; the limit is 5"),
        ("MOST_CLASSES", 2, "3 classes; the limit is 2"),
    ],
)
def test_too_large_data_are_refused_with_the_limit(monkeypatch, limit, most, what):
    monkeypatch.setattr(f"gatree.data.dataset.{limit}", most)
    assert getattr(limits, limit) > 1000
    with pytest.raises(DataError, match=f"^things: {what}$"):
        made()


def test_too_many_candidate_tests_are_refused(monkeypatch):
    monkeypatch.setattr("gatree.data.coding.MOST_TESTS", 3)
    assert code(replace(made(), columns=(made().columns[0], np.array([1.0, 2.0, 2.0]))), "observed")
    with pytest.raises(DataError, match=r"^things: 4 candidate tests; the limit is 3$"):
        code(replace(made(), columns=(made().columns[0], np.array([1.0, 2.0, 3.0]))), "observed")


@pytest.mark.parametrize(
    "parts",
    [
        ([True], [2, 1], [[0.5], [0.5]]),
        ([True, False], [2, 3], [[0.5], []]),
        ([False], [-1], [[]]),
    ],
)
def test_a_coding_that_contradicts_itself_is_refused(parts):
    is_numeric, n_tests, thresholds = parts
    with pytest.raises(DataError, match="a coding"):
        Coding(
            np.array(is_numeric),
            np.array(n_tests, dtype=np.int32),
            tuple(np.array(part, dtype=np.float64) for part in thresholds),
        )
