"""What predictions cost: a CSV file with a row per class and a column per predicted class."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, did_you_mean, shown
from gatree.base.limits import MOST_COST
from gatree.data.dataset import Dataset
from gatree.data.files import naming_failures, read_text
from gatree.data.number_texts import PLAIN_NUMBER


def read_costs(path: Path, dataset: Dataset) -> NDArray[np.float64]:
    """Return the costs in a file, ``[class, predicted class]``, in the order of a data set's classes."""
    with naming_failures(path, "costs"):
        rows = [row for row in csv.reader(io.StringIO(read_text(path))) if row] or [[]]
    names = [cell.strip() for cell in rows[0][1:]]
    table = {row[0].strip(): row[1:] for row in rows[1:]}
    _refuse_names(path, names, dataset)
    _refuse_names(path, [row[0].strip() for row in rows[1:]], dataset)
    place = {name: at for at, name in enumerate(names)}
    for name in dataset.class_values:
        if name not in table or name not in place or len(table[name]) != len(names):
            raise DataError(f"{path}: a row and a column per class are needed, but {shown(name)} has none")
    return np.array(
        [
            [_cost(path, true, label, table[true][place[label]].strip()) for label in dataset.class_values]
            for true in dataset.class_values
        ]
    )


def _refuse_names(path: Path, names: Sequence[str], dataset: Dataset) -> None:
    """Refuse names of rows or columns that are no class, or repeated."""
    classes, known = dataset.class_values, set(dataset.class_values)
    for name, n in Counter(names).items():
        if name not in known:
            raise DataError(f"{path}: {dataset.name} has no class {shown(name)}{did_you_mean(name, classes)}")
        if n > 1:
            raise DataError(f"{path}: {shown(name)} is there twice; a row and a column per class are needed")


def _cost(path: Path, true: str, label: str, cell: str) -> float:
    """Return the cost in a cell."""
    if PLAIN_NUMBER.fullmatch(cell) and 0 <= float(cell) <= MOST_COST:
        return float(cell)
    cost = f"the cost of {shown(label)} for {shown(true)}"
    raise DataError(f"{path}: {cost} should be a number from 0 to {MOST_COST:g}, got {shown(cell)}")
