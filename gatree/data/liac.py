"""Data sets as liac-arff holds them: the dictionaries that ``arff.load`` returns and ``arff.dump`` takes.

For exchange with what is built on liac-arff (OpenML's client, say), for a second, independent reading of the
shipped files, and to read rows that our own reader refuses (`gatree.data.arff`, which takes what WEKA takes):
liac-arff takes an empty cell for a missing value, and the entries of a sparse row in any order.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import arff
import numpy as np

from gatree.base.errors import DataError, did_you_mean
from gatree.data.arff import BadRowsError, parse_arff
from gatree.data.attribute import MISSING, Attribute, Column, missing
from gatree.data.dataset import Dataset
from gatree.data.files import read_text

_MOST_CHARACTERS = 50_000_000  # liac-arff makes an object of every cell
_log = logging.getLogger(__name__)


def read_arff_or_fall_back(
    path: str | Path, class_name: str | None = None, drop_strings: bool = False
) -> Dataset:
    """Read an ARFF file; if only its rows are refused and liac-arff reads them, use that, with a warning."""
    text = read_text(path)
    try:
        return parse_arff(text, class_name, drop_strings, str(path))
    except BadRowsError as refusal:
        found = _rows_by_liac(text, class_name) if len(text) <= _MOST_CHARACTERS else None
        if found is None:
            raise
        _log.warning("%s; read with liac-arff instead", refusal)
        return found


def _rows_by_liac(text: str, class_name: str | None) -> Dataset | None:
    """Return the data set as liac-arff reads it without attributes of type string, if it can."""
    try:
        document = arff.loads(text)
    except (arff.ArffException, ValueError, IndexError):
        return None
    kept = [index for index, (_, kind) in enumerate(document["attributes"]) if kind != "STRING"]
    document["attributes"] = [document["attributes"][index] for index in kept]
    document["data"] = [[row[index] for index in kept] for row in document["data"]]
    return from_liac(document, class_name)


def read_with_liac(path: Path) -> Dataset:
    """Read an ARFF file with liac-arff, the last attribute being the class."""
    try:
        with path.open(encoding="utf-8") as file:
            return from_liac(arff.load(file))
    except arff.ArffException as error:
        raise DataError(f"{path}: liac-arff cannot read it: {error}") from error


def from_liac(document: dict[str, Any], class_name: str | None = None) -> Dataset:
    """Return the data set of a dictionary as ``arff.load`` returns it (dense rows).

    Parameters
    ----------
    document : dict
        With the keys ``relation``, ``attributes`` and ``data``.
    class_name : str, optional
        The attribute to predict; the last one by default.
    """
    names = [name for name, _ in document["attributes"]]
    wanted = names[-1] if class_name is None else class_name
    if wanted not in names:
        raise DataError(f"{document['relation']}: no attribute {wanted!r}{did_you_mean(wanted, names)}")
    cells = zip(*document["data"], strict=True) if document["data"] else ((),) * len(names)
    parts = [
        _column(name, kind, column)
        for (name, kind), column in zip(document["attributes"], cells, strict=True)
    ]
    position = names.index(wanted)
    class_attribute, classes = parts.pop(position)
    return Dataset(
        name=document["relation"],
        attributes=tuple(attribute for attribute, _ in parts),
        columns=tuple(column for _, column in parts),
        class_attribute=class_attribute,
        classes=classes.astype(np.int32),
        class_position=position,
    )


def _column(name: str, kind: str | list[str], cells: tuple[Any, ...]) -> tuple[Attribute, Column]:
    if isinstance(kind, list):
        codes = {value: index for index, value in enumerate(kind)} | {None: MISSING}
        return Attribute(name, "nominal", tuple(kind)), np.array(
            [codes[cell] for cell in cells], dtype=np.int32
        )
    if kind.upper() == "STRING":
        raise DataError(f"attribute {name!r} is a string; only nominal and numeric attributes can be used")
    return Attribute(name, "numeric"), np.array([np.nan if c is None else c for c in cells], dtype=np.float64)


def to_liac(dataset: Dataset) -> dict[str, Any]:
    """Return a data set as the dictionary that ``arff.dump`` takes."""
    parts = list(zip(dataset.attributes, dataset.columns, strict=True))
    parts.insert(dataset.class_position, (dataset.class_attribute, dataset.classes))
    columns = [_cells(attribute, column) for attribute, column in parts]
    return {
        "description": "",
        "relation": dataset.name,
        "attributes": [(a.name, list(a.values) if a.is_nominal else "NUMERIC") for a, _ in parts],
        "data": [list(row) for row in zip(*columns, strict=True)],
    }


def _cells(attribute: Attribute, column: Column) -> list[Any]:
    gone = missing(column)
    if attribute.is_nominal:
        return [None if g else attribute.values[c] for c, g in zip(column.tolist(), gone, strict=True)]
    return [None if g else number for number, g in zip(column.tolist(), gone, strict=True)]
