"""Find a tree's attributes in other data by name, and translate their values.

Other data may have their columns and nominal values in another order, lack some, or have additional ones.
Booleans may be 0 and 1, and numbers may be spelled differently. Values that the tree has never seen become
missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, did_you_mean, there_are
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.dataset import Dataset


def check_data_set(data: object) -> None:
    """Raise a DataError unless the data is a Dataset: only fitted classifiers take frames and arrays."""
    if not isinstance(data, Dataset):
        raise DataError(
            f"a tree takes a Dataset, got a {type(data).__name__}: create one from a DataFrame with "
            "Dataset.from_frame(frame, target), or call a fitted classifier, which takes frames and arrays"
        )


def aligned_columns(
    attributes: tuple[Attribute, ...], wanted: NDArray[np.int32], dataset: Dataset
) -> tuple[Column, ...]:
    """Return a column per attribute, translated for the wanted ones and all missing for the others."""
    needed, n = set(wanted.tolist()), dataset.n_instances
    nominal, numeric = np.full(n, MISSING, dtype=np.int32), np.full(n, np.nan)
    return tuple(
        _find(attribute, dataset) if index in needed else nominal if attribute.is_nominal else numeric
        for index, attribute in enumerate(attributes)
    )


def _find(wanted: Attribute, dataset: Dataset) -> Column:
    # A file without a class may have been read with its last attribute as the class.
    names = [attribute.name for attribute in (*dataset.attributes, dataset.answer.attribute)]
    if wanted.name not in names:
        raise DataError(
            f"{dataset.name}: the tree tests {wanted.name!r}, which the data does not have"
            f"{did_you_mean(wanted.name, names)}{there_are(filter(None, names))}"
        )
    index = names.index(wanted.name)
    found = (*dataset.attributes, dataset.answer.attribute)[index]
    column = (*dataset.columns, dataset.answer.column)[index]
    if not found.is_nominal:
        return _as_categories(column, wanted) if wanted.is_nominal else column
    if not wanted.is_nominal:
        return _as_numbers(found, column, dataset.name)
    if found.values == wanted.values:
        return column
    translation = np.array([*positions(found.values, wanted), MISSING], dtype=np.int32)
    return translation[column.astype(np.intp)]  # MISSING is -1: the last entry


def positions(found: Sequence[str], wanted: Attribute) -> list[int]:
    """Return the index of the attribute's value that each text spells, or MISSING.

    Texts are compared as written, then as numbers: 02 and 2.0 match the value 2. If several values spell the
    same number, it matches none of them.
    """
    spelled = [(text, index) for index, value in enumerate(wanted.values) for text in wanted.spellings(value)]
    by_text = dict(spelled)
    n_values = Counter(_number(text) for text, _ in spelled)
    by_number = {_number(text): index for text, index in spelled if n_values[_number(text)] == 1}
    return [by_text.get(text, by_number.get(_number(text), MISSING)) for text in found]


def _number(text: str) -> float | str:
    """Return a text as a number, or unchanged if it is not one."""
    try:
        return float(text)
    except ValueError:
        return text


def _as_numbers(found: Attribute, column: Column, where: str) -> Column:
    """Return a nominal column as numbers, or raise a DataError if a value does not spell one."""
    try:
        numbers = [float(value) for value in found.values]
    except ValueError:
        raise DataError(
            f"{where}: the tree compares {found.name!r} with numbers, but the data has "
            f"{', '.join(map(repr, found.values[:5]))} there"
        ) from None
    return np.array([*numbers, np.nan])[column.astype(np.intp)]


def _as_categories(column: Column, wanted: Attribute) -> Column:
    """Return a numeric column as indices of nominal values that spell numbers, such as 0 and 1."""
    categories = np.full(len(column), MISSING, dtype=np.int32)
    for index, value in enumerate(wanted.values):
        for text in wanted.spellings(value):
            with suppress(ValueError):  # a value that is not a number matches no cell
                categories[column == float(text)] = index
    return categories
