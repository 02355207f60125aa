"""What there is to say about a data set in few words, ready to be printed or written as JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gatree.data.dataset import Attribute, Column, Dataset, missing
from gatree.data.dates import DateFormat


def describe(dataset: Dataset) -> dict[str, Any]:
    """Return the size of a data set and a description of each attribute and of the class."""
    return {
        "name": dataset.name,
        "instances": dataset.n_instances,
        "attributes": [
            describe_attribute(attribute, column)
            for attribute, column in zip(dataset.attributes, dataset.columns, strict=True)
        ],
        "class": describe_attribute(dataset.class_attribute, dataset.classes),
        "missing": dataset.n_missing,
        "checksum": dataset.checksum,
    }


def describe_attribute(attribute: Attribute, column: Column) -> dict[str, Any]:
    """Return an attribute's name, kind and missing values, and its value counts or its range."""
    known = column[~missing(column)]
    kind = "date" if attribute.date_format is not None else attribute.kind
    common = {
        "name": attribute.name,
        "kind": kind,
        "missing": len(column) - len(known),
        "distinct": len(np.unique(known)),
    }
    if attribute.is_nominal:
        counts = np.bincount(known, minlength=len(attribute.values)).tolist()
        return {**common, "counts": dict(zip(attribute.values, counts, strict=True))}
    range_ = [_printable(attribute, float(end)) for end in (known.min(), known.max())] if len(known) else None
    return {**common, "range": range_}


def _printable(attribute: Attribute, number: float) -> float | int | str:
    """Return a number as JSON may hold it: a date as its text, and the infinite by name."""
    if not math.isfinite(number):
        return str(number)
    if attribute.date_format is not None:
        return DateFormat.compile(attribute.date_format).format(number)
    return int(number) if number.is_integer() else number
