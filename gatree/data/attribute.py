"""An attribute of a data set, how its texts were read, and its description."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.data.dates import date_text

Column = NDArray[np.int32] | NDArray[np.float64]

MISSING = -1
"""The code of a missing nominal value or class. A missing number is NaN."""

MISSING_WORDS = ("", "?", "NA", "NaN", "nan", "null")
"""The words that mean a missing value in any column of text."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_VALUES = 6  # that a description lists in short
_BOOLEANS = {"False": "0", "True": "1"}
_TRUE = ("true", "t", "yes", "y", "1", "on")


Kind = Literal["number", "category", "date"]
"""What a column can be read as."""


class Reading(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the texts of a column were read, in plain values that JSON can hold."""

    kind: Kind
    decimal: str = "."
    thousands: str = ""  # the mark, if there is one
    left_out: tuple[str, ...] = ()  # around numbers, such as $ or %
    missing: tuple[str, ...] = ()  # texts that are missing values in this column, and not in all
    pattern: str | None = None  # of dates, as `Attribute.date_format`

    @property
    def keeps_plain_numbers(self) -> bool:
        """Whether texts that are plain numbers mean these numbers, and nothing around them is left out."""
        return self.kind == "number" and self.decimal == "." and not self.thousands and not self.left_out


@dataclass(frozen=True)
class Attribute:
    """One attribute: its name, its kind, and the values that a nominal one may take.

    A date is numeric (milliseconds since 1970 UTC, as in WEKA) and keeps its format. Values of text are in
    the order in which they appear in the data (``by_appearance``); a header and categories declare theirs.
    ``reading`` says how its texts were read, if they were not plain numbers or categories.
    """

    name: str
    kind: Literal["nominal", "numeric"]
    values: tuple[str, ...] = ()
    date_format: str | None = None
    by_appearance: bool = field(default=False, compare=False, repr=False)
    reading: Reading | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for word in (self.name, *self.values):
            if not word.isascii() and _SURROGATE.search(word):
                raise DataError(half_a_surrogate_pair(word))

    @property
    def is_nominal(self) -> bool:
        return self.kind == "nominal"

    @property
    def meaning(self) -> Kind:
        """What its values are."""
        if self.is_nominal:
            return "category"
        return "number" if self.date_format is None else "date"

    @property
    def is_boolean(self) -> bool:
        """Whether it was a column of booleans."""
        return bool(self.values) and set(self.values) <= _BOOLEANS.keys()

    @property
    def first(self) -> int | None:
        """Which of two values is shown first, because it is true, yes, 1 or the like."""
        is_true = [value.casefold() in _TRUE for value in self.values]
        return is_true.index(True) if len(is_true) == 2 and any(is_true) and not all(is_true) else None

    def spellings(self, value: str) -> tuple[str, ...]:
        """Return the texts that stand for a nominal value: a column of booleans is often kept as 0 and 1."""
        return (value, _BOOLEANS[value]) if self.is_boolean else (value,)


def half_a_surrogate_pair(text: str) -> str:
    """Return what is wrong with a text that no file can hold."""
    return f"{shown(text)} has half of a surrogate pair, which is no character and cannot be encoded"


def missing(column: Column) -> NDArray[np.bool_]:
    """Tell which values of a column are missing."""
    return np.isnan(column) if column.dtype.kind == "f" else column < 0


def deviation(column: Column) -> float:
    """Return the standard deviation of finite numbers; NaN without any that differ."""
    known = column[np.isfinite(column)] if column.dtype.kind == "f" else column[:0]
    unit = float(np.abs(known).max(initial=0.0)) or 1.0  # squares may overflow
    spread = float((known / unit).std()) * unit if len(known) else 0.0
    return float(f"{spread:.4g}") if spread > 0 else np.nan


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


def values_in_short(described: dict[str, Any]) -> str:
    """Return the values of a described attribute with their counts, or its range, in a line."""
    if "counts" not in described:
        return "" if described["range"] is None else "{} to {}".format(*described["range"])
    counts = [f"{value}: {count}" for value, count in described["counts"].items()]
    return ", ".join(counts[:_MOST_VALUES]) + (", …" if len(counts) > _MOST_VALUES else "")


def _printable(attribute: Attribute, number: float) -> float | int | str:
    """Return a number as JSON may hold it: a date as its text, and the infinite by name."""
    if not math.isfinite(number):
        return str(number)
    if attribute.date_format is not None:
        return date_text(attribute.date_format, number)
    return int(number) if number.is_integer() else number
