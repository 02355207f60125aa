"""A data set as gatree holds it: named attributes, one column each, and the classes or numbers to predict.

Columns keep what is in the file (nominal: the index of the value; numeric: the number), so that a
data set can be written back and so that J48 sees the numbers. What the genetic algorithm sees are
integer codes: `gatree.data.coding` makes them from a `Dataset`, which knows nothing of trees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, counted, shown
from gatree.base.limits import MOST_ATTRIBUTES, MOST_CELLS, MOST_CLASSES, MOST_INSTANCES, refuse_above
from gatree.data.answer import (
    Answer,
    Classes,
    Numbers,
    classes_of,
    hidden_quantity,
    is_quantity,
    numbers_of,
    position_of,
    refuse_unfit,
    way_out,
)
from gatree.data.attribute import MISSING, Attribute, Column, describe_attribute, deviation, missing
from gatree.data.reading import read_columns
from gatree.data.source import ReadOptions, Source

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Dataset:
    """Instances described by nominal and numeric attributes, and what is to be predicted.

    Parameters
    ----------
    name : str
        The relation's name.
    attributes : tuple of Attribute
        The attributes that may be tested, in file order, the one to predict left out.
    columns : tuple of ndarray
        One column per attribute: ``int32`` value indices (`MISSING` where missing) for a nominal
        attribute, ``float64`` (NaN where missing) for a numeric one.
    answer : Classes or Numbers
        What is predicted for every instance.
    answer_position : int
        Where its column stood among all attributes of the file.
    notes : tuple of str
        How columns were read that were not read as they stood, a line each.

    Raises
    ------
    DataError
        If a column has another length than the answer or a code that is none of a value, or if all
        is larger than `gatree.base.limits` allows.
    """

    name: str
    attributes: tuple[Attribute, ...]
    columns: tuple[Column, ...]
    answer: Answer
    answer_position: int
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.attributes) != len(self.columns):
            raise DataError(f"{self.name}: {len(self.attributes)} attributes but {len(self.columns)} columns")
        if not 0 <= self.answer_position <= len(self.attributes):
            raise DataError(
                f"{self.name}: the class stands at position {self.answer_position} of {len(self.attributes)}"
            )
        refuse_above(MOST_INSTANCES, self.n_instances, "instances", self.name)
        refuse_above(MOST_ATTRIBUTES, self.n_attributes, "attributes", self.name)
        refuse_above(MOST_CELLS, self.n_instances * self.n_attributes, "cells", self.name)
        columns = tuple(map(self._checked, self.attributes, self.columns))
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "answer", self._checked_answer())

    def _checked_answer(self) -> Answer:
        attribute, column = self.answer.attribute, self.answer.column
        if isinstance(self.answer, Numbers):
            return Numbers(attribute, self._checked(attribute, column).astype(np.float64, copy=False))
        if not attribute.is_nominal:
            raise DataError(f"{self.name}: the class must be nominal, but {attribute.name!r} is numeric")
        refuse_above(MOST_CLASSES, self.n_classes, "classes", self.name)
        return Classes(attribute, self._checked(attribute, column).astype(np.int32, copy=False))

    def _checked(self, attribute: Attribute, column: NDArray[np.generic]) -> Column:
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

    @cached_property
    def spreads(self) -> NDArray[np.float64]:
        """The standard deviation of every attribute's numbers, with four digits; NaN where there is none."""
        return np.array([deviation(column) for column in self.columns])

    def __repr__(self) -> str:
        size = f"{counted(self.n_instances, 'instance')}, {counted(self.n_attributes, 'attribute')}"
        what = f"numbers {self.answer.name!r}"
        if isinstance(self.answer, Classes):
            what = f"class {self.answer.name!r} of {counted(self.n_classes, 'value')}"
        return f"<Dataset {self.name!r}: {size}, {what}>"

    def _repr_html_(self) -> str:
        """Return the data set as notebooks show it."""
        from gatree.data.attribute import values_in_short
        from gatree.rendering.html import html_table  # imported here: templates take their time

        described = self.describe()
        rows = [
            (part["name"], part["kind"], part["missing"], part["distinct"], values_in_short(part))
            for part in (*described["attributes"], described["class"])
        ]
        return html_table(repr(self)[1:-1], ("attribute", "kind", "missing", "distinct", "values"), rows)

    def describe(self) -> dict[str, Any]:
        """Return the size, and a description of each attribute and of the class, ready for JSON."""
        return {
            "name": self.name,
            "instances": self.n_instances,
            "attributes": list(map(describe_attribute, self.attributes, self.columns)),
            "class": describe_attribute(self.answer.attribute, self.answer.column),
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
        from gatree.data.frames import FrameSource

        return read_table(lambda _: FrameSource(frame, name)).dataset(target)

    def to_frame(self) -> pd.DataFrame:
        """Return the data set as a frame: categories, numbers and dates, the class where it stood."""
        import pandas as pd

        from gatree.data.frames import as_series

        return pd.DataFrame(
            {attribute.name: as_series(attribute, column) for attribute, column in self.parts()}
        )

    def parts(self) -> list[tuple[Attribute, Column]]:
        """Return all columns in the order of the file, the one to predict among them."""
        parts: list[tuple[Attribute, Column]] = list(zip(self.attributes, self.columns, strict=True))
        parts.insert(self.answer_position, (self.answer.attribute, self.answer.column))
        return parts

    @property
    def n_instances(self) -> int:
        return len(self.answer.column)

    @property
    def n_attributes(self) -> int:
        return len(self.attributes)

    @property
    def _answer_as_classes(self) -> Classes:
        if isinstance(self.answer, Numbers):
            raise DataError(f"{self.name}: {shown(self.answer.name)} has numbers; classes are needed here")
        return self.answer

    @property
    def class_attribute(self) -> Attribute:
        """The nominal attribute to predict; numbers have none."""
        return self._answer_as_classes.attribute

    @property
    def classes(self) -> NDArray[np.int32]:
        """The class index of every instance, `MISSING` where unknown."""
        return self._answer_as_classes.codes

    @property
    def class_values(self) -> tuple[str, ...]:
        return self.class_attribute.values

    @property
    def n_classes(self) -> int:
        return len(self.class_values)

    @property
    def class_counts(self) -> NDArray[np.int64]:
        """Instances per class, in the order of the class values."""
        return self._answer_as_classes.counts

    @cached_property
    def n_missing(self) -> int:
        """Missing values in the attributes, not in the answer."""
        return sum(int(np.count_nonzero(missing(column))) for column in self.columns)

    @cached_property
    def checksum(self) -> str:
        """SHA-256 over names, values and every cell: equal exactly if two data sets read equal."""
        digest = hashlib.sha256()
        everything = [*self.attributes, self.answer.attribute]
        for attribute in everything:
            description = (attribute.name, attribute.kind, attribute.values, attribute.date_format)
            digest.update(repr(description).encode())
        for column in (*self.columns, self.answer.column):
            canonical = np.where(missing(column), np.nan, column) if column.dtype.kind == "f" else column
            digest.update(np.ascontiguousarray(canonical).tobytes())
        digest.update(str(self.answer_position).encode())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dataset) and self.checksum == other.checksum

    def __hash__(self) -> int:
        return hash(self.checksum)

    def attribute_index(self, name: str) -> int:
        """Return the position of the attribute called ``name``."""
        names = [attribute.name for attribute in self.attributes]
        return position_of(self.name, names, name, declared=True)

    def take(self, rows: NDArray[np.intp]) -> Dataset:
        """Return the data set of the given rows, in the given order."""
        columns = tuple(column[rows] for column in self.columns)
        return replace(self, columns=columns, answer=self.answer.taken(rows))

    def drop(self, *names: str) -> Dataset:
        """Return the data set without the named attributes."""
        positions = {attribute.name: index for index, attribute in reversed([*enumerate(self.attributes)])}
        gone = {positions.get(name) or self.attribute_index(name) for name in names}
        kept = [index for index in range(self.n_attributes) if index not in gone]
        return replace(
            self,
            attributes=tuple(self.attributes[index] for index in kept),
            columns=tuple(self.columns[index] for index in kept),
            answer_position=self.answer_position - sum(index < self.answer_position for index in gone),
        )

    def with_numbers(self, values: NDArray[np.float64], name: str = "mean") -> Dataset:
        """Return the same attributes with numbers to predict, NaN where there is none."""
        return replace(self, answer=Numbers(Attribute(name, "numeric"), values))


@dataclass(frozen=True)
class Table:
    """Named columns, none of them chosen to be predicted, and notes on how they were read."""

    name: str
    path: str
    attributes: tuple[Attribute, ...]
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    declares: bool = False
    class_name: str | None = None  # what is predicted if nothing is said; the last column by default
    declared_at: Mapping[str, int] = field(default_factory=dict)  # the lines of the columns, if there are any

    @property
    def names(self) -> list[str]:
        return [attribute.name for attribute in self.attributes]

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def position(self, name: str | None) -> int:
        """Return where the column of a name is, that of the class by default."""
        return position_of(self.path, self.names, self.class_name if name is None else name, self.declares)

    def dataset(
        self, class_name: str | None = None, *, regression: bool | None = False, choose: str | None = None
    ) -> Dataset:
        """Return the data set that predicts one column from the others.

        Parameters
        ----------
        class_name : str, optional
            The column to predict; the last one by default.
        regression : bool, optional
            Whether to predict numbers; None decides by the column: a declared number, or many different ones
            with few rows of each.
        choose : str, optional
            How the user names another column, such as ``--class``: then a column that cannot be learnt, a
            constant or a quantity where classes are wanted, is refused with it.
        """
        position = self.position(class_name)
        attribute, column = self.attributes[position], self.columns[position]
        otherwise = way_out(choose, (name for at, name in enumerate(self.names) if at != position))
        if regression is None:
            regression = is_quantity(attribute, column, self.declares)
        notes: tuple[str, ...] = ()
        if regression:
            answer: Answer = numbers_of(self.path, attribute, column, otherwise)
        else:
            self._refuse_declared_numbers(attribute)
            answer = classes_of(attribute, column)
            notes = tuple(filter(None, [hidden_quantity(answer, attribute)]))
        if otherwise:
            refuse_unfit(self.name, answer, otherwise)
        return self._without(position, answer, notes)

    def _refuse_declared_numbers(self, attribute: Attribute) -> None:
        """Raise a DataError for classes in a column of numbers that a header declares."""
        if self.declares and not attribute.is_nominal:
            line = self.declared_at.get(attribute.name)
            where = self.path if line is None else f"{self.path}, line {line}"
            raise DataError(
                f"{where}: the class must be nominal, but {shown(attribute.name)} is numeric; "
                "name another attribute with class_name (--class)"
            )

    def unlabelled(self) -> Dataset:
        """Return all columns as attributes; every class is missing."""
        if not self.attributes:
            raise DataError(f"{self.path}: no attribute that a tree can test")
        return self.predicting(Classes(Attribute("", "nominal"), np.full(self.n_rows, MISSING)))

    def predicting(self, answer: Answer) -> Dataset:
        """Return all columns as attributes, with what is to be predicted from them."""
        return self._without(len(self.attributes), answer)

    def _without(self, position: int, answer: Answer, notes: tuple[str, ...] = ()) -> Dataset:
        """Return the data set of all columns but the one at a position."""
        return Dataset(
            name=self.name,
            attributes=self.attributes[:position] + self.attributes[position + 1 :],
            columns=self.columns[:position] + self.columns[position + 1 :],
            answer=answer,
            answer_position=position,
            notes=self.notes + notes,
        )


def table_of(dataset: Dataset) -> Table:
    """Return the table of a data set, its class a column like the others."""
    attributes, columns = zip(*dataset.parts(), strict=True)
    return Table(
        name=dataset.name,
        path=dataset.name,
        attributes=attributes,
        columns=columns,
        notes=dataset.notes,
        declares=True,
        class_name=dataset.answer.name,
    )


def read_table(opener: Callable[[ReadOptions], Source], options: ReadOptions | None = None) -> Table:
    """Read a source whole, as a table.

    ``opener`` opens it, again if it turns out that its first row has no names.
    """
    source, attributes, columns, notes = read_columns(opener, options or ReadOptions())
    return Table(
        name=source.name,
        path=source.path,
        attributes=attributes,
        columns=columns,
        notes=notes,
        declares=source.declares,
        declared_at=source.declared_at,
    )
