"""A second, independent reading of ARFF files: by liac-arff, to hold our own against it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import arff
import numpy as np

from gatree.base.errors import DataError
from gatree.data.attribute import MISSING, Attribute
from gatree.data.blocks import Typed
from gatree.data.dataset import Dataset, Table


def read_with_liac(path: Path) -> Dataset:
    """Read an ARFF file of nominal and numeric attributes with liac-arff, the last one being the class."""
    try:
        with path.open(encoding="utf-8") as file:
            document = arff.load(file)
    except arff.ArffException as error:
        raise DataError(f"{path}: liac-arff cannot read it: {error}") from error
    cells = zip(*document["data"], strict=True)
    parts = [
        _column(name, kind, column)
        for (name, kind), column in zip(document["attributes"], cells, strict=True)
    ]
    attributes, columns = zip(*parts, strict=True)
    return Table(document["relation"], str(path), attributes, columns, declares=True).dataset()


def _column(name: str, kind: str | list[str], cells: tuple[Any, ...]) -> Typed:
    if isinstance(kind, list):
        codes = {value: index for index, value in enumerate(kind)} | {None: MISSING}
        column = np.array([codes[cell] for cell in cells], dtype=np.int32)
        return Typed(Attribute(name, "nominal", tuple(kind)), column)
    numbers = np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return Typed(Attribute(name, "numeric"), numbers)
