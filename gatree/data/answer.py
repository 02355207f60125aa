"""The answer of a data set, which trees learn to give: classes or numbers, decided once for a column."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, did_you_mean, shown, there_are
from gatree.data.attribute import MISSING, Attribute, Column, missing
from gatree.data.date_texts import parse as parse_date
from gatree.data.dates import date_text
from gatree.data.number_texts import PLAIN_NUMBER, shape_of
from gatree.data.texts import listed

_MOST_NUMBERED_CLASSES = 20
_FEWEST_INSTANCES_PER_CLASS = 10


@dataclass(frozen=True, eq=False)
class Classes:
    """A nominal column to predict: the index of every row's class, `MISSING` where it is unknown."""

    attribute: Attribute
    codes: NDArray[np.int32]

    @property
    def name(self) -> str:
        return self.attribute.name

    @property
    def column(self) -> Column:
        return self.codes

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether the class of each row is known."""
        return self.codes >= 0

    @property
    def strata(self) -> NDArray[np.int32]:
        """What folds keep the shares of: the classes."""
        return self.codes

    @property
    def n_strata(self) -> int:
        return len(self.attribute.values)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The rows of each class, in the order of the values."""
        return np.bincount(self.codes[self.known], minlength=len(self.attribute.values))

    @property
    def n_distinct(self) -> int:
        """The number of classes that occur."""
        return int(np.count_nonzero(self.counts))

    def taken(self, rows: NDArray[np.intp]) -> Classes:
        """Return the classes of some rows."""
        return Classes(self.attribute, self.codes[rows])


@dataclass(frozen=True, eq=False)
class Numbers:
    """A numeric column to predict, NaN where there is no number."""

    attribute: Attribute
    values: NDArray[np.float64]

    @property
    def name(self) -> str:
        return self.attribute.name

    @property
    def column(self) -> Column:
        return self.values

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether the number of each row is known."""
        return ~np.isnan(self.values)

    @property
    def strata(self) -> NDArray[np.int32]:
        """What folds keep the shares of: all rows are alike."""
        return np.zeros(len(self.values), dtype=np.int32)

    @property
    def n_strata(self) -> int:
        return 1

    @property
    def n_distinct(self) -> int:
        """The number of different numbers."""
        return len(np.unique(self.values[self.known]))

    def taken(self, rows: NDArray[np.intp]) -> Numbers:
        """Return the numbers of some rows."""
        return Numbers(self.attribute, self.values[rows])


Answer = Classes | Numbers


def label(value: object) -> str:
    """Return a value as text, integers without a decimal point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def position_of(where: str, names: Sequence[str], name: str | None, declared: bool = False) -> int:
    """Return where the column to predict is, the last one by default."""
    if name is not None and name not in names:
        what = "attribute" if declared else "column"
        raise DataError(f"{where}: no {what} {shown(name)}{did_you_mean(name, names)}{there_are(names)}")
    if len(names) < 2 and not declared:
        few = f"only one column ({shown(names[0])})" if names else "no columns"
        raise DataError(
            f"{where}: {few}; commas, semicolons, tabs or bars part columns (if it is another character: "
            "gatree.read_csv(path, separator=...) in Python); at least two are needed"
        )
    return len(names) - 1 if name is None else names.index(name)


def classes_of(attribute: Attribute, column: Column) -> Classes:
    """Return a column as classes: values in their order, numbers and dates in rising order.

    Where no order was declared, texts that all are numbers are sorted, and the same number is the same class.
    """
    if attribute.is_nominal:
        labels, classes = attribute.values, np.arange(len(attribute.values))
        if attribute.by_appearance and all(map(PLAIN_NUMBER.fullmatch, labels)):
            numbers, classes = np.unique(np.array([*map(float, labels)]), return_inverse=True)
            labels = tuple(map(label, numbers.tolist()))
        codes = np.append(classes, MISSING).astype(np.int32)[column.astype(np.intp)]  # MISSING is the last
        return Classes(replace(attribute, values=labels), codes)
    known = ~missing(column)
    numbers, found = np.unique(column[known], return_inverse=True)
    codes = np.full(len(column), MISSING, dtype=np.int32)
    codes[known] = found
    pattern = attribute.date_format
    labels = tuple(date_text(pattern, each) if pattern else label(each) for each in numbers.tolist())
    return Classes(Attribute(attribute.name, "nominal", labels, reading=attribute.reading), codes)


def is_quantity(attribute: Attribute, column: Column, declared: bool) -> bool:
    """Return whether a column holds numbers to predict, not classes."""
    if attribute.is_nominal or attribute.date_format is not None:
        return False
    known = column[np.isfinite(column)]
    return declared or _many_numbers(len(np.unique(known)), len(known))


def _many_numbers(n_values: int, n_known: int) -> bool:
    return n_values > _MOST_NUMBERED_CLASSES and n_known < n_values * _FEWEST_INSTANCES_PER_CLASS


def way_out(choose: str | None, others: Iterable[str]) -> str:
    """Return how the user names another column to predict, such as ``--class``, and which there are."""
    return f"{choose}{there_are(others)}" if choose else ""


def numbers_of(where: str, attribute: Attribute, column: Column, otherwise: str) -> Numbers:
    """Return a column as numbers; ``otherwise`` is how to name another column, if there is a way."""
    if attribute.date_format is not None:
        way = f"; name another column with {otherwise}" if otherwise else ""
        raise DataError(f"{where}: {shown(attribute.name)} is a date; regression predicts numbers{way}")
    if attribute.is_nominal:
        column = _values_as_numbers(where, attribute)[column.astype(np.intp)]
        attribute = Attribute(attribute.name, "numeric", reading=attribute.reading)
    return Numbers(attribute, np.where(np.isinf(column), np.nan, column))


def _values_as_numbers(where: str, attribute: Attribute) -> NDArray[np.float64]:
    """Return the number that each nominal value spells; the last entry is that of a missing value."""
    try:
        return np.array([*map(float, attribute.values), np.nan])
    except ValueError:
        words = no_numbers(attribute.values)
        can_be_missing = attribute.by_appearance and len(words) < len(attribute.values)
        hint = f"; with --as {attribute.name}=number they are missing values" if can_be_missing else ""
        raise DataError(
            f"{where}: {shown(attribute.name)} has values that are not numbers "
            f"({listed(words or attribute.values)}); regression predicts numbers{hint}"
        ) from None


def hidden_quantity(classes: Classes, attribute: Attribute) -> str | None:
    """Return a note on classes of a column that are different dates, or numbers but for some words.

    `gatree.data.texts` has the one on a column of numbers with a single word.
    """
    values, counts = classes.attribute.values, classes.counts
    name, n = attribute.name, len(values)
    if not (attribute.by_appearance or attribute.date_format):
        return None
    words = no_numbers(values) if n > _MOST_NUMBERED_CLASSES else []
    numbers = set(values).difference(words)
    if len(words) > 1 and _are_most(numbers, values, counts):
        return (
            f"{name}: {n} classes, {len(numbers)} of them numbers; --as {name}=number makes {listed(words)} "
            "missing values, and numbers are predicted"
        )
    dates = set(values) if attribute.date_format else {word for word in words if parse_date(word)}
    if _are_most(dates, values, counts):
        return (
            f"{name}: {n} classes, {'all' if len(dates) == n else len(dates)} of them dates; name another "
            "column with --class, or make classes (such as the year) or numbers of it first"
        )
    return None


def _are_most(some: Collection[str], values: Sequence[str], counts: NDArray[np.int64]) -> bool:
    """Return whether some of the classes are more than half of them, and many with few rows each."""
    n_rows = sum(count for value, count in zip(values, counts.tolist(), strict=True) if value in some)
    return len(some) > len(values) / 2 and _many_numbers(len(some), n_rows)


def no_numbers(values: Iterable[str]) -> list[str]:
    """Return the values that are no numbers in any form."""
    return [value for value in values if shape_of(value) is None]


def refuse_unfit(where: str, answer: Answer, otherwise: str) -> None:
    """Raise a DataError if a column cannot be learnt: no values, one only, or a quantity as classes."""
    name, known = shown(answer.name), answer.column[answer.known]
    if len(known) == 0:
        raise DataError(f"{where}: no row has a value of {name}, so there is nothing to learn from")
    values = answer.attribute.values
    if answer.n_distinct == 1:
        only = label(known[0]) if isinstance(answer, Numbers) else values[known[0]]
        raise DataError(
            f"{where}: {name} is {shown(only)} in all rows, so there is nothing to learn; "
            f"name another column with {otherwise}"
        )
    if _many_numbers(len(values), len(known)) and all(map(PLAIN_NUMBER.fullmatch, values)):
        raise DataError(
            f"{where}: {name} has {len(values)} different numbers in {len(known)} instances: a quantity, and "
            f"trees here predict classes. Name another attribute with {otherwise}, or make classes of it "
            f"first, such as 'low' up to {values[len(values) // 2]} and 'high' above"
        )
