"""The column to predict: how its classes are called, and whether they are classes at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

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


def label(value: Any) -> str:
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


def classes_of(attribute: Attribute, column: Column) -> tuple[Attribute, NDArray[np.int32]]:
    """Return a column as classes: values in their order, numbers and dates in rising order.

    Where no order was declared, texts that all are numbers are sorted, and the same number is the same class.
    """
    if attribute.is_nominal:
        labels, classes = attribute.values, np.arange(len(attribute.values))
        if attribute.by_appearance and all(map(PLAIN_NUMBER.fullmatch, labels)):
            numbers, classes = np.unique(np.array([*map(float, labels)]), return_inverse=True)
            labels = tuple(map(label, numbers.tolist()))
        codes = np.append(classes, MISSING).astype(np.int32)[column.astype(np.intp)]  # MISSING is the last
        return replace(attribute, values=labels), codes
    known = ~missing(column)
    numbers, found = np.unique(column[known], return_inverse=True)
    codes = np.full(len(column), MISSING, dtype=np.int32)
    codes[known] = found
    pattern = attribute.date_format
    labels = tuple(date_text(pattern, each) if pattern else label(each) for each in numbers.tolist())
    return Attribute(attribute.name, "nominal", labels, reading=attribute.reading), codes


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


class Classes(NamedTuple):
    """A column as classes."""

    attribute: Attribute
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]  # the rows of each class
    notes: tuple[str, ...]  # what its reader should know


def learnable_classes(
    where: str,
    attribute: Attribute,
    column: Column,
    otherwise: str,
    weights: NDArray[np.int64] | None = None,
    declared_in: str = "",
) -> Classes:
    """Return a column as classes.

    If there is a way out, a column that cannot be learnt is refused with it. ``weights`` are the rows that a
    cell stands for. ``declared_in`` names the header, if there is one: its numbers are no classes.
    """
    if declared_in and not attribute.is_nominal:
        raise DataError(
            f"{declared_in}: the class must be nominal, but {shown(attribute.name)} is numeric; "
            "name another attribute with class_name (--class)"
        )
    classes, codes = classes_of(attribute, column)
    known, n_values = codes >= 0, len(classes.values)
    rows = None if weights is None else weights[known]
    counts = np.bincount(codes[known], weights=rows, minlength=n_values).astype(np.int64)
    if otherwise:
        refuse_unfit(where, attribute.name, classes.values, counts, otherwise)
        n_known = int(counts.sum())
        if _many_numbers(n_values, n_known) and all(map(PLAIN_NUMBER.fullmatch, classes.values)):
            middle = classes.values[n_values // 2]
            raise DataError(
                f"{where}: {shown(attribute.name)} has {n_values} different numbers in {n_known} instances: "
                f"a quantity, and trees here predict classes. Name another attribute with {otherwise}, or "
                f"make classes of it first, such as 'low' up to {middle} and 'high' above"
            )
    note = _hidden_quantity(attribute, classes.values, counts)
    return Classes(classes, codes, counts, (note,) if note else ())


def _hidden_quantity(attribute: Attribute, values: Sequence[str], counts: NDArray[np.int64]) -> str | None:
    """Return a note on classes that are different dates, or different numbers but for some words.

    `gatree.data.texts` has the one on a column of numbers with a single word.
    """
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


def refuse_unfit(
    where: str, name: str, values: Sequence[str], counts: NDArray[np.int64], otherwise: str
) -> None:
    """Raise a DataError if a column to predict has no value, or one only; ``counts`` are the rows of each."""
    if counts.sum() == 0:
        raise DataError(f"{where}: no row has a value of {shown(name)}, so there is nothing to learn from")
    if np.count_nonzero(counts) == 1:
        raise DataError(
            f"{where}: {shown(name)} is {shown(values[int(np.argmax(counts))])} in all rows, so there is "
            f"nothing to learn; name another column with {otherwise}"
        )
