"""What is taken for a quantity, and what for classes that happen to be numbers."""

from __future__ import annotations

import numpy as np
import pytest

from gatree.base.errors import DataError
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.data.target import refuse_quantity


def labelled(values: list[str], classes: list[int]) -> Dataset:
    column = np.zeros(len(classes))
    target = Attribute("target", "nominal", tuple(values))
    return Dataset("made", (Attribute("x", "numeric"),), (column,), target, np.array(classes, np.int32), 1)


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([str(n) for n in range(20)], list(range(20))),
        ([str(n / 7) for n in range(21)], list(range(21)) * 10),
        ([f"word {n}" for n in range(100)], list(range(100))),
        ([], [-1, -1]),
    ],
)
def test_classes(values, classes):
    refuse_quantity(labelled(values, classes), "--class")


def test_a_quantity():
    with pytest.raises(DataError, match="'target' has 21 different numbers in 42 instances: a quantity"):
        refuse_quantity(labelled([str(n / 7) for n in range(21)], list(range(21)) * 2 + [-1]), "--class")
