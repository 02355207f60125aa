"""Hypothesis strategies for what the package works on."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gatree.data.answer import Classes
from gatree.data.attribute import MISSING, Attribute
from gatree.data.dataset import Dataset
from gatree.trees.genome import Tree

PLAIN_TEXT = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=6)
ODD_TEXT = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("?'\"{}%,\\ \t\n\r@é中")), max_size=8
)
HALVES = st.integers(-20, 20).map(lambda number: number / 2)  # few, so that ties are common
DATE_FORMATS = st.sampled_from(
    ["yyyy-MM-dd'T'HH:mm:ss", "dd MMM yyyy, h:mm:ss a", "yyyyMMdd HHmmss", "d/M/yyyy H:m:s"]
)


@st.composite
def datasets(
    draw: st.DrawFn,
    *,
    min_instances: int = 0,
    max_instances: int = 20,
    min_attributes: int = 1,
    max_attributes: int = 4,
    min_classes: int = 1,
    max_classes: int = 4,
    max_values: int = 4,
    kinds: tuple[str, ...] = ("nominal", "numeric"),
    numbers: st.SearchStrategy[float] = HALVES,
    text: st.SearchStrategy[str] = PLAIN_TEXT,
    allow_missing: bool = True,
    allow_missing_class: bool = False,
) -> Dataset:
    """Data sets of nominal and numeric attributes (and dates, if ``kinds`` has "date").

    ``numbers`` draws the values of numeric attributes, ``text`` all names and values.
    """
    n_instances = draw(st.integers(min_instances, max_instances))
    n_attributes = draw(st.integers(min_attributes, max_attributes))
    names = draw(st.lists(text, min_size=n_attributes + 1, max_size=n_attributes + 1, unique=True))
    class_attribute = draw(_nominal(names.pop(), text, min_classes, max_classes))
    attributes = tuple(draw(_attribute(name, kinds, text, max_values)) for name in names)
    return Dataset(
        name=draw(text),
        attributes=attributes,
        columns=tuple(draw(_column(a, n_instances, allow_missing, numbers)) for a in attributes),
        answer=Classes(
            class_attribute, draw(_column(class_attribute, n_instances, allow_missing_class, numbers))
        ),
        answer_position=draw(st.integers(0, n_attributes)),
    )


@st.composite
def _attribute(
    draw: st.DrawFn, name: str, kinds: tuple[str, ...], text: st.SearchStrategy[str], max_values: int
) -> Attribute:
    kind = draw(st.sampled_from(kinds))
    if kind == "nominal":
        return draw(_nominal(name, text, 1, max_values))
    return Attribute(name, "numeric", date_format=draw(DATE_FORMATS) if kind == "date" else None)


def _nominal(name: str, text: st.SearchStrategy[str], fewest: int, most: int) -> st.SearchStrategy[Attribute]:
    values = st.lists(text, min_size=fewest, max_size=most, unique=True)
    return values.map(lambda values: Attribute(name, "nominal", values=tuple(values)))


def _column(
    attribute: Attribute, n_instances: int, allow_missing: bool, numbers: st.SearchStrategy[float]
) -> st.SearchStrategy[np.ndarray]:
    if attribute.is_nominal:
        cells = st.integers(MISSING if allow_missing else 0, len(attribute.values) - 1)
        dtype = np.int32
    else:
        seconds = st.integers(-(10**9), 4 * 10**9).map(lambda second: second * 1000.0)
        cells = seconds if attribute.date_format else numbers
        cells = cells | st.just(np.nan) if allow_missing else cells
        dtype = np.float64
    column = st.lists(cells, min_size=n_instances, max_size=n_instances)
    return column.map(lambda cells: np.array(cells, dtype=dtype))


def trees(n_tests: np.ndarray, n_classes: int, max_leaves: int = 8) -> st.SearchStrategy[Tree]:
    """Trees over attributes with these numbers of candidate tests; single leaves where none can be tested."""
    leaf = st.integers(0, n_classes - 1)
    tests = [(attribute, test) for attribute, n in enumerate(n_tests) for test in range(min(n, 9))]
    if not tests:
        return leaf.map(Tree.nested)

    def with_test(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.tuples(st.sampled_from(tests), children, children).map(lambda p: (*p[0], p[1], p[2]))

    return st.recursive(leaf, with_test, max_leaves=max_leaves).map(Tree.nested)
