"""A data set as gatree holds it: named attributes, one column each, and a nominal class.

Columns keep what is in the file (nominal: the index of the value; numeric: the number), so that a
data set can be written back and so that J48 sees the numbers. What the genetic algorithm sees are
integer codes: `gatree.data.coding` makes them from a `Dataset`, which knows nothing of trees.
"""

from __future__ import annotations

import hashlib
import html
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, counted, did_you_mean, there_are, visible
from gatree.base.limits import MOST_ATTRIBUTES, MOST_CELLS, MOST_CLASSES, MOST_INSTANCES, refuse_above
from gatree.data.attribute import MISSING, Attribute, Column, missing
from gatree.data.dates import date_text

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Dataset:
    """Instances described by nominal and numeric attributes, and their class.

    Parameters
    ----------
    name : str
        The relation's name.
    attributes : tuple of Attribute
        The attributes that may be tested, in file order, the class left out.
    columns : tuple of ndarray
        One column per attribute: ``int32`` value indices (`MISSING` where missing) for a nominal
        attribute, ``float64`` (NaN where missing) for a numeric one.
    class_attribute : Attribute
        The nominal attribute to predict.
    classes : ndarray of int32
        The class index of every instance, `MISSING` where unknown.
    class_position : int
        Where the class stood among all attributes of the file.

    Raises
    ------
    DataError
        If a column has another length than the classes or a code that is none of a value, or if all
        is larger than `gatree.base.limits` allows.
    """

    name: str
    attributes: tuple[Attribute, ...]
    columns: tuple[Column, ...]
    class_attribute: Attribute
    classes: NDArray[np.int32]
    class_position: int

    def __post_init__(self) -> None:
        if not self.class_attribute.is_nominal:
            raise DataError(
                f"{self.name}: the class must be nominal, but {self.class_attribute.name!r} is numeric"
            )
        if len(self.attributes) != len(self.columns):
            raise DataError(f"{self.name}: {len(self.attributes)} attributes but {len(self.columns)} columns")
        if not 0 <= self.class_position <= len(self.attributes):
            raise DataError(
                f"{self.name}: the class stands at position {self.class_position} of {len(self.attributes)}"
            )
        refuse_above(MOST_INSTANCES, self.n_instances, "instances", self.name)
        refuse_above(MOST_ATTRIBUTES, self.n_attributes, "attributes", self.name)
        refuse_above(MOST_CELLS, self.n_instances * self.n_attributes, "cells", self.name)
        refuse_above(MOST_CLASSES, self.n_classes, "classes", self.name)
        columns = tuple(map(self._checked, self.attributes, self.columns))
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "classes", self._checked(self.class_attribute, self.classes))

    def _checked(self, attribute: Attribute, column: NDArray[Any]) -> Column:
        """Return a column in its type, every code of it that of a value: kernels rely on that."""
        where = f"{self.name}: attribute {attribute.name!r}"
        column = np.asarray(column)
        if column.shape != (self.n_instances,):
            raise DataError(f"{where} has {len(column)} values for {self.n_instances} instances")
        if not attribute.is_nominal:
            if column.dtype.kind not in "iuf":
                raise DataError(f"{where} is numeric, but its column is of type {column.dtype}")
            return column.astype(np.float64, copy=False)
        if column.dtype.kind not in "iu":
            raise DataError(f"{where} is nominal, but its column is of type {column.dtype}, not of codes")
        n_values = len(attribute.values)
        if len(column) and not MISSING <= column.min() <= column.max() < n_values:
            worst = column.min() if column.min() < MISSING else column.max()
            raise DataError(
                f"{where} has the code {worst}; its {n_values} values have 0 to {n_values - 1}, "
                f"a missing one {MISSING}"
            )
        return column.astype(np.int32, copy=False)

    def __repr__(self) -> str:
        size = f"{counted(self.n_instances, 'instance')}, {counted(self.n_attributes, 'attribute')}"
        values = counted(self.n_classes, "value")
        return f"<Dataset {self.name!r}: {size}, class {self.class_attribute.name!r} of {values}>"

    def _repr_html_(self) -> str:
        """Return the data set as notebooks show it."""
        described = self.describe()
        return to_html(repr(self)[1:-1], (*described["attributes"], described["class"]))

    def describe(self) -> dict[str, Any]:
        """Return the size, and a description of each attribute and of the class, ready for JSON."""
        return {
            "name": self.name,
            "instances": self.n_instances,
            "attributes": list(map(describe_attribute, self.attributes, self.columns)),
            "class": describe_attribute(self.class_attribute, self.classes),
            "missing": self.n_missing,
            "checksum": self.checksum,
        }

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, target: str | None = None, name: str = "data") -> Dataset:
        """Return the data set of a frame.

        Columns of numbers become numeric, all others nominal: text in order of first appearance, a pandas
        categorical in the order of its categories. Classes that are numbers are sorted.

        Parameters
        ----------
        frame : DataFrame
        target : str, optional
            The column to predict; the last one by default. It becomes nominal whatever it is.
        name : str
            What to call the data set, also in errors.
        """
        from gatree.data.frames import fields_of

        return cls(name, *fields_of(frame, target, name))

    def to_frame(self) -> pd.DataFrame:
        """Return the data set as a frame: categories, numbers and dates, the class where it stood."""
        from gatree.data.frames import Fields, to_frame

        return to_frame(
            Fields(self.attributes, self.columns, self.class_attribute, self.classes, self.class_position)
        )

    @property
    def n_instances(self) -> int:
        return len(self.classes)

    @property
    def n_attributes(self) -> int:
        return len(self.attributes)

    @property
    def n_classes(self) -> int:
        return len(self.class_attribute.values)

    @property
    def class_values(self) -> tuple[str, ...]:
        return self.class_attribute.values

    @cached_property
    def class_counts(self) -> NDArray[np.int64]:
        """Instances per class, in the order of the class values."""
        return np.bincount(self.classes[self.classes >= 0], minlength=self.n_classes)

    @cached_property
    def n_missing(self) -> int:
        """Missing values in the attributes (the class not counted)."""
        return sum(int(np.count_nonzero(missing(column))) for column in self.columns)

    @cached_property
    def checksum(self) -> str:
        """SHA-256 over names, values and every cell: equal exactly if two data sets read equal."""
        digest = hashlib.sha256()
        everything = [*self.attributes, self.class_attribute]
        for attribute in everything:
            description = (attribute.name, attribute.kind, attribute.values, attribute.date_format)
            digest.update(repr(description).encode())
        for column in (*self.columns, self.classes):
            canonical = np.where(missing(column), np.nan, column) if column.dtype.kind == "f" else column
            digest.update(np.ascontiguousarray(canonical).tobytes())
        digest.update(str(self.class_position).encode())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dataset) and self.checksum == other.checksum

    def __hash__(self) -> int:
        return hash(self.checksum)

    def attribute_index(self, name: str) -> int:
        """Return the position of the attribute called ``name``."""
        for index, attribute in enumerate(self.attributes):
            if attribute.name == name:
                return index
        names = [attribute.name for attribute in self.attributes]
        raise DataError(f"{self.name}: no attribute {name!r}{did_you_mean(name, names)}{there_are(names)}")

    def take(self, rows: NDArray[np.intp]) -> Dataset:
        """Return the data set of the given rows, in the given order."""
        return Dataset(
            name=self.name,
            attributes=self.attributes,
            columns=tuple(column[rows] for column in self.columns),
            class_attribute=self.class_attribute,
            classes=self.classes[rows],
            class_position=self.class_position,
        )

    def drop(self, *names: str) -> Dataset:
        """Return the data set without the named attributes."""
        positions = {attribute.name: index for index, attribute in reversed([*enumerate(self.attributes)])}
        gone = {positions.get(name) or self.attribute_index(name) for name in names}
        kept = [index for index in range(self.n_attributes) if index not in gone]
        return Dataset(
            name=self.name,
            attributes=tuple(self.attributes[index] for index in kept),
            columns=tuple(self.columns[index] for index in kept),
            class_attribute=self.class_attribute,
            classes=self.classes,
            class_position=self.class_position - sum(index < self.class_position for index in gone),
        )

    def with_class(self, name: str) -> Dataset:
        """Return the same data with another attribute as the class."""
        attributes, columns = list(self.attributes), list(self.columns)
        attributes.insert(self.class_position, self.class_attribute)
        columns.insert(self.class_position, self.classes)
        names = [attribute.name for attribute in attributes]
        if name not in names:
            raise DataError(
                f"{self.name}: no attribute {name!r}{did_you_mean(name, names)}{there_are(names)}"
            )
        position = names.index(name)
        return Dataset(
            name=self.name,
            class_attribute=attributes.pop(position),
            classes=columns.pop(position),  # type: ignore[arg-type]  # a numeric class is refused
            attributes=tuple(attributes),
            columns=tuple(columns),
            class_position=position,
        )


_MOST_VALUES = 6


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


def to_html(title: str, described: Iterable[dict[str, Any]]) -> str:
    """Return a table of described attributes."""
    rows = "".join(map(_html_row, described))
    head = "<tr><th>attribute</th><th>kind</th><th>missing</th><th>distinct</th><th>values</th></tr>"
    return f"<p>{html.escape(visible(title))}</p><table>{head}{rows}</table>"


def _html_row(part: dict[str, Any]) -> str:
    if "counts" in part:
        shown = [f"{value}: {count}" for value, count in part["counts"].items()]
        values = ", ".join(shown[:_MOST_VALUES]) + (", …" if len(shown) > _MOST_VALUES else "")
    else:
        values = "" if part["range"] is None else "{} to {}".format(*part["range"])
    cells = (part["name"], part["kind"], part["missing"], part["distinct"], values)
    return "<tr>" + "".join(f"<td>{html.escape(visible(str(cell)))}</td>" for cell in cells) + "</tr>"


def _printable(attribute: Attribute, number: float) -> float | int | str:
    """Return a number as JSON may hold it: a date as its text, and the infinite by name."""
    if not math.isfinite(number):
        return str(number)
    if attribute.date_format is not None:
        return date_text(attribute.date_format, number)
    return int(number) if number.is_integer() else number
