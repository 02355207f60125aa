"""An attribute of a data set with its column of cells, and the schema of data whose columns are elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown

Column = NDArray[np.int32] | NDArray[np.float64]

MISSING = -1
"""The code of a missing nominal value or class. A missing number is NaN."""

MISSING_WORDS = ("", "?", "NA", "NaN", "nan", "null")
"""The words that mean a missing value in any column of text."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_BOOLEANS = {"False": "0", "True": "1"}


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
    def is_boolean(self) -> bool:
        """Whether it was a column of booleans."""
        return bool(self.values) and set(self.values) <= _BOOLEANS.keys()

    def spellings(self, value: str) -> tuple[str, ...]:
        """Return the texts that stand for a nominal value: a column of booleans is often kept as 0 and 1."""
        return (value, _BOOLEANS[value]) if self.is_boolean else (value,)


def half_a_surrogate_pair(text: str) -> str:
    """Return what is wrong with a text that no file can hold."""
    return f"{shown(text)} has half of a surrogate pair, which is no character and cannot be encoded"


def missing(column: Column) -> NDArray[np.bool_]:
    """Tell which values of a column are missing."""
    return np.isnan(column) if column.dtype.kind == "f" else column < 0


@dataclass(frozen=True, eq=False)
class Schema:
    """A data set without its cells; see `gatree.data.dataset.Dataset` for the fields they share."""

    name: str
    attributes: tuple[Attribute, ...]
    class_attribute: Attribute
    class_position: int
    class_counts: NDArray[np.int64]

    @property
    def n_instances(self) -> int:
        """The instances whose class is known: nothing can be learnt from others."""
        return int(self.class_counts.sum())

    @property
    def n_attributes(self) -> int:
        return len(self.attributes)

    @property
    def n_classes(self) -> int:
        return len(self.class_values)

    @property
    def class_values(self) -> tuple[str, ...]:
        return self.class_attribute.values
