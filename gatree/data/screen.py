"""Columns that a tree should not learn from, and other things to know about data before learning."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import numpy as np

from gatree.base.errors import DataError, listed_names, percent, shown
from gatree.data.answer import Classes
from gatree.data.attribute import Attribute, Column, missing
from gatree.data.dataset import Dataset

_NEARLY_ALL = 0.95  # distinct texts per row from which a column names its rows
_FEWEST_ROWS = 3
_MANY_MISSING = 0.3
_LEAK = 0.99  # rows whose class one column gives
_MOST_SCREENED = 2_000  # columns that are looked at for leaks


@dataclass(frozen=True)
class LeftOut:
    """A column that is not learned from, and why; identifiers keep their cells, as texts or numbers."""

    name: str
    why: str
    cells: Column | None = field(default=None, compare=False, repr=False)


def is_identifier(column: Column, attribute: Attribute) -> bool:
    """Return whether a column only names or numbers its rows."""
    if missing(column).any() or len(column) < _FEWEST_ROWS or attribute.date_format is not None:
        return False
    if not attribute.is_nominal:
        before, after = column[:-1], column[1:]
        return bool(np.all((after == before + 1) & (after > before)))  # beyond 2^53, x + 1 may be x
    n_distinct = int(np.count_nonzero(np.bincount(column)))
    return n_distinct == len(column) or n_distinct > max(20, _NEARLY_ALL * len(column))


def screened(
    dataset: Dataset, keep: Collection[str] = (), drop: Collection[str] = ()
) -> tuple[Dataset, tuple[LeftOut, ...]]:
    """Return a data set without identifiers, except those to keep, and unwanted columns; and what is gone."""
    for name in (*keep, *drop):
        dataset.attribute_index(name)  # raises a DataError with the names there are
    left_out = []
    for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
        if attribute.name in drop:
            left_out.append(LeftOut(attribute.name, "on request"))
        elif attribute.name not in keep and is_identifier(column, attribute):
            every = len(np.unique(column)) == len(column)
            why = "a different value in every row" if every else "a different value in nearly every row"
            cells = np.array(attribute.values, dtype=object)[column] if attribute.is_nominal else column
            left_out.append(LeftOut(attribute.name, why, cells))
    if len(left_out) == dataset.n_attributes:
        names = listed_names(repr(each.name) for each in left_out)
        raise DataError(
            f"{dataset.name}: no column is left to learn from; left out: {names}. "
            "Name those to keep with --keep"
        )
    return dataset.drop(*(each.name for each in left_out)), tuple(left_out)


def concerns(dataset: Dataset) -> Iterator[str]:
    """Yield a sentence for each thing about the columns that its reader should know.

    All rows have a class, or a number to predict in its place.
    """
    for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
        gone = missing(column)
        n_missing, name = int(np.count_nonzero(gone)), shown(attribute.name)
        known = column[~gone]
        if len(known) == 0:
            yield f"{name} is missing in all rows"
        elif known.min() == known.max():
            yield f"{name} has the same value in all rows" + (" that have one" if n_missing else "")
        elif n_missing > _MANY_MISSING * len(column):
            yield f"{name} is missing in {percent(n_missing / len(column), digits=0)} of the rows"
    if isinstance(dataset.answer, Classes):
        yield from _leaks(dataset)


def _leaks(dataset: Dataset) -> Iterator[str]:
    if np.count_nonzero(dataset.class_counts) < 2 or dataset.n_attributes > _MOST_SCREENED:
        return
    for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
        share = _share_given(attribute, column, dataset)
        if share >= _LEAK and share > 1.5 * dataset.class_counts.max() / dataset.n_instances - 0.5:
            rows = "all rows" if share == 1 else f"{percent(share)} of the rows"
            yield (
                f"{shown(attribute.name)} alone gives the class of {rows}: "
                "is it known before the class is, or does it follow from it?"
            )


def _share_given(attribute: Attribute, column: Column, dataset: Dataset) -> float:
    """Return the share of the rows whose class one column gives, by its values or by thresholds."""
    gone = missing(column)
    values, classes = column[~gone], dataset.classes[~gone]
    if len(values) == 0 or values.min() == values.max():
        return 0.0
    if not attribute.is_nominal:
        order = np.argsort(values, kind="stable")
        values, classes = values[order], classes[order]
        n_stretches = 1 + int(np.count_nonzero(np.diff(classes)))
        cut_between_equals = np.any((classes[1:] != classes[:-1]) & (values[1:] == values[:-1]))
        is_cut = n_stretches <= np.count_nonzero(dataset.class_counts) and not cut_between_equals
        return len(values) / dataset.n_instances if is_cut else 0.0
    if len(np.unique(values)) > len(values) / 5:  # few rows of each value: chance
        return 0.0
    counts = np.zeros((len(attribute.values), dataset.n_classes), dtype=np.int64)
    np.add.at(counts, (values.astype(np.int64), classes), 1)
    return float(counts.max(axis=1).sum() / dataset.n_instances)
